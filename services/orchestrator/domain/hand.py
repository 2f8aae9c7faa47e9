"""A hand as its facts have made it: who is in, what lies open, whose turn it is."""

from dataclasses import dataclass
from datetime import datetime

from services.orchestrator.domain.hand_facts import SeatResult
from services.orchestrator.domain.ranking import HandCategory
from services.orchestrator.domain.wagering import LegalActions, Pot
from shared.kernel.cards import Card
from shared.kernel.game import Street
from shared.kernel.rules import HandRules, Stakes


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSeat:
    """A seat dealt into the hand."""

    seat: int
    player_id: str
    start_chips: int
    """Before the ante."""
    stack_chips: int
    street_chips: int = 0
    """Put in on this street, ante not."""
    hand_chips: int = 0
    """Put in during the hand, ante included."""
    folded: bool = False
    all_in: bool = False
    frozen: bool = False
    """Live for what is in, chips kept behind (rule 105)."""
    absent: bool = False
    """The server acts for the player at once (rules 131, 145)."""
    extra_time_used: bool = False
    """The extra seconds of a lost connection are given once a hand (rule 149)."""
    down_count: int = 0
    up_cards: tuple[Card, ...] = ()
    shown_cards: tuple[Card, ...] = ()
    shown_category: HandCategory | None = None
    """Kind of hand that was shown down; feats hang on it (rule 179)."""
    mucked: bool = False
    """Hid a hand that was compared at the showdown."""
    declined: bool = False
    """Won uncontested and said that nothing is shown: as if folded, nobody is ever given these cards (rule 113)."""

    @property
    def live(self) -> bool:
        """Still in the hand."""
        return not self.folded

    @property
    def able(self) -> bool:
        """Live, with chips behind that it may use."""
        return not (self.folded or self.all_in or self.frozen)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTurn:
    """A seat is to act."""

    turn_id: int
    seat: int
    player_id: str
    deadline: datetime
    legal: LegalActions
    bank_seconds: int = 0
    """Seconds of the time bank that are included in the deadline; 0 = the bank does not run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Showdown:
    """Hands are being shown."""

    show_order: tuple[int, ...]
    must_show_seats: tuple[int, ...]
    deadline: datetime | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hand:
    """One hand; the last one stays until the next begins."""

    hand_id: str
    hand_number: int
    first_version: int
    """Number of its first event."""
    seats: tuple[HandSeat, ...]
    """In dealing order."""
    stakes: Stakes
    rules: HandRules
    level: int
    scripted: bool
    deck_root: bytes = b""
    """What bound the deck before its first card; empty in hands of before it was kept here."""
    street: Street | None = None
    """The last street dealt."""
    common_card: Card | None = None
    turn: OpenTurn | None = None
    first_to_act_seat: int = 0
    last_aggressor_seat: int = 0
    """Who made the last wager of the street; 0 = nobody."""
    pots: tuple[Pot, ...] = ()
    exposed: bool = False
    """All live hands were turned up before the river (rule 111)."""
    showdown: Showdown | None = None
    results: tuple[SeatResult, ...] = ()
    rake_chips: int = 0
    ended_at: datetime | None = None
    """When it was paid out or voided; None while it is in play."""
    voided: bool = False
    booked: bool = False
    proved: bool = False
    """The dealer's openings are published."""

    @property
    def in_play(self) -> bool:
        """Neither ended nor voided."""
        return not self.results

    @property
    def live(self) -> tuple[HandSeat, ...]:
        """Seats still in the hand."""
        return tuple(seat for seat in self.seats if seat.live)

    @property
    def pot_total_chips(self) -> int:
        """Every chip in the middle."""
        return sum(seat.hand_chips for seat in self.seats) if self.in_play else 0

    def seat(self, number: int) -> HandSeat:
        """The seat of that number; KeyError where it was not dealt in."""
        for seat in self.seats:
            if seat.seat == number:
                return seat
        raise KeyError(number)

    def has(self, player_id: str) -> bool:
        """Whether the player was dealt in."""
        return any(seat.player_id == player_id for seat in self.seats)

    @property
    def undecided_seats(self) -> tuple[int, ...]:
        """Seats that may choose between showing and mucking and have not yet, in showing order."""
        if self.showdown is None:
            return ()
        return tuple(
            number
            for number in self.showdown.show_order
            if number not in self.showdown.must_show_seats and not self._decided(number)
        )

    def _decided(self, number: int) -> bool:
        seat = self.seat(number)
        return seat.mucked or bool(seat.shown_cards)


STREETS: tuple[Street, ...] = tuple(Street)


def next_street(street: Street | None) -> Street:
    """The street after this one; third street for none. IndexError after the river."""
    return STREETS[0 if street is None else STREETS.index(street) + 1]
