"""All tables of this process: found, woken after a restart, opened, paused, closed."""

import asyncio
import contextvars
import uuid
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final
from weakref import WeakValueDictionary

from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.deserted import Deserted
from services.orchestrator.application.driver import Driver
from services.orchestrator.application.feeds import Lobby
from services.orchestrator.application.looking_back import LookingBack
from services.orchestrator.application.once import Answered
from services.orchestrator.application.shares import subject_of
from services.orchestrator.application.table_log import CommandAnswer, SavedTable, TableExists
from services.orchestrator.application.world import World
from services.orchestrator.domain import decisions
from services.orchestrator.domain.fold import fold
from services.orchestrator.domain.next_step import Await, next_step
from services.orchestrator.domain.refusals import table_exists
from services.orchestrator.domain.table import Table, unbared
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import not_found
from shared.storage.database import WriteConflict
from shared.storage.requests import REQUEST_LABEL, RequestKey
from shared.storage.to_its_end import to_its_end

LAST_STEP_SECONDS_MAX: Final = 2.0
WAKE_SECONDS: Final = 1.0
WAKE_SECONDS_MAX: Final = 30.0
RESTING_MAX: Final = 64
"""Closed tables kept at hand for readers."""
LOOKED_AT: Final = timedelta(minutes=5)
"""How long a table that another process goes on with is at hand after somebody looked at it here."""
_IDS: Final = uuid.UUID("4dbb2b22-6d0a-5c34-9a4e-6f7f3f1f4c01")
Opener = Callable[[str], Awaitable[bool]]
"""Opens a table that was announced and is not open yet; was there one?"""


async def _announces_none(_: str) -> bool:
    return False


