"""The SQLite engine: one writer thread, group commit, durable before it answers.

Writes that arrive while a commit is on its way to the disk share the next one. Where one of them conflicts they run
once more, each in a savepoint of its own, so that it does not disturb the others.
"""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from shared.storage.database import (
    ConstraintViolated,
    Row,
    SqlValue,
    Statement,
    StoreBroken,
    StoreUnavailable,
    WriteConflict,
)
from shared.storage.migrations import migrate
from shared.storage.sqlite_files import OwnerLock, damage_of, has_no_room, is_large, open_reader, open_writer, path_of
from shared.storage.sqlite_reader import SqliteReader

WAITING_WRITES_MAX = 4096
GROUP_MAX = 256
CHECK_AFTER_SECONDS = 60.0
"""A process that has just started has more urgent things to read."""
_UNIQUE = {sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID}
_DISK = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_READONLY}
_GROWTH = {sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_SHMSIZE}
"""What SQLite calls a fault of the disk and what may be a file that must not grow: a quota, a limit of the process."""


@dataclass(frozen=True, slots=True)
class _Job:
    """One write and who waits for it."""

    statements: tuple[Statement, ...]
    loop: asyncio.AbstractEventLoop
    done: "asyncio.Future[None]"


class SqliteStore:
    """A database file that this process alone owns."""

    def __init__(self, path: Path, lock: OwnerLock, connection: sqlite3.Connection) -> None:
        """Start the writer; use open_store instead."""
        self._path = path
        self._lock = lock
        self._connection = connection
        self._reader = SqliteReader(path)
        self._jobs: queue.SimpleQueue[list[_Job] | None] = queue.SimpleQueue()
        self._gathered: dict[asyncio.AbstractEventLoop, list[_Job]] = {}
        """What came in this turn of a loop: it goes to the writer at once, and so into one commit."""
        self._given = self._taken = 0
        self._closed = False
        self._broken: str | None = None
        self._hear: Callable[[int], None] | None = None
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()
        self._checker: threading.Thread | None = None
        self._checked: sqlite3.Connection | None = None
        self._closing = threading.Event()
        if is_large(path):
            self._checked = open_reader(path)
            self._checker = threading.Thread(
                target=self._check, args=(self._checked, path), name="store-checker", daemon=True
            )
            self._checker.start()

    async def write(self, statements: Sequence[Statement]) -> None:
        """See Store.write."""
        self._check_open()
        if self._given - self._taken >= WAITING_WRITES_MAX:
            raise StoreUnavailable(f"more than {WAITING_WRITES_MAX} writes are waiting: try again later")
        self._given += 1
        loop = asyncio.get_running_loop()
        job = _Job(tuple(statements), loop, loop.create_future())
        gathered = self._gathered.get(loop)
        if gathered is None:
            gathered = self._gathered[loop] = []
            loop.call_soon(self._hand_over, loop)
        gathered.append(job)
        await job.done

    def _hand_over(self, loop: asyncio.AbstractEventLoop) -> None:
        gathered = self._gathered.pop(loop, None)
        if gathered:
            self._jobs.put(gathered)

    async def read(self, sql: str, params: Sequence[SqlValue] = ()) -> list[Row]:
        """See Store.read; runs in a thread of its own."""
        if self._closed:
            raise StoreUnavailable("the store is closed")
        return await self._reader.read(sql, params)

    @property
    def sound(self) -> bool:
        """See Store.sound."""
        return self._broken is None

    def tell_commits(self, hear: Callable[[int], None]) -> None:
        """See shared.storage.metered.TellsCommits; called from the writer's thread."""
        self._hear = hear

    @property
    def shared(self) -> bool:
        """See Store.shared: the file has one owner."""
        return False

    def tell(self, topic: str) -> None:
        """See Store.tell: nobody else is there."""

    def heed(self, heard: Callable[[str], None]) -> None:
        """See Store.heed: nothing will be heard."""

    async def close(self) -> None:
        """See Store.close."""
        if self._closed:
            return
        self._closed = True
        for loop in tuple(self._gathered):
            self._hand_over(loop)
        self._reader.hand_over()
        await asyncio.to_thread(self._finish)

    def _finish(self) -> None:
        self._jobs.put(None)
        self._thread.join()
        if self._checker is not None and self._checked is not None:
            self._closing.set()
            self._checked.interrupt()
            self._checker.join()
            self._checked.close()
        self._reader.close()  # before the writer: the last to close is the one that may checkpoint
        self._connection.close()
        self._lock.release()

    def _check_open(self) -> None:
        if self._broken is not None:
            raise StoreBroken(
                f"the store takes no more writes after a disk fault ({self._broken}): restart the service"
            )
        if self._closed:
            raise StoreUnavailable("the store is closed")

    def _check(self, connection: sqlite3.Connection, path: Path) -> None:
        """A large file is looked through while it is in use: no start waits for it, and damage ends all writes."""
        if self._closing.wait(CHECK_AFTER_SECONDS):
            return
        try:
            damage = damage_of(connection, path)
        except sqlite3.Error as fault:
            damage = f"{path} cannot be looked through: {fault}" if _code(fault) in _DISK else ""
        if damage:
            self._broken = damage

    # --- the writer thread ------------------------------------------------------------------

    def _run(self) -> None:
        while True:
            jobs = self._jobs.get()
            if jobs is None:
                return
            group, last = self._gather(jobs)
            self._taken += len(group)
            outcomes = self._commit(group)
            if self._hear is not None:
                self._hear(len(group))
            _resolve(group, outcomes)
            if last:
                return

    def _gather(self, group: list[_Job]) -> tuple[list[_Job], bool]:
        """With what else waits by now, up to a limit; and whether the end was among it."""
        while len(group) < GROUP_MAX:
            try:
                jobs = self._jobs.get_nowait()
            except queue.Empty:
                break
            if jobs is None:
                return group, True
            group += jobs
        return group, False

    def _commit(self, group: list[_Job]) -> list[Exception | None]:
        if self._broken is not None:
            return [StoreBroken(self._broken) for _ in group]
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            outcomes = self._apply_all(group)
            self._connection.execute("COMMIT")
        except sqlite3.Error as fault:
            return [self._disk_fault(fault)] * len(group)
        except BaseException as fault:  # noqa: BLE001  # nobody may wait for ever, whatever happened here
            self._broken = f"unexpected {type(fault).__name__}"
            return [StoreBroken(self._broken)] * len(group)
        return outcomes

    def _apply_all(self, group: list[_Job]) -> list[Exception | None]:
        """As nearly always nothing conflicts, all of it as one; where something does, again, each in a savepoint."""
        if all(self._run_statements(job.statements) is None for job in group):
            return [None] * len(group)
        self._connection.execute("ROLLBACK")
        self._connection.execute("BEGIN IMMEDIATE")
        return [self._apply(job.statements) for job in group]

    def _apply(self, statements: tuple[Statement, ...]) -> Exception | None:
        """One write within the group: all of it or nothing."""
        run = self._connection.execute
        run("SAVEPOINT one_write")
        outcome = self._run_statements(statements)
        if outcome is not None:
            run("ROLLBACK TO one_write")
        run("RELEASE one_write")
        return outcome

    def _run_statements(self, statements: tuple[Statement, ...]) -> Exception | None:
        """The failure of a write's own is returned, a failure of the disk is raised."""
        try:
            for statement in statements:
                _execute(self._connection, statement)
        except (WriteConflict, ConstraintViolated, sqlite3.ProgrammingError, sqlite3.InterfaceError) as fault:
            return fault
        except sqlite3.OperationalError as fault:
            if _code(fault) != sqlite3.SQLITE_ERROR:
                raise
            return fault  # wrong SQL: a bug of the caller alone
        except (OverflowError, ValueError, TypeError) as fault:
            return fault  # a value that SQL cannot hold: a bug of the caller alone
        return None

    def _disk_fault(self, fault: sqlite3.Error) -> Exception:
        """An error of the whole transaction: after an I/O error nothing is certain any more (fsync is not repeated).

        Where the disk is full nothing was committed: the write is taken back, and the next one may find room.
        """
        if _code(fault) in _DISK and not self._full(fault):
            self._broken = str(fault)
            return StoreBroken(f"the disk failed ({fault}): whether this write is kept is unknown; restart the service")
        try:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
        except sqlite3.Error as second:
            self._broken = str(second)
            return StoreBroken(f"the disk failed ({second}): restart the service")
        return StoreUnavailable(f"the write was not made ({fault}): try again later")

    def _full(self, fault: sqlite3.Error) -> bool:
        """Whether the journal could not grow: all ways but ENOSPC come as an I/O error of the write, never of fsync."""
        return getattr(fault, "sqlite_errorcode", 0) in _GROWTH and has_no_room(self._path)


