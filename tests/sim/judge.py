"""Looks at every durable write of every node and at all that clients are told; the first thing wrong ends a world."""

import hashlib
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sevenstud.common.v1.rules_pb2 import TournamentRules

from services.orchestrator.adapters.betting_client import BettingClient
from services.orchestrator.adapters.stored_tables import recorded_event
from services.orchestrator.application.actor import TableActor
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.hand_facts import HandBooked, HandEnded, HandStarted, TurnStarted
from services.orchestrator.domain.table_facts import EntropyAsked
from shared.storage.database import Statement
from shared.storage.event_log import StoredEvent
from tests.sim.cards import DealersCards, cards_in, twice
from tests.sim.event_truth import EventTruth
from tests.sim.ledger_truth import LedgerTruth
from tests.sim.loop import VirtualLoop
from tests.sim.nodes import DEALER, LEDGER, ORCHESTRATOR, Node
from tests.sim.table_truth import TableTruth

_EVENT: Final = "INTO events "
_EVENT_COLUMNS: Final = 5
_TABLE: Final = "table/"
_BEAT: Final = "INSERT INTO replicas "
"""Of a replica: what is committed together with it is told only after it."""
TRACE_LINES: Final = 40


@dataclass(slots=True)
class Judge:
    """Everything that must hold, and the hash of all that happened."""

    loop: VirtualLoop
    nodes: dict[str, Node]
    broken: Callable[[str], None]
    """Told what is wrong."""
    purchases: bool
    """Chips may be bought between the hands of a tournament."""
    event_rules: TournamentRules
    tables: dict[str, TableTruth] = field(default_factory=dict[str, TableTruth])
    events: int = 0
    """Durable writes so far."""
    turned: Callable[[str], None] = lambda _: None
    """Told whose turn it is: as a push message would."""
    trace: deque[str] = field(default_factory=lambda: deque[str](maxlen=TRACE_LINES))
    _hash: Any = field(default_factory=hashlib.sha256)
    _seen: dict[tuple[str, str, int], bytes] = field(default_factory=dict[tuple[str, str, int], bytes])
    ledger: LedgerTruth = field(init=False)
    dealer: DealersCards = field(init=False)
    event: EventTruth = field(init=False)

    def __post_init__(self) -> None:
        ledger, dealer = self.nodes[LEDGER].disk, self.nodes[DEALER].disk
        assert ledger is not None
        assert dealer is not None
        self.ledger, self.dealer = LedgerTruth(ledger), DealersCards(dealer)
        self.event = EventTruth(self.event_rules, self.ledger)

    def tell(self, line: str) -> None:
        """One more line of the trace, and of the hash."""
        line = f"{self.loop.time():10.4f} {line}"
        self.trace.append(line)
        self._hash.update(line.encode())

    @property
    def journal_hash(self) -> str:
        """The hash of all that happened."""
        return str(self._hash.hexdigest())

    # --- what the nodes write ---------------------------------------------------------------

    def committed(self, node: str, statements: Sequence[Statement]) -> None:
        """A write took effect."""
        self.events += 1
        kind = self.nodes[node].kind
        for statement in statements:
            self._hash.update(repr((node, statement.sql[:24], statement.params)).encode())
        try:
            if kind == LEDGER:
                self.ledger.add(statements)
                self.tell(f"ledger writes {self._kinds(statements, 'INSERT INTO ledger_journal ')}")
                self._books_agree()
            elif kind == ORCHESTRATOR and not statements[0].sql.startswith(_BEAT):  # others come with it
                self._appended(statements)
                self._books_agree()
        except AssertionError as wrong:
            self.broken(str(wrong))
        except Exception as fault:  # noqa: BLE001  # one that went up would leave the write without an answer
            self.broken(f"the judge cannot read what {node} wrote: {type(fault).__name__}: {fault}")

    @staticmethod
    def _kinds(statements: Sequence[Statement], begins: str) -> str:
        return ", ".join(str(each.params[2]) for each in statements if each.sql.startswith(begins)) or "nothing of note"

    def _appended(self, statements: Sequence[Statement]) -> None:
        found: dict[str, list[StoredEvent]] = {}
        for statement in statements:
            if _EVENT in statement.sql[:40]:
                for first in range(0, len(statement.params), _EVENT_COLUMNS):
                    stream, version, kind, payload, at = statement.params[first : first + _EVENT_COLUMNS]
                    event = StoredEvent(str(stream), int(str(version)), str(kind), _bytes(payload), int(str(at)))
                    found.setdefault(event.stream, []).append(event)
        for stream, events in found.items():
            kinds = ", ".join(event.kind for event in events)
            self.tell(f"{stream} {events[0].version}: {kinds}")
            if stream.startswith(_TABLE):
                self._table(stream.removeprefix(_TABLE), events)

    def _table(self, table_id: str, events: Sequence[StoredEvent]) -> None:
        alone = sum(node.kind == ORCHESTRATOR for node in self.nodes.values()) == 1
        truth = self.tables.setdefault(table_id, TableTruth(table_id, alone=alone))
        recorded = tuple(recorded_event(table_id, event) for event in events)
        self._log_equals_state(truth)
        truth.add(recorded)
        self._betting(truth)
        self._cards(truth)
        for each in recorded:
            self._told(truth, each)
            if not truth.cash:
                self._played(truth, each)

    def _log_equals_state(self, truth: TableTruth) -> None:
        """What an orchestrator holds in memory is what its log says; of several one may be behind."""
        orchestrators = [node.orchestrator for node in self.nodes.values() if node.kind == ORCHESTRATOR]
        for orchestrator in orchestrators:
            actor = orchestrator.tables.at_hand(truth.table_id) if orchestrator is not None else None
            if actor is not None and actor._table is not None:
                self._actor_equals(actor, truth, alone=len(orchestrators) == 1)

    def _actor_equals(self, actor: TableActor, truth: TableTruth, *, alone: bool) -> None:
        if alone or (truth.table is not None and actor.table.version == truth.table.version):
            assert actor.table == truth.table, f"{truth.table_id}: the state is not what the log says"
            known = [card for cards in actor.down_cards.values() if isinstance(cards, tuple) for card in cards]
            hand = actor.table.hand
            if hand is not None and known:
                shown = [card for seat in hand.seats for card in seat.up_cards]
                assert not twice([*known, *shown]), "a card was dealt twice"
                dealt = {card for cards in self.dealer.of(hand.hand_id).own.values() for card in cards}
                assert set(known) <= dealt, "the table has other down cards than the dealer"

    def _betting(self, truth: TableTruth) -> None:
        disk = self.nodes[ORCHESTRATOR].disk
        assert disk is not None
        rows = disk.read("SELECT betting FROM tables WHERE table_id = ?", (truth.table_id,))
        content = _bytes(rows[0][0])
        truth.check_betting(BettingClient.recall(_NO_CLIENT, content) if content else None)

    def _cards(self, truth: TableTruth) -> None:
        """Every card that lies open is the dealer's, and lies once."""
        hand = truth.table.hand if truth.table is not None else None
        if hand is None or hand.street is None:
            return
        common = [] if hand.common_card is None else [hand.common_card]
        shown = [card for seat in hand.seats for card in seat.up_cards] + common
        assert not twice(shown), "a card lies twice"
        dealt = self.dealer.of(hand.hand_id)
        assert {int(card) for card in shown} <= dealt.public, "cards lie open that the dealer did not deal"
        for seat in hand.seats:
            assert {int(card) for card in seat.shown_cards} <= set(dealt.own.get(seat.seat, ())), "foreign cards shown"

    def _told(self, truth: TableTruth, recorded: Recorded) -> None:
        match recorded.fact:
            case TurnStarted(player_id=player_id):
                self.turned(player_id)
            case EntropyAsked():
                assert truth.table is not None
                for seat in truth.table.seats:
                    self.turned(seat.player_id)
            case HandStarted(entropy=given, deck_root=root) if root:
                bound = {each.seat: each.entropy for each in self.dealer.record(recorded.hand_id).entropy}
                assert bound == {each.seat: each.entropy for each in given}, "the deck is bound to other entropy"
            case HandBooked():
                self._booked(truth, recorded.hand_id)
            case _:
                pass

    def _booked(self, truth: TableTruth, hand_id: str) -> None:
        """A table heard that its hand is at the ledger."""
        assert truth.table is not None
        for seat in truth.table.seats:
            self.turned(seat.player_id)
        if self._ended_meanwhile(truth.table.tournament_id, hand_id):
            return  # a hand that was running counts for nothing
        assert self.ledger.hands[hand_id] == 1, f"{hand_id} is not at the ledger"
        if not self.ledger.round_is_over(hand_id):
            self.ledger.agree(truth.table, self._busy(truth.table_id), purchases=self.purchases)

    def _ended_meanwhile(self, tournament_id: str, hand_id: str) -> bool:
        """The tournament was called off during the hand, or at another table all seats were won (rule 202)."""
        won = self.event_rules.satellite_seat_minor > 0 and not self.ledger.hands[hand_id]
        return self.ledger.state_of(tournament_id) in ({"CANCELLED", "FINISHED"} if won else {"CANCELLED"})

    def _played(self, truth: TableTruth, recorded: Recorded) -> None:
        """A hand of a tournament begins, or is over."""
        assert truth.table is not None
        match recorded.fact:
            case HandStarted() if not self.ledger.cancelled(truth.table.tournament_id):
                self.event.starts(truth.table, recorded.fact)
            case HandEnded(results=results):
                seats = truth.seat_of[recorded.hand_id]
                self.event.ends(results, {seat: player for player, seat in seats.items()})
            case _:
                pass

    def _books_agree(self) -> None:
        """Between the hands of a cash table its players have at the ledger what they have at the table, at any time."""
        for truth in self.tables.values():
            if truth.table is not None and truth.cash and not truth.table.unbooked:
                self.ledger.agree_at_any_time(truth.table, self._busy(truth.table_id))

    def _busy(self, table_id: str) -> frozenset[str]:
        """Players with a purchase on its way."""
        disk = self.nodes[ORCHESTRATOR].disk
        assert disk is not None
        rows = disk.read("SELECT player_id FROM purchases WHERE table_id = ?", (table_id,))
        return frozenset(str(player) for (player,) in rows)

    # --- what clients are told --------------------------------------------------------------

    def seen(self, viewer: str, table_id: str, message: Any) -> None:
        """A view or an event sent to somebody: no card in it that is not theirs, nothing that is not durable."""
        try:
            truth = self.tables[table_id]
            assert truth.table is not None
            assert message.version <= truth.table.version, f"{viewer} was told of an event that is not durable"
            hand_id = message.hand_id
            if hand_id:
                self._may_see(viewer, truth, hand_id, cards_in(message))
        except AssertionError as wrong:
            self.broken(str(wrong))

    def _may_see(self, viewer: str, truth: TableTruth, hand_id: str, cards: set[int]) -> None:
        dealt = self.dealer.of(hand_id)
        own = dealt.own.get(truth.seat_of.get(hand_id, {}).get(viewer, 0), ())
        foreign = cards - dealt.public - set(own) - truth.shown.get(hand_id, set())
        assert not foreign, f"{viewer or 'an observer'} was sent a card of somebody else in {hand_id}"

    def same_again(self, viewer: str, table_id: str, event: Any) -> None:
        """An event is the same whenever it is sent to the same viewer."""
        content = event.SerializeToString(deterministic=True)
        if self._seen.setdefault((viewer, table_id, event.version), content) != content:
            self.broken(f"event {event.version} of {table_id} was not the same the second time")


class _Nobody(BettingClient):
    def __init__(self) -> None:
        """Calls nobody."""


_NO_CLIENT: Final = _Nobody()


def _bytes(value: object) -> bytes:
    assert isinstance(value, bytes)
    return value