class Tables:
    """The tables; each is driven by a task of its own."""

    def __init__(self, world: World) -> None:
        """No table is awake yet; see ``wake``."""
        self.world = world
        self.lobby = Lobby()
        self.opener: Opener = _announces_none
        """A tournament says who sits where before the last of its tables is open: who comes first has it opened."""
        self._actors: dict[str, TableActor] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._followed: dict[str, TableActor] = {}
        """Open tables that another process goes on with; somebody looked at them here not long ago."""
        self._resting: OrderedDict[str, TableActor] = OrderedDict()
        self._looking_back = LookingBack(world.log)
        self._deserted = Deserted()
        self._finding: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def wake(self) -> tuple[str, ...]:
        """After a start: every open table goes on from its last event. Those that cannot now, as on a full disk."""
        if self.world.shares.shared:
            return ()  # see replication.py
        return await self._woken(await self.world.log.open_tables())

    async def _woken(self, table_ids: Iterable[str]) -> tuple[str, ...]:
        asleep: list[str] = []
        for table_id in table_ids:
            try:
                await self.actor(table_id)
            except Exception as fault:  # noqa: BLE001  # one table that cannot be read holds up no other
                self.world.witness.step_failed("Wake", table_id, fault)
                asleep.append(table_id)
        return tuple(asleep)

    async def wake_late(self, asleep: tuple[str, ...]) -> None:
        """Try again until each of them goes on: nobody may come and look at it, and its clocks run for all that."""
        pause = WAKE_SECONDS
        while asleep:
            await self.world.clock.sleep_until(self.world.clock.now() + timedelta(seconds=pause))
            asleep, pause = await self._woken(asleep), min(2 * pause, WAKE_SECONDS_MAX)

    async def sleep(self) -> None:
        """Before a stop: each table finishes the step that it is taking."""
        tasks = dict(self._tasks)
        await asyncio.gather(*(self._end(self._actors[table_id], task) for table_id, task in tasks.items()))
        await asyncio.gather(*tasks.values(), return_exceptions=True)

    async def _end(self, actor: TableActor, task: "asyncio.Task[None]") -> None:
        """Between two steps, where that does not take too long; a step cut off leaves a whole write or none."""
        try:
            async with asyncio.timeout(LAST_STEP_SECONDS_MAX), actor.lock:
                task.cancel()
        except TimeoutError:
            task.cancel()

    def at_hand(self, table_id: str) -> TableActor | None:
        """The table if this process has it at hand."""
        return self._actors.get(table_id) or self._followed.get(table_id) or self._resting.get(table_id)

    @property
    def open_count(self) -> int:
        """Open tables that this process goes on with: who looks at those of others keeps nobody from opening one."""
        return len(self._actors)

    def all_at_hand(self) -> tuple[TableActor, ...]:
        """Every table that this process has at hand."""
        return (*self._actors.values(), *self._followed.values(), *self._resting.values())

    def in_hand(self, hand_id: str) -> tuple[Table, ...]:
        """The table at which this hand is being played; none where there is no such hand."""
        named = self.at_hand(hand_id.rpartition(".")[0])
        actors = (named,) if named is not None else (*self._actors.values(), *self._followed.values())
        tables = (actor.table for actor in actors)
        return tuple(table for table in tables if table.hand is not None and table.hand.hand_id == hand_id)

    async def actor(self, table_id: str) -> TableActor:
        """The table, read from its log where it is not at hand; NOT_FOUND."""
        found = self.at_hand(table_id) or await self._found(table_id)
        if found is None and await self.opener(table_id):
            found = await self._found(table_id)
        if found is None:
            raise not_found("table", table_id, "ListTables gives all that there are")
        if table_id in self._followed:
            found.looked_at = self.world.clock.now()
        return found

    def _alone(self, table_id: str) -> asyncio.Lock:
        """One table has one task, whoever opens it and whoever finds it in the log meanwhile."""
        lock = self._finding.get(table_id)
        if lock is None:
            lock = self._finding[table_id] = asyncio.Lock()
        return lock

    async def _found(self, table_id: str) -> TableActor | None:
        async with self._alone(table_id):
            return self.at_hand(table_id) or await self._find(table_id)

    async def _find(self, table_id: str) -> TableActor | None:
        saved = await self.world.log.load(table_id)
        if saved is None:
            return None
        actor = TableActor(table_id, self.world, self.lobby)
        self._restore(actor, saved)
        if actor.table.closed:
            self._rest(actor)
            return actor
        if not self.world.shares.mine(subject_of(actor.table)):
            await self._follow(actor)
            return actor
        await self._after_outage(actor, saved.events[-1].at)
        self._drive(actor)
        return actor

    async def _after_outage(self, actor: TableActor, last_at: datetime) -> None:
        """Clocks stood still while no process was there; where one was, nobody loses a turn that ended unattended."""
        now = self.world.clock.now()
        set_back = now < last_at  # this machine's clock is behind that of the process that was there
        if set_back or self.world.shares.alone or not isinstance(next_step(actor.table, now), Await):
            facts = decisions.after_outage(actor.table, last_at, now)
            if facts:
                await actor.record(Change(facts=facts))

    # --- shared with other processes ----------------------------------------------------------

    async def _follow(self, actor: TableActor) -> None:
        """Another process goes on with it; here it is looked at."""
        self._followed[actor.table_id] = actor
        with suppress(ServiceAway):
            async with actor.lock:
                await actor.recall_cards()

    def let_go(self) -> tuple[str, ...]:
        """Tables that others go on with and that nobody looked at here for a while: they are at hand no more."""
        since = self.world.clock.now() - LOOKED_AT
        gone = [actor for actor in self._followed.values() if actor.looked_at < since and actor.idle]
        for actor in gone:
            del self._followed[actor.table_id]
            self.world.witness.let_go(actor.table)
        return tuple(actor.table_id for actor in gone)

    async def take(self, table_id: str) -> None:
        """Go on with a table that this process owns now."""
        async with self._alone(table_id):
            actor = self._followed.get(table_id)
            if actor is None or table_id in self._tasks:
                return
            async with actor.lock:
                await actor.catch_up()
                if actor.table.closed or not self.world.shares.mine(subject_of(actor.table)):
                    return
                last = await self.world.log.events(table_id, actor.table.version - 1, 1)
                await self._after_outage(actor, last[-1].at)
            del self._followed[table_id]
            self._drive(actor)

    async def meet(self, table_id: str) -> None:
        """Take over what others wrote, where the table is at hand."""
        actor = self.at_hand(table_id)
        if actor is None or table_id in self._resting:
            return
        async with actor.lock:
            await actor.catch_up()
        actor.poke()
        if actor.table.closed and self._followed.pop(table_id, None) is not None:
            self._rest(actor)

    def driven(self, table_id: str) -> bool:
        """Does this process go on with it just now?"""
        return table_id in self._tasks

    def _restore(self, actor: TableActor, saved: SavedTable) -> None:
        table = fold(unbared(saved.kept) if saved.kept is not None else None, saved.events)
        betting = self.world.betting.recall(saved.betting) if saved.betting else None
        actor.restore(table, betting, {})
        actor.unsettled = list(saved.purchases)
        actor.buying = {each.key.request_id: each for each in saved.purchases}

    def _drive(self, actor: TableActor) -> None:
        """Give the table its task, in a context of its own: it outlives the call that opened it."""
        self._actors[actor.table_id] = actor
        driving = Driver(actor, self._deserted).run()
        task = asyncio.create_task(driving, name=f"table {actor.table_id}", context=contextvars.Context())
        task.add_done_callback(lambda done: self._driven(actor, done))
        self._tasks[actor.table_id] = task

    def _driven(self, actor: TableActor, task: "asyncio.Task[None]") -> None:
        """The table's task is over: closed for ever, or the process stops. Anything else is a fault of ours."""
        fault = None if task.cancelled() else task.exception()
        if fault is not None:
            self.world.witness.step_failed("Drive", actor.table_id, fault)
        if actor.table.closed or not (task.cancelled() or fault):
            self._actors.pop(actor.table_id, None)
            self._tasks.pop(actor.table_id, None)
            if actor.table.closed:
                self._rest(actor)
            else:  # another process goes on
                self._followed[actor.table_id], actor.looked_at = actor, self.world.clock.now()

    def _rest(self, actor: TableActor) -> None:
        self.lobby.forget(actor.table_id)
        self._resting[actor.table_id] = actor
        while len(self._resting) > RESTING_MAX:
            self._resting.popitem(last=False)

    async def exists(self, table_id: str) -> bool:
        """Whether the id is taken."""
        return self.at_hand(table_id) is not None or bool(await self.world.log.events(table_id, 0, 1))

    # --- opening ------------------------------------------------------------------------------

    async def open(self, key: RequestKey, table_id: str, opening: Change) -> Answered:
        """A new table with its first facts; ALREADY_EXISTS where the id is taken."""
        return await to_its_end(self._open(key, table_id, opening))

    async def _open(self, key: RequestKey, table_id: str, opening: Change) -> Answered:
        known = await self.world.log.answer(key)
        if known is not None:
            return Answered(answer=known, table=None, down_cards={})
        answer = CommandAnswer(version=len(opening.facts), table_id=table_id)
        try:
            actor = await self.create(table_id, opening, (key, answer))
        except WriteConflict as conflict:
            known = await self.world.log.answer(key) if conflict.label == REQUEST_LABEL else None
            if known is None:
                raise
            return Answered(answer=known, table=None, down_cards={})
        return Answered(answer=answer, table=actor.table, down_cards={})

    async def create(
        self, table_id: str, opening: Change, answer: tuple[RequestKey, CommandAnswer] | None = None
    ) -> TableActor:
        """A new table, driven from its first fact on; ALREADY_EXISTS where the id is taken."""
        actor = TableActor(table_id, self.world, self.lobby)
        async with self._alone(table_id):
            try:
                await actor.record(opening, answer)
            except TableExists:
                raise table_exists(table_id) from None
            if await self.world.shares.take(subject_of(actor.table)):
                self._drive(actor)
            else:
                await self._follow(actor)
        return actor

    async def table_at(self, table_id: str, version: int) -> Table:
        """The table as it was at a version."""
        actor = await self.actor(table_id)
        if actor.table.version == version:
            return actor.table
        return await self._looking_back.table_at(table_id, version)


def made_table_id(request_id: str) -> str:
    """The id of a table whose opener wanted none: made from the request, so that a repeated one opens no second."""
    return f"t-{uuid.uuid5(_IDS, request_id).hex[:20]}"
