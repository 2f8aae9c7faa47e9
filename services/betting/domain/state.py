"""The betting of one hand as a frozen value; it mirrors the contract's BettingState field by field."""

from dataclasses import dataclass
from enum import StrEnum

from shared.kernel.game import Street
from shared.kernel.rules import HandRules, Stakes

SCHEMA_VERSION = 1
"""Version of the meaning of BettingState; raised when a field changes its meaning."""


class SeatStatus(StrEnum):
    """Where a seat stands in the hand."""

    ACTIVE = "ACTIVE"  # Live, with chips behind: able.
    FOLDED = "FOLDED"  # Out of the hand.
    ALL_IN = "ALL_IN"  # Live, no chips behind.
    FROZEN = "FROZEN"  # Live and treated like all-in, chips kept behind (rule 105).


ACTIVE, FOLDED, ALL_IN = SeatStatus.ACTIVE, SeatStatus.FOLDED, SeatStatus.ALL_IN
"""By names of the module: looking up a member of an enum costs as much as comparing it."""


class BettingPhase(StrEnum):
    """Where the betting of a hand stands."""

    BETWEEN_STREETS = "BETWEEN_STREETS"  # The next street is to be dealt and opened.
    BRING_IN = "BRING_IN"  # Third street, the bring-in is owed.
    ROUND = "ROUND"  # A betting round runs.
    SHOWDOWN = "SHOWDOWN"  # All betting is over; hands are compared.
    UNCONTESTED = "UNCONTESTED"  # One live seat is left.
    SETTLED = "SETTLED"  # The pots are paid.


TURN_PHASES = (BettingPhase.ROUND, BettingPhase.BRING_IN)
"""Phases in which a seat is to act; a tuple, since looking into a set hashes the member in Python."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatBetting:
    """One seat of a hand."""

    seat: int
    """Seat number, 1 to 8."""
    stack_chips: int
    """Chips behind: K."""
    street_chips: int = 0
    """Chips put in on this street, bring-in included, ante not: c."""
    hand_chips: int = 0
    """Chips put in during the hand, antes included: T. 0 once the pots are paid."""
    status: SeatStatus = SeatStatus.ACTIVE
    """Where the seat stands."""
    acted: bool = False
    """It has acted on this street."""
    acted_price_chips: int = 0
    """What the street cost when it last acted on it (rule 73)."""
    has_bet_in_hand: bool = False
    """It has paid a bring-in, call, bet or raise in this hand (rule 133)."""
    has_bet_on_street: bool = False
    """It has done so on this street."""
    start_chips: int
    """Chips at the start of the hand, before the ante."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BettingState:
    """All that the rules of wagering need to know of a hand in play; letters as in rule reference section 2."""

    schema_version: int = SCHEMA_VERSION
    rules: HandRules
    stakes: Stakes
    last_two_of_event: bool
    """Two players are left in the whole event (rule 51)."""
    seats: tuple[SeatBetting, ...]
    """The seats dealt in, in dealing order, which is clockwise."""
    street: Street | None = None
    """The street reached; None before third street."""
    phase: BettingPhase = BettingPhase.BETWEEN_STREETS
    turn_seat: int = 0
    """The seat to act; 0 = none."""
    price_chips: int = 0
    """What the street costs: B."""
    full_price_chips: int = 0
    """The last full wager level: F."""
    full_increment_chips: int = 0
    """Size of the largest full bet or raise increment of the street: q."""
    raises_made: int = 0
    """Full raises made on the street: r."""
    bring_in_uncompleted: bool = False
    """Third street was opened, for less than a full bet, and nobody has made it one."""
    bring_in_order: tuple[int, ...] = ()
    """Seats that may owe the bring-in, the next one first."""
    bring_in_seat: int = 0
    """The seat that paid the bring-in; 0 = none."""
    open_pair_seats: tuple[int, ...] = ()
    """Fourth street: seats that showed a pair when the street opened (rule 53)."""
    upper_limit_used: bool = False
    """Fourth street: somebody used the upper limit, later raises must (rule 56)."""
    cap_lifted: bool = False
    """The raise cap is lifted on this street (rule 51)."""
    last_aggressor_seat: int = 0
    """The seat that made the last bet or raise of the street; 0 = none (rule 107)."""
    first_to_act_seat: int = 0
    """The seat that was first to act on the street; 0 = none (rule 108)."""
    opening_order: tuple[int, ...] = ()
    """Seats in the order of opening the street, as the evaluator gave it."""
    full_bet_made: bool = False
    """A full bet or completion stands on the street."""
