"""A store whose disk keeps what was synced and nothing else: the Store interface over a database in memory.

Writes that arrive while a sync is on its way share the next one, as in shared.storage.sqlite. A crash loses every write
that was not answered, but for the group whose sync was on its way: that one is kept or lost, as the seed wills.
"""

import asyncio
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from types import ModuleType
from typing import Final, cast

from shared.storage.database import (
    ConstraintViolated,
    Row,
    SqlValue,
    Statement,
    StoreBroken,
    StoreUnavailable,
    StoreUnclear,
    WriteConflict,
)
from shared.storage.migrations import migrate
from shared.storage.postgres import TRY_SECONDS_MAX
from tests.sim.loop import VirtualLoop

_UNIQUE: Final = {
    sqlite3.SQLITE_CONSTRAINT_UNIQUE,
    sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
    sqlite3.SQLITE_CONSTRAINT_ROWID,
}
_ROW_LOCK: Final = " FOR SHARE"
"""Of PostgreSQL; here one write is made at a time."""
_HINTS_HEARD: Final = 0.9
_REACHED_AGAIN_SECONDS: Final = 0.25
_LANDS_SECONDS: Final = (0.02, 0.3, 3.0)
"""One of these passes until a commit is made whose answer nobody waits for any more."""
_COMMITTED: Final = 0.4
_LANDS: Final = 0.8
"""Of the commits whose answer is lost: made at once, or made later up to here; the others never."""
Committed = Callable[[Sequence[Statement]], None]
"""Told of every write that takes effect, at the moment it does."""


def _quiet(_: Sequence[Statement]) -> None:
    """Nobody looks."""


class SimDisk:
    """What a node has on its disk: outlives the node's crashes."""

    def __init__(self, service: str, migrations: ModuleType | None) -> None:
        self.connection = sqlite3.connect(":memory:", isolation_level=None, cached_statements=256)
        self.connection.deserialize(_fresh(service, migrations))
        self.connection.execute("PRAGMA foreign_keys=ON")
        self.synced: bytes | None = None
        """The disk as of the last sync, kept only where answers are given before it (a seeded fault)."""
        self.shared = False
        """Several nodes write here, as to one PostgreSQL."""
        self.landing = 0
        """Commits on their way whose answer is lost; what they hold may be what anybody else wants to write."""
        self.listeners: dict[SimStore, Callable[[str], None]] = {}

    def sync(self) -> None:
        """What is written is kept from now on."""
        if self.synced is not None:
            self.synced = self.connection.serialize()

    def lose_unsynced(self) -> None:
        """The power went."""
        if self.synced is not None:
            self.connection.deserialize(self.synced)

    def read(self, sql: str, params: Sequence[SqlValue] = ()) -> list[Row]:
        """Rows as committed, for whoever looks at the disk from outside."""
        return self.connection.execute(sql, tuple(params)).fetchall()

    def close(self) -> None:
        self.connection.close()


@lru_cache(maxsize=8)
def _fresh(service: str, migrations: ModuleType | None) -> bytes:
    """A new database of a service, as its migrations make it; made once a process."""
    connection = sqlite3.connect(":memory:", isolation_level=None)
    try:
        migrate(connection, service, migrations)
        return connection.serialize()
    finally:
        connection.close()


@dataclass(slots=True)
class _Job:
    statements: tuple[Statement, ...]
    done: "asyncio.Future[None]"


@dataclass(slots=True, kw_only=True)
class DiskHabits:
    """How fast the disk is, and how often it fails."""

    sync_seconds: tuple[float, float] = (0.0005, 0.004)
    full_rate: float = 0.0
    """Share of groups that are refused for want of space, unchanged."""
    broken_rate: float = 0.0
    """Share of groups whose sync fails: kept or not, nobody knows, and the store is broken."""
    unclear_rate: float = 0.0
    """Share of groups whose commit is sent to a shared database and not answered: made now, later, or never."""
    answer_before_sync: bool = False
    """The fault of faults: says that it is kept before it is."""


