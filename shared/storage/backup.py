"""Backups of SQLite databases, made while the service runs, and brought back while it does not.

A backup is one file, the database as it was at one moment, checked before it gets its name.
"""

import fcntl
import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from shared.storage.database import StoreRefused
from shared.storage.migrations import refuse_moved
from shared.storage.sqlite_files import (
    APPLICATION_ID,
    OwnerLock,
    check_not_emptied,
    check_one_name,
    open_reader,
    write_journal_again,
)

_JOURNALS = ("-wal", "-shm")
_FORMER = ".before-restore-"


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup holds."""

    service: str
    """Whose database it is; empty for one that no service has used."""
    schema_version: int
    streams_count: int
    events_count: int
    bytes_count: int


def back_up(database: Path, target: Path) -> Backup:
    """Copy a database into a new file; its service may run and write meanwhile. StoreRefused says why not."""
    if not database.is_file():
        raise StoreRefused(f"{database} is no file: give the DATABASE of a service")
    check_one_name(database)
    check_not_emptied(database.resolve())
    unfinished = target.with_name(target.name + ".unfinished")
    try:
        with _being_made(unfinished, target):
            _copy(database, unfinished)
            found = looked_at(unfinished)
            _keep(unfinished, target)
    except (sqlite3.Error, OSError) as fault:
        raise StoreRefused(f"{database} could not be backed up ({fault}): nothing was kept") from fault
    return found


@contextmanager
def _being_made(unfinished: Path, target: Path) -> Generator[None]:
    """By one at a time: of two that wrote one file, each would take the other's half for its own, and keep it."""
    handle = os.open(unfinished, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        _claim(handle, target)
        try:
            _check_free(handle, unfinished, target)
            os.ftruncate(handle, 0)  # what a backup that was killed left
            yield
        finally:
            if _is_file(handle, unfinished):
                unfinished.unlink()
    finally:
        os.close(handle)


def _claim(handle: int, target: Path) -> None:
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        raise StoreRefused(f"another backup to {target} is being made: give another name") from None


def _check_free(handle: int, unfinished: Path, target: Path) -> None:
    """The backup that was being made when the file was opened may have its name by now."""
    if target.exists() or not _is_file(handle, unfinished):
        raise StoreRefused(f"{target} exists already: give a name that is free")


def _is_file(handle: int, path: Path) -> bool:
    """Whether the open file has this name, still."""
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False


def restore(backup: Path, database: Path) -> Path | None:
    """Put a backup in the place of a database that nobody has open; where the former one went, None if there was none.

    Nothing is deleted. The journals of the former database go with it: under the backup they would be poison. Where it
    is killed on the way no service begins an empty database (see ``sqlite_files.py``), and a second one finishes it.
    """
    looked_at(backup)
    database = database.resolve()  # as a service opens it: the journals lie beside the file, not beside a link to it
    lock = OwnerLock(database)
    try:
        unfinished = database.with_name(database.name + ".unfinished")
        unfinished.unlink(missing_ok=True)
        with closing(sqlite3.connect(unfinished)) as copy, closing(open_reader(backup)) as source:
            source.backup(copy)
        unfinished.chmod(0o600)
        former = _set_aside(database)  # last: a service that starts where there is no file begins an empty one
        _keep(unfinished, database)
    except (sqlite3.Error, OSError) as fault:
        raise StoreRefused(f"{backup} could not be restored ({fault}): the former database is kept") from fault
    finally:
        lock.release()
    return former


def looked_at(path: Path) -> Backup:
    """What a file holds, every page checked; StoreRefused where it is no database of ours or damaged."""
    if not path.is_file():
        raise StoreRefused(f"{path} is no file: give a backup")
    check_not_emptied(path.resolve())
    try:
        with closing(open_reader(path)) as found:
            return checked(found, path)
    except sqlite3.Error as fault:
        raise StoreRefused(f"{path} is damaged or no database ({fault}): take another backup") from fault


def checked(found: sqlite3.Connection, path: Path) -> Backup:
    """What a database holds, every page checked; StoreRefused where it is none of ours or damaged."""
    if found.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise StoreRefused(f"{path} is no database of ours: give one that a service made")
    (verdict,) = found.execute("PRAGMA integrity_check(1)").fetchone()
    if verdict != "ok":
        raise StoreRefused(f"{path} is damaged ({verdict}): take a backup that is not")
    refuse_moved(found)
    return _described(found, path)


def _described(found: sqlite3.Connection, path: Path) -> Backup:
    own = "SELECT set_name, MAX(version) FROM schema_migrations WHERE set_name <> 'shared' GROUP BY set_name"
    service, version = found.execute(own).fetchone() or ("", 0)
    streams, events = found.execute("SELECT COUNT(*), COALESCE(SUM(version), 0) FROM event_streams").fetchone()
    return Backup(service, version, streams, events, path.stat().st_size)


def _copy(database: Path, target: Path) -> None:
    """Through a connection that cannot write while a service owns the file; else as its owner for the while."""
    try:
        lock = OwnerLock(database.resolve())
    except StoreRefused:
        with closing(open_reader(database)) as source:
            _copy_from(source, target)
        return
    try:
        with closing(sqlite3.connect(database)) as source:
            if source.execute("PRAGMA application_id").fetchone()[0] == APPLICATION_ID:
                write_journal_again(database)  # it is put into the database when the connection is closed
            _copy_from(source, target)
    finally:
        lock.release()


def _copy_from(source: sqlite3.Connection, target: Path) -> None:
    """All pages in one go: the moment is that of the first read, and writers are not held up."""
    with closing(sqlite3.connect(target)) as copy:
        source.backup(copy)
        copy.execute("PRAGMA journal_mode=DELETE")


def _set_aside(database: Path) -> Path | None:
    """Under the next number, with its journals; those that a restore left which was killed on the way follow theirs."""
    parts = [ending for ending in ("", *_JOURNALS) if _beside(database, ending).exists()]
    if not parts:
        return None
    newest = _newest_former(database)
    former = _beside(database, f"{_FORMER}{newest}")
    if not newest or "" in parts or any(_beside(former, ending).exists() for ending in parts):
        former = _beside(database, f"{_FORMER}{newest + 1}")
    for ending in parts:
        _beside(database, ending).rename(_beside(former, ending))
    return former


def _newest_former(database: Path) -> int:
    """The highest number of a former database, or of a journal of one; 0 where there is none."""
    names = (each.name for each in database.parent.iterdir() if each.name.startswith(database.name + _FORMER))
    numbers = (name.removeprefix(database.name + _FORMER).split("-")[0] for name in names)
    return max((int(each) for each in numbers if each.isascii() and each.isdigit()), default=0)


def _beside(path: Path, ending: str) -> Path:
    return path.with_name(path.name + ending)


def _keep(unfinished: Path, target: Path) -> None:
    """On the disk before it has its name."""
    with unfinished.open("rb") as content:
        os.fsync(content.fileno())
    unfinished.rename(target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
