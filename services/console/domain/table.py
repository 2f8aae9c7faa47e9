"""A table as one viewer may see it; names as in the contract."""

from dataclasses import dataclass
from enum import StrEnum

from services.console.domain.betting import Turn
from shared.kernel.cards import Card
from shared.kernel.game import Street
from shared.kernel.rules.hand import Stakes


class TableState(StrEnum):
    """Where a table stands."""

    WAITING = "WAITING"
    PLAYING = "PLAYING"
    PAUSED = "PAUSED"
    STALLED = "STALLED"
    CLOSED = "CLOSED"


class Presence(StrEnum):
    """Where a player at a table stands."""

    PLAYING = "PLAYING"
    SITTING_OUT = "SITTING_OUT"
    TIMED_OUT = "TIMED_OUT"
    LEAVING = "LEAVING"
    DISCONNECTED = "DISCONNECTED"


@dataclass(frozen=True, slots=True)
class SeatView:
    """A seat as the viewer may see it; chips in the smallest unit."""

    seat: int
    player_id: str
    stack_chips: int
    street_chips: int = 0
    """Put in on this street, ante not."""
    presence: Presence | None = None
    in_hand: bool = False
    folded: bool = False
    all_in: bool = False
    frozen: bool = False
    down_cards: tuple[Card, ...] = ()
    """A face-down card for each one that the viewer may not see."""
    up_cards: tuple[Card, ...] = ()

    @property
    def live(self) -> bool:
        """Still in the hand."""
        return self.in_hand and not self.folded


@dataclass(frozen=True, slots=True)
class TableView:
    """A table as the viewer may see it."""

    table_id: str
    name: str
    tournament_id: str
    version: int
    """Number of its last event."""
    state: TableState | None
    waiting_for: str
    stakes: Stakes | None
    seats: tuple[SeatView, ...]
    """Occupied seats, by number."""
    hand_id: str
    hand_number: int
    street: Street | None
    pot_total_chips: int
    common_card: Card | None
    turn: Turn | None
    level: int
    """Level of the tournament, from 1; 0 for a cash table."""

    def seat(self, number: int) -> SeatView | None:
        """The seat of this number, if somebody sits there."""
        return next((seat for seat in self.seats if seat.seat == number), None)

    def seat_of(self, player_id: str) -> SeatView | None:
        """Where a player sits, if here."""
        return next((seat for seat in self.seats if seat.player_id == player_id), None)

    @property
    def chips_total(self) -> int:
        """Every chip at the table: stacks and pots."""
        return self.pot_total_chips + sum(seat.stack_chips for seat in self.seats)
