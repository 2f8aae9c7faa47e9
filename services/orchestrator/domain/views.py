"""A table as a viewer may see it: what leaves the service. Made in ``visibility.py`` alone."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from services.orchestrator.domain.table_facts import EntropyAsked, Presence
from services.orchestrator.domain.wagering import LegalActions, Pot
from shared.kernel.cards import Card
from shared.kernel.game import Mode, Street, Structure
from shared.kernel.rules import RuleSet, Stakes


class TableState(StrEnum):
    """Where a table stands."""

    WAITING = "WAITING"  # Open, no hand can start.
    PLAYING = "PLAYING"  # A hand is being played.
    PAUSED = "PAUSED"  # No new hand starts.
    STALLED = "STALLED"  # Waiting for another service.
    CLOSED = "CLOSED"  # For ever.


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatView:
    """A seat."""

    seat: int
    player_id: str
    stack_chips: int
    street_chips: int
    hand_chips: int
    presence: Presence
    in_hand: bool
    folded: bool
    all_in: bool
    frozen: bool
    down_cards: tuple[Card, ...]
    """Face down where they are not the viewer's."""
    up_cards: tuple[Card, ...]
    time_bank_seconds: int
    auto_ante: bool
    disconnected: bool
    sealed: bool
    """A key is registered for the next hand."""
    sealed_down_cards: tuple[bytes, ...]
    """For the seat's owner alone, street by street, where the hand was dealt sealed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """Whose turn it is."""

    turn_id: int
    seat: int
    player_id: str
    deadline: datetime | None
    """None while the clock stands still."""
    legal: LegalActions
    in_time_bank: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TableView:
    """A table."""

    table_id: str
    name: str
    mode: Mode
    tournament_id: str
    version: int
    state: TableState
    waiting_for: str
    stakes: Stakes
    rules: RuleSet
    seats: tuple[SeatView, ...]
    hand_id: str
    hand_number: int
    street: Street | None
    pots: tuple[Pot, ...]
    pot_total_chips: int
    common_card: Card | None
    turn: Turn | None
    level: int
    scripted: bool
    entropy_asked: EntropyAsked | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSummary:
    """A line of the lobby."""

    table_id: str
    name: str
    mode: Mode
    structure: Structure
    stakes: Stakes
    state: TableState
    seats_taken: int
    seats_max: int
    tournament_id: str
    hand_number: int


@dataclass(frozen=True, slots=True, kw_only=True)
class HandSummary:
    """A line of the list of finished hands."""

    hand_id: str
    hand_number: int
    first_version: int
    last_version: int
    voided: bool