def _execute(connection: sqlite3.Connection, statement: Statement) -> None:
    try:
        touched = connection.execute(statement.sql, statement.params).rowcount
    except sqlite3.IntegrityError as fault:
        if fault.sqlite_errorcode in _UNIQUE:
            raise WriteConflict(statement.label, "the key exists already") from fault
        raise ConstraintViolated(f"{statement.label}: {fault}") from fault
    if statement.rows is not None and touched != statement.rows:
        raise WriteConflict(statement.label, f"{touched} rows instead of {statement.rows}")


def _code(fault: sqlite3.Error) -> int:
    """The primary result code."""
    return int(getattr(fault, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF


def _resolve(group: list[_Job], outcomes: list[Exception | None]) -> None:
    """Wake the waiting, one call a loop."""
    loops: dict[asyncio.AbstractEventLoop, list[tuple[_Job, Exception | None]]] = {}
    for job, outcome in zip(group, outcomes, strict=True):
        loops.setdefault(job.loop, []).append((job, outcome))
    for loop, results in loops.items():
        try:
            loop.call_soon_threadsafe(_wake, results)
        except RuntimeError:
            continue  # the loop is closed: nobody waits


def _wake(results: list[tuple[_Job, Exception | None]]) -> None:
    for job, outcome in results:
        if job.done.done():
            continue  # the caller went away; the write stands as it is
        if outcome is None:
            job.done.set_result(None)
        else:
            job.done.set_exception(outcome)


async def open_store(location: str, service: str, migrations: ModuleType | None = None) -> SqliteStore:
    """Open the database of a service, brought to the newest schema; StoreRefused says why not.

    Args:
        location: a path or sqlite:///path; the folder must exist.
        service: who owns it; a database of another service is refused.
        migrations: the package that holds the service's 0001_name.sql files.
    """
    return await asyncio.to_thread(_open, location, service, migrations)


def _open(location: str, service: str, migrations: ModuleType | None) -> SqliteStore:
    path = path_of(location)
    lock = OwnerLock(path)
    try:
        connection = open_writer(path)
        try:
            lock.hold_database()
            migrate(connection, service, migrations)
            return SqliteStore(path, lock, connection)
        except BaseException:
            connection.close()
            raise
    except BaseException:
        lock.release()
        raise
