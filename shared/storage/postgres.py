"""The PostgreSQL engine: one transaction a write on a pool of connections, durable before it answers.

Writes that run side by side share the syncs of the server. Others may write to the same database; the guards of the
statements are the fence. Whoever stops in the middle of a write loses its transaction after a moment, and with it the
rows that it held.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from types import ModuleType
from typing import Any, Final, TypeVar

import asyncpg
from asyncpg import exceptions as sql_faults

from shared.config.location import PostgresUrl
from shared.storage.database import (
    Row,
    SqlValue,
    Statement,
    StoreRefused,
    StoreUnavailable,
    StoreUnclear,
    WriteConflict,
)
from shared.storage.postgres_faults import FIRST, OUTAGE, in_words, is_passing, meant, misuse_or_loss
from shared.storage.postgres_hints import PRIMARY, Hints
from shared.storage.postgres_schema import STANDBY, prepare
from shared.storage.postgres_sql import batches, numbered, row_of, touched

T = TypeVar("T")
Connection = Any
"""A connection or one lent by the pool; asyncpg has no common name for the two."""
CONNECTIONS_MAX: Final = 8
WAITING_MAX: Final = 4096
TRY_SECONDS_MAX: Final = 8.0
"""How long a read or write is tried again; below the deadline of a call."""
COMMAND_SECONDS_MAX: Final = 6.0
"""How long a server may be silent; above its own limits below."""
OPEN_SECONDS_MAX: Final = 5.0
"""How long a start waits for a server that does not answer yet."""
BACKOFF_SECONDS: Final = (0.005, 0.02, 0.05, 0.1, 0.25, 0.5)
SESSION: Final = {
    "application_name": "sevenstud",
    "statement_timeout": "5000",
    "lock_timeout": "3000",
    "idle_in_transaction_session_timeout": "3000",
    "default_transaction_isolation": "read committed",
    "synchronous_commit": "on",
}
"""Limits in milliseconds. A guard is a row that its write locks and looks at anew, so that READ COMMITTED is enough."""


class PostgresStore:
    """A database of one service that several processes may share."""

    def __init__(self, url: PostgresUrl, pool: "asyncpg.Pool[Any]", hints: Hints) -> None:
        """Use open_postgres instead."""
        self._url = url
        self._pool = pool
        self._hints = hints
        self._waiting = 0
        self._closed = False
        self._writes: set[asyncio.Task[None]] = set()
        hints.back = pool.expire_connections

    async def write(self, statements: Sequence[Statement]) -> None:
        """See Store.write; goes on to its end when the caller is cancelled."""
        self._check_open()
        if self._waiting >= WAITING_MAX:
            raise StoreUnavailable(f"more than {WAITING_MAX} writes are waiting: try again later")
        task = asyncio.ensure_future(self._write(tuple(statements)))
        self._writes.add(task)
        task.add_done_callback(self._written)
        await asyncio.shield(task)

    async def read(self, sql: str, params: Sequence[SqlValue] = ()) -> list[Row]:
        """See Store.read."""
        self._check_open()

        async def fetch(connection: Connection) -> list[Row]:
            try:
                found = await connection.fetch(numbered(sql), *params)
            except asyncpg.InterfaceError as fault:
                raise misuse_or_loss(fault, lost=_is_lost(connection)) from fault
            return [row_of(tuple(record)) for record in found]

        return await self._again(fetch)

    @property
    def sound(self) -> bool:
        """See Store.sound."""
        return not self._closed and self._hints.reached

    @property
    def shared(self) -> bool:
        """See Store.shared."""
        return True

    def tell(self, topic: str) -> None:
        """See Store.tell; sent after the write, so that no commit waits for it."""
        if not self._closed:
            self._hints.tell(topic)

    def heed(self, heard: Callable[[str], None]) -> None:
        """See Store.heed."""
        self._hints.heed(heard)

    async def close(self) -> None:
        """See Store.close."""
        if self._closed:
            return
        self._closed = True
        await asyncio.gather(*self._writes, return_exceptions=True)
        await self._hints.close()
        try:
            async with asyncio.timeout(TRY_SECONDS_MAX):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()

    def _check_open(self) -> None:
        if self._closed:
            raise StoreUnavailable("the store is closed")

    def _written(self, task: "asyncio.Task[None]") -> None:
        self._writes.discard(task)
        if not task.cancelled():
            task.exception()  # seen, should nobody wait for it any more

    # --- trying again -----------------------------------------------------------------------

    async def _write(self, statements: tuple[Statement, ...]) -> None:
        await self._again(lambda connection: _transaction(connection, statements))

    async def _again(self, work: Callable[[Connection], Awaitable[T]]) -> T:
        """Work on a connection of the pool; tried again after an outage or another's lock, within the time."""
        loop = asyncio.get_running_loop()
        deadline, tries = loop.time() + TRY_SECONDS_MAX, 0
        self._waiting += 1
        try:
            while True:
                try:
                    return await self._once(work, deadline - loop.time())
                except OUTAGE as fault:
                    if not is_passing(fault):
                        raise
                    pause = BACKOFF_SECONDS[min(tries, len(BACKOFF_SECONDS) - 1)]
                    tries += 1
                    if loop.time() + pause >= deadline or self._pool.is_closing():
                        raise StoreUnavailable(f"PostgreSQL did not take it ({in_words(fault)}): try again") from None
                await asyncio.sleep(pause)
        finally:
            self._waiting -= 1

    async def _once(self, work: Callable[[Connection], Awaitable[T]], seconds: float) -> T:
        async with asyncio.timeout(max(seconds, 0.001)):
            connection = await self._pool.acquire()
        try:
            return await work(connection)
        except sql_faults.ReadOnlySQLTransactionError:  # a session stays so for as long as it lasts: another one may do
            _drop(connection)
            raise
        finally:
            await self._give_back(connection)

    async def _give_back(self, connection: Connection) -> None:
        """A connection that does not answer is closed, so that nobody else waits for it."""
        try:
            await self._pool.release(connection, timeout=1.0)
        except OUTAGE:
            _drop(connection)


