"""What a player may do when to act, as the contract says it: exact amounts, so that nobody here needs the rules."""

from dataclasses import dataclass
from enum import StrEnum


class ActionKind(StrEnum):
    """What a player may do when to act (rules 29, 43-70)."""

    FOLD = "FOLD"
    CHECK = "CHECK"
    CALL = "CALL"
    BRING_IN = "BRING_IN"
    COMPLETE = "COMPLETE"
    BET = "BET"
    RAISE = "RAISE"


WAGERS = (ActionKind.RAISE, ActionKind.BET, ActionKind.COMPLETE)
"""The actions that put in more than is owed."""


class ActionCause(StrEnum):
    """Why an action was taken."""

    PLAYER = "PLAYER"
    CLOCK = "CLOCK"
    ABSENT = "ABSENT"
    DISCONNECTED = "DISCONNECTED"


@dataclass(frozen=True, slots=True)
class LegalAction:
    """One thing that the player to act may do (rule 70)."""

    kind: ActionKind
    pay_chips: int = 0
    """For CALL and BRING_IN: what it takes from the stack."""
    to_chips_choices: tuple[int, ...] = ()
    """For wagers in limit: the allowed street totals."""
    to_chips_min: int = 0
    """For wagers in pot limit and no limit: the least street total."""
    to_chips_max: int = 0
    """For wagers in pot limit and no limit: the largest street total."""


@dataclass(frozen=True, slots=True)
class LegalActions:
    """All that the seat to act may do; never empty."""

    seat: int
    actions: tuple[LegalAction, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """Whose turn it is."""

    turn_id: int
    seat: int
    player_id: str
    legal: LegalActions
