"""Bringing a database to the newest schema: ordered SQL files, each applied once, none ever changed.

Files are package data named ``0001_what_it_does.sql``. Two sets are applied: ``shared`` (event log, answered requests)
and the service's own. A file that changed after it was applied, and a database newer than the program, are refused.
"""

import hashlib
import re
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import resources
from types import ModuleType

from shared.storage import schema
from shared.storage.database import StoreRefused

MOVED = "moved"
"""Set name of the row that a file has from the moment on that its service goes on elsewhere. A release that does not
know it refuses the file as one of another service."""
_NAME = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")

BOOK = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    set_name TEXT NOT NULL,
    version BIGINT NOT NULL,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    PRIMARY KEY (set_name, version)
)
"""


@dataclass(frozen=True, slots=True)
class Migration:
    """One file."""

    set_name: str
    version: int
    name: str
    sql: str

    @property
    def checksum(self) -> str:
        """What the file was when it was applied."""
        return hashlib.sha256(self.sql.encode()).hexdigest()


def load(set_name: str, package: ModuleType) -> tuple[Migration, ...]:
    """The files of a package, in order; the numbers must be 1, 2, 3 without a gap."""
    found: list[Migration] = []
    for entry in resources.files(package).iterdir():
        match = _NAME.fullmatch(entry.name)
        if match:
            found.append(Migration(set_name, int(match[1]), entry.name, entry.read_text(encoding="utf-8")))
    if not found:
        raise StoreRefused(f"the migrations of {set_name} are missing from the installation: install it again")
    found.sort(key=lambda migration: migration.version)
    if [migration.version for migration in found] != list(range(1, len(found) + 1)):
        names = ", ".join(migration.name for migration in found)
        raise StoreRefused(f"the migrations of {set_name} are not numbered 1, 2, 3 ...: {names}")
    return tuple(found)


def wanted(service: str, package: ModuleType | None) -> tuple[Migration, ...]:
    """All files of a service in the order in which they are applied."""
    return load("shared", schema) + (load(service, package) if package is not None else ())


def mark_moved(connection: sqlite3.Connection, target: str) -> None:
    """Nobody goes on with this database: what it held is in another one, which is named without a password."""
    sql = "INSERT INTO schema_migrations (set_name, version, name, checksum) VALUES (?, 1, ?, '')"
    connection.execute(sql, (MOVED, target))


def refuse_moved(connection: sqlite3.Connection) -> None:
    """StoreRefused where its service goes on in another database: two that go on with one history fork it."""
    for (target,) in connection.execute("SELECT name FROM schema_migrations WHERE set_name = ?", (MOVED,)):
        raise StoreRefused(
            f"this database was moved to {target}, where its service goes on: give that as DATABASE (to go back "
            "without what was written since, restore a backup that was made before the move)"
        )


def migrate(connection: sqlite3.Connection, service: str, package: ModuleType | None) -> None:
    """Apply what is missing, each file in a transaction of its own; refuse what does not fit and change nothing."""
    files = wanted(service, package)
    applied = _applied(connection)
    if applied:
        refuse_moved(connection)
    check(service, files, applied)
    for migration in files:
        if (migration.set_name, migration.version) not in applied:
            _apply(connection, migration)


def _applied(connection: sqlite3.Connection) -> dict[tuple[str, int], str]:
    exists = "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = 'schema_migrations'"
    if not connection.execute(exists).fetchone()[0]:
        return {}
    rows = connection.execute("SELECT set_name, version, checksum FROM schema_migrations").fetchall()
    return {(set_name, version): checksum for set_name, version, checksum in rows}


def check(service: str, files: tuple[Migration, ...], applied: dict[tuple[str, int], str]) -> None:
    """Refuse what was applied and does not fit: another service's, a newer program's, a file changed afterwards."""
    known = {(migration.set_name, migration.version): migration for migration in files}
    for (set_name, version), checksum in applied.items():
        if set_name not in {"shared", service}:
            raise StoreRefused(f"this database belongs to the service {set_name}, not to {service}: give another one")
        migration = known.get((set_name, version))
        if migration is None:
            raise StoreRefused(
                f"this database is newer than the program (schema {set_name} {version}): start the newer version"
            )
        if migration.checksum != checksum:
            raise StoreRefused(f"{migration.name} was changed after this database was made: restore the file")


def _apply(connection: sqlite3.Connection, migration: Migration) -> None:
    try:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(BOOK)
        for statement in statements_of(migration.sql):
            connection.execute(statement)
        connection.execute(
            "INSERT INTO schema_migrations (set_name, version, name, checksum) VALUES (?, ?, ?, ?)",
            (migration.set_name, migration.version, migration.name, migration.checksum),
        )
        connection.execute("COMMIT")
    except sqlite3.Error as fault:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise StoreRefused(f"{migration.name} could not be applied ({fault}): nothing was changed") from fault


def statements_of(sql: str) -> Iterator[str]:
    """The statements of a file, one by one, so that they share one transaction."""
    pending = ""
    for line in sql.splitlines(keepends=True):
        pending += line
        if sqlite3.complete_statement(pending):
            yield pending
            pending = ""
    if pending.strip():
        raise StoreRefused("a migration ends in the middle of a statement")
