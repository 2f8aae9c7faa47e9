"""Faults put into the product on purpose, one at a time: the simulation must find each, or it proves nothing."""

import asyncio
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import count
from typing import Any, Final
from unittest.mock import patch

from services.dealer.domain.answers import street_dealt
from services.orchestrator.adapters.betting_client import BettingClient
from services.orchestrator.adapters.remote import request_id
from services.orchestrator.application import money_commands, once, purchases
from services.orchestrator.application import tables as orchestrator_tables
from services.orchestrator.application.actor import TableActor
from services.orchestrator.application.driver import Driver
from services.orchestrator.application.feeds import Happening
from services.orchestrator.application.tables import Tables
from services.orchestrator.domain import decisions, next_step, visibility
from services.orchestrator.domain.clocks import turn_ends
from services.orchestrator.domain.outcomes import ChipsAdrift
from services.orchestrator.domain.recording import stamp
from services.orchestrator.domain.table import Table
from services.tournament_ledger.adapters import statements
from services.tournament_ledger.application.bookkeeper import Bookkeeper
from shared.storage import event_log
from shared.storage.database import Statement
from shared.storage.requests import AnsweredRequests
from tests.sim.courses import play
from tests.sim.plans import plan_of
from tests.sim.store import SimStore
from tests.sim.world import Broken, live

