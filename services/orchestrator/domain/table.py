"""A table as its facts have made it: its seats, its rules, its hand."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from datetime import datetime

from services.orchestrator.domain.dealing import Script, SeatKey
from services.orchestrator.domain.hand import Hand, HandSeat
from services.orchestrator.domain.table_facts import EntropyAdded, EntropyAsked, Presence
from shared.kernel.game import Mode
from shared.kernel.rules import RuleSet, SitOutPays, Stakes


@dataclass(frozen=True, slots=True, kw_only=True)
class TableSeat:
    """An occupied seat."""

    seat: int
    player_id: str
    seated_version: int
    """Number of the event that seated the player."""
    stack_chips: int
    """Between hands; in a hand its own seat counts."""
    presence: Presence
    absent_since: datetime | None
    """Since when the player sits out (rule 150)."""
    auto_ante: bool
    time_bank_seconds: int
    protections_used: int
    disconnected: bool = False
    """The connection is lost, as far as anybody said."""
    public_key: bytes = b""
    """X25519 key that the next hand seals the seat's down cards to; empty: they are not sealed."""

    @property
    def sitting_out(self) -> bool:
        """Away, by choice, by the clock or for want of a connection."""
        return self.presence.away


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """The table is paused."""

    cause: str
    clocks_too: bool
    remaining_millis: int
    by_director: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class EntropyCall:
    """What the players were asked for before the next hand, and what came."""

    asked: EntropyAsked
    seat_keys: tuple[SeatKey, ...] = ()
    """As the dealer was told them: a key that is registered later holds from the hand after it."""
    added: tuple[EntropyAdded, ...] = ()
    closed: bool = False
    """The dealer may have fixed the deck: whatever becomes of the clock, nothing more is added."""

    @property
    def missing(self) -> bool:
        """Whether a seat that was asked may still add some, as long as there is time."""
        return not self.closed and len(self.added) < len(self.asked.asked_seats)


@dataclass(frozen=True, slots=True, kw_only=True)
class BareTable:
    """A table without its hand: what is kept of it when a hand begins, so that no restart reads a whole log."""

    table_id: str
    version: int
    """Number of its last event."""
    name: str
    mode: Mode
    tournament_id: str
    stakes: Stakes
    rules: RuleSet
    level: int
    decision_seconds: int
    hands_max: int
    scripted: bool
    scripted_hands: tuple[Script, ...]
    seats: tuple[TableSeat, ...] = ()
    """Occupied seats, by number."""
    hand_number: int = 0
    turn_id: int = 0
    """Id of the last turn."""
    pause: Pause | None = None
    waiting_for: str = ""
    """The service it waits for."""
    break_until: datetime | None = None
    closed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Table(BareTable):
    """One table."""

    hand: Hand | None = None
    """The hand in play, or the last one."""
    entropy: EntropyCall | None = None
    """The deck of the next hand waits for entropy."""

    @property
    def in_hand(self) -> bool:
        """A hand is being played."""
        return self.hand is not None and self.hand.in_play

    @property
    def stopped(self) -> bool:
        """Even the hand in progress stands still."""
        return self.pause is not None and self.pause.clocks_too

    @property
    def turn_seconds(self) -> int:
        """Seconds for a decision."""
        return self.decision_seconds or self.rules.clock.decision_seconds

    def seat_of(self, player_id: str) -> TableSeat | None:
        """Where a player sits."""
        return next((seat for seat in self.seats if seat.player_id == player_id), None)

    def seat(self, number: int) -> TableSeat | None:
        """Who sits there."""
        return next((seat for seat in self.seats if seat.seat == number), None)

    def playing_seat(self, player_id: str) -> HandSeat | None:
        """The player's seat in the hand in progress."""
        if self.hand is None or not self.hand.in_play:
            return None
        return next((seat for seat in self.hand.seats if seat.player_id == player_id), None)

    @property
    def ready_seats(self) -> tuple[TableSeat, ...]:
        """Seats that the next hand deals in."""
        return tuple(seat for seat in self.seats if ready_to_play(self, seat))

    @property
    def unbooked(self) -> bool:
        """A hand was started that the ledger has not booked yet."""
        return self.hand is not None and not self.hand.booked

    @property
    def unproved(self) -> bool:
        """The openings of the last hand are not published yet: a closed table would never publish them."""
        return self.hand is not None and not self.hand.proved

    @property
    def busy(self) -> bool:
        """A hand is not over for everybody yet, or the deck of the next one is being prepared."""
        return self.unbooked or self.entropy is not None

    def dealt_in(self, player_id: str) -> bool:
        """The player is in a hand that is not booked, or in the one whose deck is being prepared."""
        if self.unbooked and self.hand is not None and self.hand.has(player_id):
            return True
        seat = self.seat_of(player_id)
        return self.entropy is not None and seat is not None and seat.seat in self.entropy.asked.seats


def keys_of(seats: Iterable[TableSeat]) -> tuple[SeatKey, ...]:
    """The keys of those of these seats that have one."""
    return tuple(SeatKey(seat=each.seat, public_key=each.public_key) for each in seats if each.public_key)


def bare(table: Table) -> BareTable:
    """The table without its hand."""
    return BareTable(**{each.name: getattr(table, each.name) for each in fields(BareTable)})


def unbared(kept: BareTable) -> Table:
    """The table again, its last hand forgotten."""
    return Table(**{each.name: getattr(kept, each.name) for each in fields(BareTable)})


def ready_to_play(table: Table, seat: TableSeat) -> bool:
    """Whether the next hand deals this seat in (rules 19, 20, 143, 150)."""
    if seat.stack_chips <= 0:
        return False
    if table.mode is Mode.TOURNAMENT:
        return not seat.sitting_out or table.rules.clock.sit_out_pays is not SitOutPays.NOTHING
    return seat.presence is Presence.PLAYING and seat.auto_ante