async def _transaction(connection: Connection, statements: tuple[Statement, ...]) -> None:
    """All statements, or none of them."""
    await connection.execute("BEGIN")
    try:
        for batch in batches(statements):
            await _batch(connection, batch)
    except BaseException:
        await _roll_back(connection)
        raise
    try:
        await connection.execute("COMMIT")
    except FIRST:  # clusters that speak this protocol find conflicts this late: nothing was made
        raise
    except OUTAGE as fault:
        if not is_passing(fault):
            raise
        # Asking for the state of the transaction by its id would not do: after a crash the id may be another's.
        _drop(connection)
        raise StoreUnclear(f"PostgreSQL was lost while it committed ({in_words(fault)}): ask again") from None


async def _batch(connection: Connection, batch: tuple[Statement, ...]) -> None:
    """Equal statements; a plain insert of several rows adds them all or fails."""
    first = batch[0]
    try:
        if len(batch) > 1:
            await connection.executemany(numbered(first.sql), [each.params for each in batch])
            return
        count = touched(await connection.execute(numbered(first.sql), *first.params))
    except asyncpg.PostgresError as fault:
        raise meant(fault, first.label) from fault
    except asyncpg.InterfaceError as fault:
        raise misuse_or_loss(fault, lost=_is_lost(connection)) from fault
    if first.rows is not None and count != first.rows:
        raise WriteConflict(first.label, f"{count} rows instead of {first.rows}")


async def _roll_back(connection: Connection) -> None:
    """Where that does not work the connection is gone, and with it the transaction."""
    try:
        async with asyncio.timeout(1.0):
            await connection.execute("ROLLBACK")
    except OUTAGE:
        _drop(connection)


def _drop(connection: Connection) -> None:
    """Close it without a word; the pool may have taken back by itself what was lost."""
    with suppress(asyncpg.InterfaceError):
        connection.terminate()


def _is_lost(connection: Connection) -> bool:
    try:
        return bool(connection.is_closed())
    except asyncpg.InterfaceError:
        return True


class _Connection(asyncpg.Connection):
    """Nothing of ours outlives a transaction, so that nothing has to be reset before the next."""

    def get_reset_query(self) -> str:
        return ""


async def open_postgres(url: PostgresUrl, service: str, migrations: ModuleType | None = None) -> PostgresStore:
    """Open the database of a service, brought to the newest schema; StoreRefused says why not.

    Args:
        url: where it is; the database must exist, be empty or ours, and keep UTF-8.
        service: whose it is; a database of another service is refused.
        migrations: the package that holds the service's 0001_name.sql files.
    """
    try:
        await prepare(await reached(url), service, migrations)
        pool = await asyncpg.create_pool(
            url.reveal(),
            min_size=1,
            max_size=CONNECTIONS_MAX,
            server_settings=SESSION,
            target_session_attrs=PRIMARY,
            connection_class=_Connection,
            command_timeout=COMMAND_SECONDS_MAX,
            timeout=OPEN_SECONDS_MAX,
            max_inactive_connection_lifetime=300.0,
        )
        return PostgresStore(url, pool, await _heard(pool, url, service))
    except OUTAGE as fault:
        raise StoreRefused(f"{url} cannot be opened ({in_words(fault)}): check address, rights and server") from None


async def _heard(pool: "asyncpg.Pool[Any]", url: PostgresUrl, service: str) -> Hints:
    """The hints; where they cannot be heard the pool is let go."""
    try:
        return await Hints.start(url, service)
    except BaseException:
        pool.terminate()
        raise


async def reached(url: PostgresUrl) -> Connection:
    """A connection, waited for while the server starts."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + OPEN_SECONDS_MAX
    while True:
        try:
            return await asyncpg.connect(
                url.reveal(), timeout=OPEN_SECONDS_MAX, server_settings=_OPENING, target_session_attrs=PRIMARY
            )
        except (OSError, TimeoutError, sql_faults.CannotConnectNowError) as fault:
            if loop.time() > deadline:
                message = f"{url} cannot be reached ({in_words(fault)}): start it, or give another address"
                raise StoreRefused(message) from None
        except asyncpg.TargetServerAttributeNotMatched:
            raise StoreRefused(STANDBY) from None
        except ValueError:  # of the driver's own reading of the address
            raise StoreRefused("the address of the PostgreSQL database cannot be read: check its parameters") from None
        await asyncio.sleep(0.25)


_OPENING: Final = {name: SESSION[name] for name in ("application_name", "synchronous_commit")}
"""Without the limits of time: a schema may take long."""
