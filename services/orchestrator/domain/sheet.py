"""What passes between a table and whoever rules between its hands: the sheet before a hand, the booking after it."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from services.orchestrator.domain.booking import FeatShown, HandResult, LedgerState, Placement
from services.orchestrator.domain.table_facts import Presence
from shared.kernel.game import Street
from shared.kernel.rules import Stakes


class SheetState(StrEnum):
    """May the table deal?"""

    GO_ON = "GO_ON"  # Deal a hand to every seat of the sheet with chips.
    WAIT = "WAIT"  # Ask again when `wait` says so, or when poked.
    TABLE_OVER = "TABLE_OVER"  # Close the table: it is broken, or the event is over.


class WaitReason(StrEnum):
    """Why a table may not deal yet."""

    PLAYERS = "PLAYERS"  # Fewer than two players with chips.
    DECIDING = "DECIDING"  # A busted player may still buy (rule 163).
    BREAK = "BREAK"  # The break of all tables (rule 151), or the wait for the last hand before it.
    PAUSED = "PAUSED"  # The operator paused the tournament.
    BALANCING = "BALANCING"  # Too short a table, a table being broken, or the final table (rules 188-192).
    ROUND = "ROUND"  # The match is over: the next round begins when all are (rule 205).
    HAND_FOR_HAND = "HAND_FOR_HAND"  # All tables play one hand at a time (rule 185).


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Why a table waits, and until when; None: until it is poked."""

    reason: WaitReason
    until: datetime | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetSeat:
    """A seat of the sheet. A seat with no chips belongs to a player in a decision window: kept, not dealt in."""

    seat: int
    player_id: str
    stack_chips: int
    reserve_chips: int = 0
    decides_until: datetime | None = None
    time_bank_seconds: int | None = None
    """For a player who comes from another table: the bank he brings (rule 191); None: as the table knows it."""
    sitting_out: bool = False
    """For a player who comes from another table: he sat out there."""
    presence: Presence | None = None
    """For a player who comes from another table, and why he sat out; None: not known."""
    disconnected: bool = False
    """For a player who comes from another table: his connection is lost."""
    protections_used: int | None = None
    """For a player who comes from another table: protected hands used so far (C48); None: as the table knows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """What a table's next hand starts from.

    On a sheet that has seats, whoever sits at the table and is not on it has left: placed or moved; whoever is new on
    it has sat down. A sheet without seats says nothing about them. At a cash table the table itself judges whether
    enough of the seats are there to play.
    """

    state: SheetState
    seats: tuple[SheetSeat, ...] = ()
    stakes: Stakes | None = None
    """None at a cash table (its own stakes hold), and where the table may not deal."""
    level: int = 0
    """Counted from 1; 0 for a cash table."""
    last_two_of_event: bool = False
    """Two players are left in the whole event (rule 51)."""
    decision_seconds: int = 0
    """Seconds for a decision in this level; 0 = as the clock rules say (rule 128)."""
    wait: Wait | None = None
    """Set where the state is WAIT."""
    placements: tuple[Placement, ...] = ()
    """Places given to players who sat here last, those that the table knows of included."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayerCarry:
    """What a player takes along to another table (rule 191)."""

    player_id: str
    time_bank_seconds: int
    sitting_out: bool
    presence: Presence | None = None
    """None in logs of older versions."""
    disconnected: bool = False
    protections_used: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class HandBooking:
    """A hand that is over, as the table reports it."""

    hand_id: str
    hand_number: int
    results: tuple[HandResult, ...]
    """All players dealt in."""
    rake_chips: int = 0
    street_reached: Street | None = None
    """None for a hand voided before third street."""
    feats: tuple[FeatShown, ...] = ()
    voided: bool = False
    deck_root: bytes = b""
    """What bound the deck before its first card."""
    carries: tuple[PlayerCarry, ...] = ()
    """For a tournament table: all players at the table, time banks and absences as they are now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandBooked:
    """The answer: the hand is in the book."""

    placements: tuple[Placement, ...] = ()
    """Places given by this hand; also of players at other tables where hands count as one (rule 185)."""
    deciding_player_ids: tuple[str, ...] = ()
    """Players who lost their chips and may still buy (rule 163)."""
    state: LedgerState | None = None
    """Where the tournament stands; None for a cash table."""
    players_left: int = 0
