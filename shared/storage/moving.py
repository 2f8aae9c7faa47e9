"""Moving the SQLite database of a service to PostgreSQL: in one transaction, every row compared before it is kept."""

import hashlib
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import asyncpg

from shared.config.location import PostgresUrl
from shared.storage.backup import Backup, checked
from shared.storage.database import Row, StoreRefused
from shared.storage.migrations import mark_moved
from shared.storage.postgres import reached
from shared.storage.postgres_faults import LOST, in_words
from shared.storage.postgres_schema import LOCK, check_server, tables_of
from shared.storage.postgres_sql import defined
from shared.storage.sqlite_files import OwnerLock, check_not_emptied, check_one_name, write_journal_again

_LOCK_SECONDS_MAX: Final = 10.0
_DIGEST_MAX: Final = 2**256
_DEFINED: Final = (
    "SELECT name, sql FROM sqlite_master WHERE type = ? AND sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY rowid"
)


@dataclass(frozen=True, slots=True)
class Moved:
    """What was moved."""

    source: Backup
    rows: dict[str, int]
    """By table."""
    heads: tuple[Row, ...]
    """What was asked for with ``heads``, the same in both."""


@dataclass(slots=True)
class _Content:
    """Rows of a table, counted and summed up whatever their order."""

    count: int = 0
    digest: int = 0

    def add(self, row: Row) -> None:
        self.count += 1
        one = hashlib.sha256(repr(row).encode("utf-8", "surrogatepass")).digest()
        self.digest = (self.digest + int.from_bytes(one)) % _DIGEST_MAX


async def move(database: Path, service: str, url: PostgresUrl, heads: str = "") -> Moved:
    """Copy a database that nobody has open into an empty one; StoreRefused says why not, and that nothing was kept.

    ``heads`` is a query whose rows are compared and returned. The file keeps its rows, and is marked: nobody
    goes on with it, which would fork what goes on in the new one.
    """
    lock = _locked(database)
    try:
        with closing(sqlite3.connect(database, isolation_level=None)) as source:
            found = checked(source, database)
            if found.service != service:
                raise StoreRefused(f"{database} belongs to the service {found.service or 'nobody'}, not to {service}")
            write_journal_again(database)
            target = await reached(url)
            source.execute("BEGIN IMMEDIATE")
            try:
                rows, seen = await _copied(source, target, url, heads)
            finally:
                await target.close(timeout=2.0)
            _keep_mark(source, database)
    except (sqlite3.Error, ValueError) as fault:  # first: what the driver cannot send is no loss of the server
        raise StoreRefused(f"{database} could not be moved ({fault}): nothing was kept") from fault
    except LOST as fault:
        message = f"the server was lost ({in_words(fault)}): try again; a target that is not empty then has all of it"
        raise StoreRefused(message) from None
    except asyncpg.PostgresError as fault:
        raise StoreRefused(f"{database} could not be moved ({in_words(fault)}): nothing was kept") from fault
    finally:
        lock.release()
    return Moved(found, rows, seen)


def _locked(database: Path) -> OwnerLock:
    if not database.is_file():
        raise StoreRefused(f"{database} is no file: give the DATABASE of a service")
    check_one_name(database)
    check_not_emptied(database.resolve())
    return OwnerLock(database.resolve())


async def _copied(
    source: sqlite3.Connection, target: Any, url: PostgresUrl, heads: str
) -> tuple[dict[str, int], tuple[Row, ...]]:
    await check_server(target)
    await target.execute("SELECT pg_advisory_lock($1)", LOCK, timeout=_LOCK_SECONDS_MAX)
    if await tables_of(target):
        raise StoreRefused(f"{url} is not empty: give a new database")
    rows: dict[str, int] = {}
    async with target.transaction():
        for name, sql in source.execute(_DEFINED, ("table",)).fetchall():
            await target.execute(defined(sql))
            rows[name] = await _copy(source, target, name)
        for _, sql in source.execute(_DEFINED, ("index",)).fetchall():
            await target.execute(defined(sql))
        seen = await _heads(source, target, heads) if heads else ()
        mark_moved(source, str(url))
    return rows, seen


def _keep_mark(source: sqlite3.Connection, database: Path) -> None:
    """Last of all: a file that is marked, and nothing in the new database, would be a service that nobody can start."""
    try:
        source.execute("COMMIT")
    except sqlite3.Error as fault:
        message = f"all was moved, but {database} could not be marked ({fault}): move it away, so that nobody starts it"
        raise StoreRefused(message) from fault


async def _copy(source: sqlite3.Connection, target: Any, table: str) -> int:
    """The rows of a table, read back and compared."""
    columns = [str(row[0]) for row in source.execute("SELECT name FROM pragma_table_info(?) ORDER BY cid", (table,))]
    select = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608  # names of our own schema
    sent, kept = _Content(), _Content()

    def records() -> Iterator[Row]:
        for row in source.execute(select):
            sent.add(row)
            yield row

    await target.copy_records_to_table(table, columns=columns, records=records())
    async for record in target.cursor(select):
        kept.add(tuple(record))
    if kept != sent:
        raise StoreRefused(f"{table} has {kept.count} rows instead of {sent.count}, or others: nothing was kept")
    return sent.count


async def _heads(source: sqlite3.Connection, target: Any, query: str) -> tuple[Row, ...]:
    before = tuple(source.execute(query).fetchall())
    after = tuple(tuple(record) for record in await target.fetch(query))
    if before != after:
        raise StoreRefused("the heads of the books are others than before: nothing was kept")
    return before