Patch = Callable[[], AbstractContextManager[object]]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that a tired programmer might write."""

    name: str
    what: str
    put: Patch
    rare: bool = False
    """Found by one world in many: looked for by ``make sim-faults`` alone."""


def _instead(target: Any, name: str, new: Any) -> Patch:
    return lambda: patch.object(target, name, new)


@contextmanager
def _all(*patches: AbstractContextManager[object]) -> Generator[None]:
    with ExitStack() as stack:
        for each in patches:
            stack.enter_context(each)
        yield


# --- the log and its requests -----------------------------------------------------------------


def _forget_after_restart() -> AbstractContextManager[object]:
    """Ids are remembered in memory only: gone with the process, and the table says that it never heard of them."""
    answer, record = AnsweredRequests.answer, AnsweredRequests.record

    async def answered(self: Any, key: Any) -> bytes | None:
        return await answer(self, key) if key.request_id in _memory(self) else None

    def recorded(self: Any, key: Any, content: bytes, at: int) -> Statement:
        _memory(self).add(key.request_id)
        statement = record(self, key, content, at)
        return replace(statement, sql=statement.sql.replace("INSERT", "INSERT OR REPLACE", 1))

    return _all(patch.object(AnsweredRequests, "answer", answered), patch.object(AnsweredRequests, "record", recorded))


def _memory(requests: Any) -> set[str]:
    found: set[str] = requests.__dict__.setdefault("memory", set[str]())
    return found


def _answered_before_sync() -> AbstractContextManager[object]:
    """The store says that it is kept before it is (synchronous=OFF)."""
    made = SimStore.__init__

    def eager(self: SimStore, *args: Any, **named: Any) -> None:
        made(self, *args, **named)
        self.habits = replace(self.habits, answer_before_sync=True)

    return patch.object(SimStore, "__init__", eager)


def _told_before_written() -> AbstractContextManager[object]:
    """Watchers are told of events that are still on their way to the disk."""
    record = TableActor.record

    async def eager(self: TableActor, change: Any, answer: Any = None) -> None:
        before, at = self._table, self.world.clock.now()
        events = stamp(self.table_id, before, change.facts, at)
        hand = before.hand if before is not None else None
        self.feed.publish(tuple(Happening(event, hand if event.hand_id else None, {}) for event in events))
        await record(self, change, answer)

    return patch.object(TableActor, "record", eager)


def _any_version() -> AbstractContextManager[object]:
    """The log appends at the end, whatever version the appender saw, and commands hold no lock meanwhile."""

    def moved(stream: str, _: int, version: int) -> Statement:
        sql = "INSERT INTO event_streams (stream, version) VALUES (?, ?) ON CONFLICT (stream) DO UPDATE SET version = ?"
        return Statement(sql, (stream, version, version), label=event_log.APPEND_LABEL)

    insert = event_log._INSERT.replace("INSERT", "INSERT OR REPLACE", 1)
    return _all(
        patch.object(event_log, "_move_head", moved),
        patch.object(event_log, "_INSERT", insert),
        patch.object(once, "to_its_end", _without_lock),
    )


async def _without_lock(work: Any) -> Any:
    actor_ = work.cr_frame.f_locals.get("actor")
    if actor_ is None:
        return await work
    lock, actor_.lock = actor_.lock, asyncio.Lock()
    try:
        return await work
    finally:
        actor_.lock = lock


# --- a hand -----------------------------------------------------------------------------------


def _side_pot_lost() -> AbstractContextManager[object]:
    """After a restart the betting state comes back without what the last seat of the hand put in."""
    from sevenstud.betting.v1.betting_state_pb2 import BettingState as Message

    recall, restored = BettingClient.recall, Tables._restore

    def poorer(self: BettingClient, opaque: bytes) -> Any:
        state = Message.FromString(opaque)
        state.seats[-1].hand_chips = state.seats[-1].street_chips
        return recall(self, state.SerializeToString())

    def restore(self: Tables, table: TableActor, saved: Any) -> None:
        with patch.object(BettingClient, "recall", poorer):
            restored(self, table, saved)

    return patch.object(Tables, "_restore", restore)


def _clock_early() -> AbstractContextManager[object]:
    """The clock of a turn is taken for over two seconds before it is."""
    return patch.object(next_step, "turn_ends", lambda table, turn: turn_ends(table, turn) - timedelta(seconds=2))


def _clock_twice() -> AbstractContextManager[object]:
    """The clock that was set for one turn fires in whatever turn is open then."""
    rest, usual = TableActor.rest, next_step.next_step
    awaited: dict[TableActor, Any] = {}

    async def resting(self: TableActor, until: Any) -> None:
        awaited[self] = until
        await rest(self, until)

    def due(table: Table, now: Any) -> Any:
        step = usual(table, now)
        set_for = next((each for who, each in awaited.items() if who.table_id == table.table_id), None)
        if isinstance(step, next_step.Await) and table.hand and table.hand.turn and set_for and now > set_for:
            return next_step.ExpireTurn(table.hand.turn)
        return step

    return _all(
        patch.object(TableActor, "rest", resting),
        patch.object(TableActor, "poke", lambda _: None),
        patch.object(next_step, "next_step", due),
    )


def _other_cards() -> AbstractContextManager[object]:
    """The dealer deals a street that it is asked for again from another place of the deck."""
    asked: set[tuple[str, int]] = set()

    def again(record: Any, secrets: Any, number: int) -> Any:
        found = street_dealt(record, secrets, number)
        key = (record.terms.hand_id, number)
        if key not in asked:
            asked.add(key)
            return found
        seats = tuple(replace(each, down_cards=each.down_cards[::-1], seat=each.seat) for each in found.dealt)
        swapped = [each.down_cards for each in seats]
        swapped = swapped[1:] + swapped[:1]
        return replace(found, dealt=tuple(replace(s, down_cards=c) for s, c in zip(seats, swapped, strict=True)))

    return patch("services.dealer.application.hands.street_dealt", again)


def _foreign_down_card() -> AbstractContextManager[object]:
    """Whoever is in the hand sees all down cards of it."""

    def sight(viewer: Any, hand: Any, down_cards: Any) -> Any:
        if hand is None or not hand.has(viewer.player_id):
            return visibility.BLIND
        return visibility.Sight(dict(down_cards))

    return _all(
        patch("services.orchestrator.application.watching.sight_of", sight),
        patch("services.orchestrator.rpc.table_answers.sight_of", sight, create=True),
    )


# --- money ------------------------------------------------------------------------------------


def _purchase_forgotten() -> AbstractContextManager[object]:
    """A purchase is not written down before the ledger is asked."""

    async def begin(table: TableActor, purchase: Any) -> None:
        table.buying[purchase.key.request_id] = purchase

    return patch.object(purchases, "begin", begin)


def _new_id_every_time(operation: str) -> Patch:
    """A request to the ledger that is asked again is another request."""

    def put() -> AbstractContextManager[object]:
        numbers = count()

        def named(*parts: str | int) -> str:
            again = (next(numbers),) if parts[1] == operation else ()
            return request_id(*parts, *again)

        return patch("services.orchestrator.adapters.ledger_client.request_id", named)

    return put


def _hand_booked_twice() -> AbstractContextManager[object]:
    """A hand is told to the ledger under a new id each time, and the ledger does not look whether it knows the hand."""

    async def unknown(self: Any, call: Any, hand_key: Any) -> None:
        del self, call, hand_key

    fresh = _new_id_every_time("record_hand")
    return _all(
        fresh(),
        patch.object(Bookkeeper, "_hand_answer", unknown),
        patch("services.tournament_ledger.domain.cash.check_open", lambda *_: None),
        patch("services.tournament_ledger.domain.hands.check_open", lambda *_: None),
        patch("services.tournament_ledger.adapters.ledger_store.AnsweredRequests.record", _replacing()),
    )


def _replacing() -> Any:
    record = AnsweredRequests.record

    def recorded(self: Any, key: Any, content: bytes, at: int) -> Statement:
        statement = record(self, key, content, at)
        return replace(statement, sql=statement.sql.replace("INSERT", "INSERT OR REPLACE", 1))

    return recorded


def _one_sided() -> AbstractContextManager[object]:
    """A balance moves on one side only, now and then."""
    balances = statements._balances

    def some(postings: list[Any]) -> Any:
        moved = list(balances(postings))
        return moved[:1] if len(postings) > 2 else moved

    return patch.object(statements, "_balances", some)


# --- waiting and going on ---------------------------------------------------------------------


def _gives_up() -> AbstractContextManager[object]:
    """A table whose service was away waits to be poked, and nobody pokes it."""

    async def stalled(self: Driver, service: str) -> Any:
        del self, service
        return next_step.Await()

    return patch.object(Driver, "_stall", stalled)


def _asleep() -> AbstractContextManager[object]:
    """After a restart tables come back only when somebody asks for them, and their clocks with them never."""
    find = Tables._find

    async def found(self: Tables, table_id: str) -> TableActor | None:
        with patch.object(Driver, "run", _never):
            return await find(self, table_id)

    return patch.object(Tables, "_find", found)


async def _never(self: Driver) -> None:
    del self
    await asyncio.Event().wait()


def _cut_short() -> AbstractContextManager[object]:
    """A command stops where it stands when its caller goes away."""

    async def bare(work: Any) -> Any:
        return await work

    return _all(
        patch.object(once, "to_its_end", bare),
        patch.object(money_commands, "to_its_end", bare),
        patch.object(orchestrator_tables, "to_its_end", bare),
        patch.object(purchases, "buy", _buy_and_forget),
    )


async def _buy_and_forget(table: TableActor, purchase: Any) -> int:
    """Without noticing that the answer may be missing."""
    return await table.world.ledger.buy_in(
        table.table_id, purchase.player_id, purchase.seat, purchase.chips, purchase.key.request_id
    )


def _voids_on_outage() -> AbstractContextManager[object]:
    """As other rooms do: a hand whose service is away is void."""

    async def stalled(self: Driver, service: str) -> Any:
        hand = self._actor.table.hand
        if hand is not None and hand.in_play:
            return await self._failed(next_step.Await(), ChipsAdrift(f"{service} is away"))
        return self._later()

    return patch.object(Driver, "_stall", stalled)


def _acted_anyway() -> AbstractContextManager[object]:
    """An action is taken for the open turn, whichever turn it names."""
    return patch("services.orchestrator.application.play_commands.decisions", _CarelessDecisions())


class _CarelessDecisions:
    def open_turn(self, table: Table, player_id: str, turn_id: int) -> Any:
        del turn_id
        found = table.hand.turn if table.hand is not None else None
        return decisions.open_turn(table, player_id, found.turn_id if found is not None else 0)

    def __getattr__(self, name: str) -> Any:
        return getattr(decisions, name)


FAULTS: Final[Sequence[Fault]] = (
    Fault(
        "any_version", "append without the expected version, commands without the table's lock", _any_version, rare=True
    ),
    Fault("forget_after_restart", "request ids forgotten after a restart", _forget_after_restart),
    Fault("answered_before_sync", "an answer before the sync", _answered_before_sync),
    Fault("told_before_written", "watchers told before the write", _told_before_written),
    Fault("side_pot_lost", "chips of the pots lost on recovery", _side_pot_lost),
    Fault("clock_early", "the clock fires two seconds early", _clock_early),
    Fault("clock_twice", "the clock of one turn fires in the next", _clock_twice, rare=True),
    Fault("other_cards", "a street asked for again is dealt otherwise", _other_cards),
    Fault("foreign_down_card", "a view with the down cards of others", _foreign_down_card),
    Fault("purchase_forgotten", "a purchase lost in a crash", _purchase_forgotten, rare=True),
    Fault("buys_twice", "a purchase asked for again is another purchase", _new_id_every_time("buy_in")),
    Fault("hand_booked_twice", "a hand booked twice", _hand_booked_twice, rare=True),
    Fault("one_sided", "a balance moves on one side only", _one_sided),
    Fault("gives_up", "a table that stalled never tries again", _gives_up),
    Fault("asleep", "tables are not driven after a restart", _asleep),
    Fault("cut_short", "a command stops when its caller goes away", _cut_short, rare=True),
    Fault("voids_on_outage", "a hand is void when a service is away", _voids_on_outage),
    Fault("acted_anyway", "a stale action is taken for the open turn", _acted_anyway, rare=True),
)


def found_by(fault: Fault, seeds: Iterable[int]) -> Broken | None:
    """The first of these worlds that breaks with the fault in the product."""
    for seed in seeds:
        with fault.put():
            try:
                live(plan_of(seed), play)
            except Broken as broken:
                return broken
    return None
