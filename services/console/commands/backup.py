"""`sevenstud backup` and `sevenstud restore`: the database of a service, copied while it runs, brought back stopped."""

import argparse
import sys
from pathlib import Path

from services.console.commands.running import EXIT_FAILED, EXIT_OK, EXIT_USAGE, Commands, Environ
from shared.config.location import Location, PostgresUrl, location_of
from shared.storage.backup import back_up, restore
from shared.storage.database import StoreRefused

_ITS_KEYS = "back up its key file as well, apart from this: without the keys the hands in play cannot be opened"
_POSTGRES_BACKUP = "PostgreSQL makes its own backups: pg_dump --format=custom --file={target} DATABASE"
_POSTGRES_RESTORE = "PostgreSQL restores its own backups: pg_restore --exit-on-error --dbname=DATABASE {backup}"


def add(commands: Commands) -> None:
    """Add both commands to the command line."""
    parser = commands.add_parser(
        "backup",
        help="copy the database of a service that runs",
        description=(
            "Copies the SQLite database of a service, as it is at one moment, into a new file and checks it. The "
            "service may run. Backups of dealer, ledger and orchestrator fit together where no hand was played from "
            "the first to the last: stop the orchestrator for as long."
        ),
    )
    parser.add_argument("database", metavar="DATABASE", help="as in the setting of the service")
    parser.add_argument("target", metavar="FILE", type=Path, help="the backup, a new file")
    parser.set_defaults(run=run_backup)
    parser = commands.add_parser(
        "restore",
        help="bring a backup back into the place of a database",
        description=(
            "Puts a backup in the place of a database whose service does not run; the former one is kept beside it. "
            "Restore all services from backups of one time: the orchestrator refuses to start where one is older."
        ),
    )
    parser.add_argument("backup", metavar="FILE", type=Path, help="a backup")
    parser.add_argument("database", metavar="DATABASE", help="as in the setting of the service")
    parser.set_defaults(run=run_restore)


def run_backup(options: argparse.Namespace, environ: Environ) -> int:
    """Back up; exit code 0 only where the backup is whole and on the disk."""
    del environ
    database = _file(options.database, _POSTGRES_BACKUP.format(target=options.target))
    if database is None:
        return EXIT_USAGE
    try:
        made = back_up(database, options.target)
    except StoreRefused as refused:
        return _failed("backup", refused)
    print(
        f"backup: {options.target}, {made.bytes_count} bytes, sound; service {made.service or 'unknown'}, "
        f"schema {made.schema_version}, {made.streams_count} streams with {made.events_count} events"
    )
    if made.service == "dealer":
        print(f"backup: {_ITS_KEYS}")
    return EXIT_OK


def run_restore(options: argparse.Namespace, environ: Environ) -> int:
    """Restore; exit code 0 only where the database is whole and on the disk."""
    del environ
    database = _file(options.database, _POSTGRES_RESTORE.format(backup=options.backup))
    if database is None:
        return EXIT_USAGE
    try:
        former = restore(options.backup, database)
    except StoreRefused as refused:
        return _failed("restore", refused)
    print(f"restore: {database} is as in {options.backup}" + (f"; the former one is {former}" if former else ""))
    return EXIT_OK


def _file(text: str, instead: str) -> Path | None:
    """The file, or None with a word about what to do."""
    try:
        location: Location = location_of(text)
    except ValueError as problem:
        sys.stderr.write(f"DATABASE {problem}\n")
        return None
    if isinstance(location, PostgresUrl):
        sys.stderr.write(f"{instead}\n")
        return None
    return location


def _failed(command: str, refused: StoreRefused) -> int:
    sys.stderr.write(f"{command}: {refused}\n")
    return EXIT_FAILED
