"""What a caller may ask for, and the answers; each mirrors a request or response of the contract by field name."""

from dataclasses import dataclass

from services.betting.domain.actions import ActionCause, ActionKind
from services.betting.domain.outcome import BettingOutcome
from services.betting.domain.settlement import PotAward
from services.betting.domain.state import BettingState
from shared.kernel.game import Street
from shared.kernel.rules import ClockRules, HandRules, RakeRules, Stakes


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatStack:
    """A seat with its chips at the start of a hand."""

    seat: int
    stack_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenHand:
    """Take the antes and start a hand; seats in dealing order."""

    rules: HandRules
    stakes: Stakes
    seats: tuple[SeatStack, ...]
    last_two_of_event: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenStreet:
    """Open the betting of a street that was dealt."""

    state: BettingState
    street: Street
    opening_order: tuple[int, ...]
    """Live seats in the evaluator's order."""
    open_pair_seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Act:
    """Apply an action of the seat to act."""

    state: BettingState
    seat: int
    kind: ActionKind
    to_chips: int
    """For COMPLETE, BET and RAISE the street total, else 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Expire:
    """Act for a seat whose clock ended or whose player is away."""

    state: BettingState
    seat: int
    cause: ActionCause
    clock_rules: ClockRules
    protections_used: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PotResult:
    """Winners of one pot in the order in which odd chips are given."""

    pot_index: int
    winner_seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settle:
    """Pay the pots."""

    state: BettingState
    results: tuple[PotResult, ...]
    rake: RakeRules | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The outcome of a step."""

    outcome: BettingOutcome


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """What was done for the seat."""

    outcome: BettingOutcome
    sits_out: bool
    protected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The pots paid."""

    outcome: BettingOutcome
    awards: tuple[PotAward, ...]
    rake_chips: int
