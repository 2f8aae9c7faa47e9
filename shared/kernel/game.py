"""The words of the game that every service shares: modes, structures, streets."""

from enum import StrEnum


class Mode(StrEnum):
    """What a table is played for."""

    CASH = "CASH"  # A cash table: chips are money.
    TOURNAMENT = "TOURNAMENT"  # A tournament table: chips are places.


class Structure(StrEnum):
    """How large a wager may be (rule 41)."""

    LIMIT = "LIMIT"  # Fixed amounts: the lower and the upper limit.
    POT_LIMIT = "POT_LIMIT"  # At most the pot after calling.
    NO_LIMIT = "NO_LIMIT"  # Up to all chips.


class Street(StrEnum):
    """The five betting rounds of a hand, named by the card that each player has (rule 5)."""

    THIRD = "THIRD"  # Two down cards and the door card.
    FOURTH = "FOURTH"  # Second up card.
    FIFTH = "FIFTH"  # Third up card.
    SIXTH = "SIXTH"  # Fourth up card.
    SEVENTH = "SEVENTH"  # The river: third down card, or one common card.
