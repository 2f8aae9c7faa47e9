"""Bringing a PostgreSQL database to the newest schema, by one process at a time, and refusing what is not ours."""

import re
from types import ModuleType
from typing import Any, Final

import asyncpg

from shared.storage.database import StoreRefused
from shared.storage.migrations import BOOK, Migration, check, statements_of, wanted
from shared.storage.postgres_sql import defined

LOCK: Final = 0x5337535400000001
"""Key of the advisory lock: "S7ST"; replicas that start together migrate one after the other."""
STANDBY: Final = "this server is a standby that takes no writes: give the address of the primary"
_LOCK_SECONDS_MAX: Final = 60.0
_OURS = "schema_migrations"
_TABLES = (
    "SELECT c.relname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace "
    "WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p')"
)
_APPLIED = "SELECT set_name, version, checksum FROM schema_migrations"
_INSERT = "INSERT INTO schema_migrations (set_name, version, name, checksum) VALUES ($1, $2, $3, $4)"
_MADE = re.compile(r"^\s*CREATE TABLE (?:IF NOT EXISTS )?(\w+)", re.MULTILINE)
_DROPPED = re.compile(r"^\s*DROP TABLE (?:IF EXISTS )?(\w+)", re.MULTILINE)


async def prepare(connection: Any, service: str, package: ModuleType | None) -> None:
    """Apply what is missing, each file in a transaction of its own; closes the connection, and with it the lock."""
    try:
        await check_server(connection)
        await connection.execute("SELECT pg_advisory_lock($1)", LOCK, timeout=_LOCK_SECONDS_MAX)
        files = wanted(service, package)
        applied = await _applied(connection)
        check(service, files, applied)
        for migration in files:
            if (migration.set_name, migration.version) not in applied:
                await _apply(connection, migration)
        await _check_tables(connection, files)
    finally:
        await connection.close(timeout=2.0)


async def check_server(connection: Any) -> None:
    """Refuse a server that cannot hold a database of ours."""
    encoding = await connection.fetchval("SHOW server_encoding")
    if encoding != "UTF8":
        raise StoreRefused(f"the database keeps texts as {encoding}: make it with ENCODING 'UTF8'")
    if await connection.fetchval("SELECT pg_is_in_recovery()"):
        raise StoreRefused(STANDBY)


async def tables_of(connection: Any) -> set[str]:
    """The tables that there are."""
    return {str(row[0]) for row in await connection.fetch(_TABLES)}


async def _applied(connection: Any) -> dict[tuple[str, int], str]:
    tables = await tables_of(connection)
    if _OURS in tables:
        try:
            rows = await connection.fetch(_APPLIED)
        except asyncpg.UndefinedColumnError:
            raise StoreRefused("this database is of another program: give another one") from None
        return {(str(row[0]), int(row[1])): str(row[2]) for row in rows}
    if tables:
        raise StoreRefused("this database is of another program: give another one, new and empty")
    return {}


async def _apply(connection: Any, migration: Migration) -> None:
    try:
        async with connection.transaction():
            await connection.execute(defined(BOOK))
            for statement in statements_of(migration.sql):
                await connection.execute(defined(statement))
            values = (migration.set_name, migration.version, migration.name, migration.checksum)
            await connection.execute(_INSERT, *values)
    except asyncpg.PostgresError as fault:
        raise StoreRefused(f"{migration.name} could not be applied ({fault}): nothing was changed") from fault


async def _check_tables(connection: Any, files: tuple[Migration, ...]) -> None:
    """A table that was dropped by hand, or not restored, is found at the start and not in the middle of a hand."""
    made = {name for each in files for name in _MADE.findall(each.sql)}
    made -= {name for each in files for name in _DROPPED.findall(each.sql)}
    missing = sorted(made - await tables_of(connection))
    if missing:
        raise StoreRefused(f"the database is damaged (missing: {', '.join(missing)}): restore it from a backup")