@dataclass(slots=True, eq=False)
class SimStore:
    """Implements shared.storage.database.Store for one life of a node."""

    disk: SimDisk
    random: Random
    habits: DiskHabits
    committed: Committed = _quiet
    _waiting: list[_Job] = field(default_factory=list[_Job])
    _group: list[_Job] = field(default_factory=list[_Job])
    _timer: asyncio.TimerHandle | None = None
    _closed: bool = False
    _dead: bool = False
    broke: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when the disk has failed: the process is to be started again."""
    away_until: float = 0.0
    """A shared database cannot be reached from here before this moment."""

    async def write(self, statements: Sequence[Statement]) -> None:
        """See Store.write."""
        await self._reached()
        if self.broke.is_set():
            raise StoreBroken("the store takes no more writes after a disk fault: restart the service")
        if self._closed:
            raise StoreUnavailable("the store is closed")
        job = _Job(tuple(statements), asyncio.get_running_loop().create_future())
        self._waiting.append(job)
        self._begin()
        await job.done

    async def read(self, sql: str, params: Sequence[SqlValue] = ()) -> list[Row]:
        """See Store.read."""
        await self._reached()
        if self._closed:
            raise StoreUnavailable("the store is closed")
        await asyncio.sleep(0 if self.random.random() < 0.9 else self.random.uniform(0.0, 0.002))
        await self._alive()
        return self.disk.read(sql, params)

    @property
    def sound(self) -> bool:
        """See Store.sound."""
        return not self.broke.is_set() and not self._away

    @property
    def shared(self) -> bool:
        """Whether others write to it, too."""
        return self.disk.shared

    def tell(self, topic: str) -> None:
        """See Store.tell: hints come late, and some never do."""
        for other, heard in self.disk.listeners.items():
            if other is not self and self.random.random() < _HINTS_HEARD:
                asyncio.get_running_loop().call_later(self.random.uniform(0.0, 0.05), other._hears, heard, topic)

    def _hears(self, heard: Callable[[str], None], topic: str) -> None:
        if not self._dead and not self._away:
            heard(topic)

    def heed(self, heard: Callable[[str], None]) -> None:
        """See Store.heed."""
        loop = cast("VirtualLoop", asyncio.get_running_loop())
        owner = loop.owner()

        def hear(topic: str) -> None:
            with loop.owned_by(owner):
                heard(topic)

        self.disk.listeners[self] = hear

    async def close(self) -> None:
        """See Store.close."""
        while self._timer is not None:  # noqa: ASYNC110  # virtual time
            await asyncio.sleep(0.001)
        self._closed = True

    def crash(self) -> None:
        """The process is gone, and perhaps the power with it; nobody is answered any more."""
        self._dead = True
        self.disk.listeners.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            if self._group and self.random.random() < 0.5 and not self.disk.landing:
                self._commit(self._group)
            elif self.habits.answer_before_sync:
                self.disk.lose_unsynced()
        self._timer = None

    # --- the disk ---------------------------------------------------------------------------

    async def _alive(self) -> None:
        """A process that is dead waits for ever, until its tasks are taken away."""
        if self._dead:
            await asyncio.get_running_loop().create_future()

    @property
    def _away(self) -> bool:
        return asyncio.get_running_loop().time() < self.away_until

    async def _reached(self) -> None:
        """As a pool of connections does: tried again for a while, then given up."""
        await self._alive()
        given_up_at = asyncio.get_running_loop().time() + TRY_SECONDS_MAX
        while self._away:
            if asyncio.get_running_loop().time() > given_up_at:
                raise StoreUnavailable("PostgreSQL did not take it (cut off): try again")
            await asyncio.sleep(_REACHED_AGAIN_SECONDS)
            await self._alive()

    def _begin(self) -> None:
        """The sync of all that waits by now, unless one is on its way."""
        if self._timer is not None or not self._waiting:
            return
        self._group, self._waiting = self._waiting, []
        seconds = self.random.uniform(*self.habits.sync_seconds)
        if self.habits.answer_before_sync:
            self.disk.synced = self.disk.connection.serialize() if self.disk.synced is None else self.disk.synced
            self._answer(self._commit(self._group))
        self._timer = asyncio.get_running_loop().call_later(seconds, self._end)

    def _end(self) -> None:
        if self.disk.landing:
            self._timer = asyncio.get_running_loop().call_later(_LANDS_SECONDS[0], self._end)
            return
        self._timer = None
        if not self.habits.answer_before_sync:
            fate = self.random.random()
            if fate < self.habits.full_rate:
                self._refuse(StoreUnavailable("the write was not made (the disk is full): try again later"))
            elif fate < self.habits.full_rate + self.habits.broken_rate:
                self._break()
            elif self.shared and self.habits.unclear_rate and self.random.random() < self.habits.unclear_rate:
                self._lose_answer()
            else:
                self._answer(self._commit(self._group))
        self.disk.sync()
        self._group = []
        self._begin()

    def _break(self) -> None:
        self.broke.set()
        if self.random.random() < 0.5:
            self._commit(self._group)
        self._group += self._waiting
        self._waiting = []
        self._refuse(StoreBroken("the disk failed: whether this write is kept is unknown; restart the service"))

    def _lose_answer(self) -> None:
        """The way to the database is lost with a commit on it."""
        fate, group = self.random.random(), self._group
        if fate < _COMMITTED:
            self._commit(group)
        elif fate < _LANDS:
            self.disk.landing += 1
            asyncio.get_running_loop().call_later(self.random.choice(_LANDS_SECONDS), self._land, group)
        self._refuse(StoreUnclear("PostgreSQL was lost while it committed (cut off): ask again"))

    def _land(self, group: list[_Job]) -> None:
        self.disk.landing -= 1
        self._commit(group)

    def _refuse(self, fault: Exception) -> None:
        self._answer([fault] * len(self._group))

    def _answer(self, outcomes: Sequence[Exception | None]) -> None:
        for job, outcome in zip(self._group, outcomes, strict=True):
            if job.done.done():
                continue
            if outcome is None:
                job.done.set_result(None)
            else:
                job.done.set_exception(outcome)

    def _commit(self, group: Sequence[_Job]) -> list[Exception | None]:
        run = self.disk.connection.execute
        run("BEGIN")
        outcomes = [self._apply(job.statements) for job in group]
        run("COMMIT")
        for job, outcome in zip(group, outcomes, strict=True):
            if outcome is None:
                self.committed(job.statements)
        return outcomes

    def _apply(self, statements: Sequence[Statement]) -> Exception | None:
        """One write within the group, whole or not at all."""
        run = self.disk.connection.execute
        run("SAVEPOINT one_write")
        try:
            for statement in statements:
                _execute(self.disk.connection, statement)
        except (WriteConflict, ConstraintViolated, sqlite3.Error, OverflowError, ValueError, TypeError) as fault:
            run("ROLLBACK TO one_write")
            run("RELEASE one_write")
            return fault
        run("RELEASE one_write")
        return None


def _execute(connection: sqlite3.Connection, statement: Statement) -> None:
    try:
        done = connection.execute(statement.sql.removesuffix(_ROW_LOCK), statement.params)
        touched = done.rowcount if done.description is None else len(done.fetchall())
    except sqlite3.IntegrityError as fault:
        if fault.sqlite_errorcode in _UNIQUE:
            raise WriteConflict(statement.label, "the key exists already") from fault
        raise ConstraintViolated(f"{statement.label}: {fault}") from fault
    if statement.rows is not None and touched != statement.rows:
        raise WriteConflict(statement.label, f"{touched} rows instead of {statement.rows}")
