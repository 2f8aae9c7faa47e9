"""Values of the clock options (rule numbers and C numbers as in the rule reference)."""

from enum import StrEnum


class Timeout(StrEnum):
    """What the end of the clock does (C31)."""

    CHECK_FOLD = "CHECK_FOLD"  # Check if free, else fold.
    CHECK_FOLD_SIT_OUT = "CHECK_FOLD_SIT_OUT"  # The same, and the player sits out.
    FREEZE_IF_BET = "FREEZE_IF_BET"  # Frozen like all-in who has bet in the hand, folded who has not.


class TimeoutFree(StrEnum):
    """The clock ends where a check is free (C32)."""

    CHECK = "CHECK"  # Check.
    POLICY = "POLICY"  # As the timeout says.
    FOLD = "FOLD"  # Fold.


class TimeoutBringIn(StrEnum):
    """The clock ends at the bring-in (C33)."""

    POST = "POST"  # The bring-in is posted.
    FOLD_PASS_ON = "FOLD_PASS_ON"  # Folded, the duty goes on as when it is declined.
    FOLD_PASS_LEFT = "FOLD_PASS_LEFT"  # Folded, the duty goes to the left.


class ProtectScope(StrEnum):
    """Since when a wager protects from folding by the clock (C34)."""

    HAND = "HAND"  # Since the hand began.
    STREET = "STREET"  # Since the street began.


class AfterProtect(StrEnum):
    """What follows a protected hand."""

    SIT_OUT = "SIT_OUT"  # The player sits out from the next hand.
    STAY = "STAY"  # The player stays in.


class OnDisconnect(StrEnum):
    """The player to act loses the connection (rule 149)."""

    CLOCK_THEN_SIT_OUT = "CLOCK_THEN_SIT_OUT"  # The clock runs on.
    SIT_OUT_NOW = "SIT_OUT_NOW"  # The decision is taken at once.
    EXTRA_TIME = "EXTRA_TIME"  # Extra seconds are added once.


class TimeBankRefill(StrEnum):
    """When the time bank is filled again (rule 139)."""

    NONE = "NONE"  # Never.
    HANDS = "HANDS"  # After a number of hands.
    FINAL_TABLE = "FINAL_TABLE"  # At the final table.


class TimeBankActivation(StrEnum):
    """How the time bank starts (C37)."""

    AUTO = "AUTO"  # By itself when the decision time ends.
    MANUAL = "MANUAL"  # When the player asks for it.


class BankWhenDisconnected(StrEnum):
    """The time bank of a disconnected player (rule 140)."""

    USE = "USE"  # It runs.
    KEEP = "KEEP"  # It is kept.


class SitOutPays(StrEnum):
    """What a player who sits out pays."""

    ANTE = "ANTE"  # The ante.
    ANTE_AND_BRING_IN = "ANTE_AND_BRING_IN"  # The ante and, with the low card, the bring-in.
    NOTHING = "NOTHING"  # Nothing, and gets no cards.


class AbsentBringIn(StrEnum):
    """An absent player has the low card (C36)."""

    FOLD_PASS_ON = "FOLD_PASS_ON"  # Folded, the duty goes on as when it is declined.
    POST_THEN_FOLD = "POST_THEN_FOLD"  # The bring-in is posted and the hand is killed.


class ReturnWhen(StrEnum):
    """When a player who is back plays again (C35)."""

    AT_ONCE = "AT_ONCE"  # At once, inside the hand.
    NEXT_HAND = "NEXT_HAND"  # With the next hand.


class NoShow(StrEnum):
    """A registered player is not connected at the start (rule 148)."""

    SIT_OUT = "SIT_OUT"  # Seated, sitting out.
    REMOVE = "REMOVE"  # Not seated.
