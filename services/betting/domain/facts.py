"""What happened in a betting step, in order, for the log of the hand."""

from dataclasses import dataclass

from services.betting.domain.actions import ActionCause, ActionKind
from services.betting.domain.pots import Pot
from shared.kernel.frozen import maker
from shared.kernel.game import Street


@dataclass(frozen=True, slots=True, kw_only=True)
class AntePosted:
    """An ante was paid (rules 15, 18)."""

    seat: int
    chips: int
    all_in: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionTaken:
    """A seat acted."""

    seat: int
    kind: ActionKind
    paid_chips: int
    to_chips: int
    all_in: bool
    cause: ActionCause


action_taken = maker(ActionTaken)
"""Makes one quickly: every action does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFrozen:
    """A seat was frozen by the clock: live for what is in, chips kept behind (rules 105, 132)."""

    seat: int
    cause: ActionCause


@dataclass(frozen=True, slots=True, kw_only=True)
class UncalledBetReturned:
    """Chips that nobody matched went back (rules 21, 101)."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetClosed:
    """The betting of a street is over."""

    street: Street
    pots: tuple[Pot, ...]


Fact = AntePosted | ActionTaken | SeatFrozen | UncalledBetReturned | StreetClosed
Facts = tuple[Fact, ...]
