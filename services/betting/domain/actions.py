"""What a seat may do, and what it did: the words of an action."""

from dataclasses import dataclass
from enum import StrEnum

from shared.kernel.frozen import maker


class ActionKind(StrEnum):
    """What a player may do when to act (rules 29, 43-70)."""

    FOLD = "FOLD"  # Gives up the hand; at the bring-in, declines it where the rules allow.
    CHECK = "CHECK"  # Stays in without paying, nothing being owed.
    CALL = "CALL"  # Pays what the street costs, or all chips if fewer.
    BRING_IN = "BRING_IN"  # Posts the bring-in.
    COMPLETE = "COMPLETE"  # Opens third street for the full bet, or is the first wager over the bring-in.
    BET = "BET"  # The first wager of a street.
    RAISE = "RAISE"  # Raises a wager.


WAGERS = (ActionKind.COMPLETE, ActionKind.BET, ActionKind.RAISE)
"""Actions with an amount of the player's choice."""


class ActionCause(StrEnum):
    """Why an action was taken."""

    PLAYER = "PLAYER"  # The player, or the back end acting for the player.
    CLOCK = "CLOCK"  # The clock ended.
    ABSENT = "ABSENT"  # The player sits out or never came.
    DISCONNECTED = "DISCONNECTED"  # The player lost the connection and the rules act at once.


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """What a seat does: for a wager the street total, else 0 chips."""

    kind: ActionKind
    to_chips: int = 0
    cause: ActionCause = ActionCause.PLAYER


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalAction:
    """One thing that the seat to act may do, with exact amounts (rule 70)."""

    kind: ActionKind
    pay_chips: int = 0
    """For CALL and BRING_IN: the chips it takes from the stack."""
    to_chips_choices: tuple[int, ...] = ()
    """For a wager in limit: the allowed street totals, ascending."""
    to_chips_min: int = 0
    """For a wager in pot limit and no limit: the least street total."""
    to_chips_max: int = 0
    """For a wager in pot limit and no limit: the largest street total."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalActions:
    """Whose turn it is and all that this seat may do."""

    seat: int
    actions: tuple[LegalAction, ...]


action_of, legal_action, legal_of_seat = maker(Action), maker(LegalAction), maker(LegalActions)
"""Quick makers: every answer needs some."""


def allowed_text(legal: LegalAction) -> str:
    """The amounts of a legal action in words, for a refusal that says how to mend it."""
    if legal.kind not in WAGERS:
        return "0"
    if legal.to_chips_choices:
        return ", ".join(str(choice) for choice in legal.to_chips_choices)
    return f"{legal.to_chips_min} to {legal.to_chips_max}"


def legal_text(actions: tuple[LegalAction, ...]) -> str:
    """Every legal action with its amounts, as in ``FOLD, CALL (pays 4), RAISE (to 20)``."""
    return ", ".join(_one_text(each) for each in actions)


def _one_text(legal: LegalAction) -> str:
    if legal.kind in WAGERS:
        return f"{legal.kind} (to {allowed_text(legal)})"
    return f"{legal.kind} (pays {legal.pay_chips})" if legal.pay_chips else str(legal.kind)
