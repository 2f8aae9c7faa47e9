"""What the betting service answers. The state itself stays its own: bytes to keep and give back, and a few readings."""

from dataclasses import dataclass, field
from enum import StrEnum

from shared.kernel.game import Street
from shared.kernel.rules import ClockRules, HandRules, Stakes


class ActionKind(StrEnum):
    """What a player may do when to act (rules 29, 43-70)."""

    FOLD = "FOLD"
    CHECK = "CHECK"
    CALL = "CALL"
    BRING_IN = "BRING_IN"
    COMPLETE = "COMPLETE"
    BET = "BET"
    RAISE = "RAISE"


class ActionCause(StrEnum):
    """Why an action was taken."""

    PLAYER = "PLAYER"  # The player, or the back end acting for the player.
    CLOCK = "CLOCK"  # The clock ended.
    ABSENT = "ABSENT"  # The player sits out or never came.
    DISCONNECTED = "DISCONNECTED"  # The connection was lost and the rules act at once.


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalAction:
    """One thing that the seat to act may do, with exact amounts (rule 70)."""

    kind: ActionKind
    pay_chips: int = 0
    to_chips_choices: tuple[int, ...] = ()
    to_chips_min: int = 0
    to_chips_max: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class LegalActions:
    """Whose turn it is and all that this seat may do."""

    seat: int
    actions: tuple[LegalAction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pot:
    """A pot and who can win it (rule 99); index 0 is the main pot."""

    index: int
    chips: int
    eligible_seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PotShare:
    """What one seat gets from one pot."""

    seat: int
    chips: int
    odd_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PotAward:
    """How one pot was paid (rules 102, 123-127, 196)."""

    pot_index: int
    chips: int
    rake_chips: int
    shares: tuple[PotShare, ...]
    uncontested: bool


class SeatStatus(StrEnum):
    """Where a seat stands in the hand."""

    ACTIVE = "ACTIVE"  # Live, with chips behind.
    FOLDED = "FOLDED"  # Out of the hand.
    ALL_IN = "ALL_IN"  # Live, no chips behind.
    FROZEN = "FROZEN"  # Live and treated like all-in, chips kept behind (rule 105).


class BettingPhase(StrEnum):
    """Where the betting of a hand stands."""

    BETWEEN_STREETS = "BETWEEN_STREETS"
    BRING_IN = "BRING_IN"
    ROUND = "ROUND"
    SHOWDOWN = "SHOWDOWN"
    UNCONTESTED = "UNCONTESTED"
    SETTLED = "SETTLED"


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatBetting:
    """One seat of a hand, as far as the orchestrator reads it."""

    seat: int
    stack_chips: int
    street_chips: int
    hand_chips: int
    status: SeatStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class BettingState:
    """The betting of one hand: kept, given back unchanged, and read no further than these fields."""

    seats: tuple[SeatBetting, ...]
    """In dealing order."""
    street: Street | None
    """None before third street."""
    phase: BettingPhase
    turn_seat: int
    """0 = nobody is to act."""
    last_aggressor_seat: int
    first_to_act_seat: int
    opaque: bytes = field(default=b"", metadata={"mirror": False})
    """The whole state as the betting service wrote it; this is what is stored."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AntePosted:
    """An ante was paid."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatFrozen:
    """A seat was frozen by the clock (rules 105, 132)."""

    seat: int
    cause: ActionCause


@dataclass(frozen=True, slots=True, kw_only=True)
class UncalledBetReturned:
    """Chips that nobody matched went back (rule 101)."""

    seat: int
    chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreetClosed:
    """The betting of a street is over."""

    street: Street | None
    pots: tuple[Pot, ...]


BettingFact = AntePosted | ActionTaken | SeatFrozen | UncalledBetReturned | StreetClosed


class NextStep(StrEnum):
    """What the hand needs next."""

    ACT = "ACT"  # Ask the seat to act.
    DEAL_STREET = "DEAL_STREET"  # Deal the next street, order the boards and open it.
    SHOWDOWN = "SHOWDOWN"  # Compare the hands and settle.
    UNCONTESTED = "UNCONTESTED"  # Settle without showing.
    END = "END"  # The hand is paid.


@dataclass(frozen=True, slots=True, kw_only=True)
class BettingOutcome:
    """The answer of every betting step."""

    state: BettingState
    facts: tuple[BettingFact, ...]
    next: NextStep
    turn: LegalActions | None
    pots: tuple[Pot, ...]
    pot_total_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatStack:
    """A seat with its chips at the start of a hand."""

    seat: int
    stack_chips: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandToBet:
    """A hand whose betting is to be opened: antes are taken (rules 16-22)."""

    rules: HandRules
    stakes: Stakes
    seats: tuple[SeatStack, ...]
    """In dealing order."""
    last_two_of_event: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Expiry:
    """A clock that ended, or a player who is away, to be answered by the clock rules (rules 130-137, 144-145)."""

    seat: int
    cause: ActionCause
    clock_rules: ClockRules
    protections_used: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Expired:
    """What was done for a seat whose clock ended."""

    outcome: BettingOutcome
    sits_out: bool
    protected: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class PotResult:
    """Winners of one pot in the order in which odd chips are given."""

    pot_index: int
    winner_seats: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """The pots paid to the last odd chip."""

    outcome: BettingOutcome
    awards: tuple[PotAward, ...]
    rake_chips: int
