"""`sevenstud move-database`: what a service kept in a SQLite file goes on in a PostgreSQL database."""

import argparse
import hashlib
import sys
from pathlib import Path
from typing import Final

from services.console.commands.running import EXIT_OK, EXIT_USAGE, CommandFailed, Commands, Environ, finish
from shared.config.location import PostgresUrl, location_of
from shared.storage.database import Row, StoreRefused
from shared.storage.moving import Moved, move

_HEADS: Final = {"tournament_ledger": "SELECT book, number, hash FROM ledger_books ORDER BY book"}
"""Of each book its last entry, which vouches for all before it."""


def add(commands: Commands) -> None:
    """Add the command to the command line."""
    parser = commands.add_parser(
        "move-database",
        help="move the database of a stopped service from SQLite to PostgreSQL",
        description=(
            "Copies all tables of a SQLite database into an empty PostgreSQL one, in one transaction, and compares "
            "every row before it is kept. The service must not run. The file keeps its rows, but no service starts on "
            "it any more. Stop all services, move dealer, tournament_ledger and orchestrator one by one, give them "
            "their new DATABASE, start them, the orchestrator last."
        ),
    )
    parser.add_argument("--service", required=True, choices=("dealer", "tournament_ledger", "orchestrator"))
    parser.add_argument("--from", required=True, dest="source", metavar="FILE", help="as in the setting DATABASE")
    parser.add_argument(
        "--to",
        required=True,
        dest="target",
        metavar="URL",
        help="postgresql://user@host:5432/database, with ENCODING 'UTF8'; its password in PGPASSWORD or PGPASSFILE",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace, environ: Environ) -> int:
    """Move; exit code 0 only where everything is in the new database and was compared."""
    del environ
    try:
        source, target = location_of(options.source), location_of(options.target)
    except ValueError as problem:
        sys.stderr.write(f"move-database: an address {problem}\n")
        return EXIT_USAGE
    if not isinstance(source, Path) or not isinstance(target, PostgresUrl):
        sys.stderr.write("move-database: from a SQLite file to a PostgreSQL database, not the other way round\n")
        return EXIT_USAGE
    return finish(_moved(source, options.service, target))


async def _moved(source: Path, service: str, target: PostgresUrl) -> int:
    try:
        moved = await move(source, service, target, _HEADS.get(service, ""))
    except StoreRefused as refused:
        raise CommandFailed(f"move-database: {refused}") from refused
    _tell(moved, source, target)
    return EXIT_OK


def _tell(moved: Moved, source: Path, target: PostgresUrl) -> None:
    print(f"move-database: {moved.source.service}, schema {moved.source.schema_version}, from {source} to {target}")
    for table, count in moved.rows.items():
        print(f"  {table} {count}")
    print(f"move-database: {sum(moved.rows.values())} rows in {len(moved.rows)} tables, every one compared")
    if moved.heads:
        print(f"move-database: the heads of {len(moved.heads)} books are the same, together {_digest(moved.heads)}")
    print(f"move-database: DATABASE of {moved.source.service} is now the new one")
    print(f"move-database: no service starts on {source} any more")


def _digest(heads: tuple[Row, ...]) -> str:
    return hashlib.sha256(repr(heads).encode()).hexdigest()[:16]
