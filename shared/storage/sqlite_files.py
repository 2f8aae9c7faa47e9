"""Opening SQLite files safely: one owner, nothing foreign, nothing damaged, settings that survive a power cut.

SQLite 3.7.0 to 3.51.2, which Python may carry, has the WAL-reset fault: two connections that write or checkpoint at
once can corrupt the file. So there is one writing connection a database, it alone checkpoints, and a lock file keeps
every other process away.
"""

import errno
import fcntl
import os
import re
import sqlite3
from contextlib import closing, suppress
from pathlib import Path
from urllib.parse import quote

from shared.config.location import sqlite_path
from shared.storage.database import StoreRefused

APPLICATION_ID = 0x53375354  # "S7ST"; marks a file as ours
MOUNTS = Path("/proc/self/mountinfo")
_UNESCAPED = re.compile(r"\\([0-7]{3})")
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_ROOM_BYTES = 64 * 1024
_PART_BYTES = 1024 * 1024
WHOLE_AT_START_BYTES = 64 * 1024 * 1024
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}


def path_of(location: str) -> Path:
    """The file that a location names, symbolic links followed: one file has one lock whatever it is called."""
    try:
        return sqlite_path(location).resolve()
    except ValueError as problem:
        raise StoreRefused(f"the database location {problem}") from None
    except (OSError, RuntimeError) as fault:
        raise StoreRefused(f"{sqlite_path(location)} cannot be followed to a file: give another path") from fault


class OwnerLock:
    """Held as long as the store is open; the system lets go of it when the process dies, however it dies.

    On a file beside the database, which is there before it, and on the database itself: whoever takes the one for stale
    and deletes it, or keeps the other under a second path, lets nobody in.
    """

    def __init__(self, database: Path) -> None:
        """Take the lock or refuse at once."""
        self.path = database.with_name(database.name + ".lock")
        self._database = database
        self._handles: list[int] = []
        try:
            handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as fault:
            raise StoreRefused(f"{self.path} cannot be opened: {fault.strerror}; give a folder that exists") from fault
        self._take(handle)
        self.hold_database()
        with suppress(OSError):  # a full disk; who holds it is for people to read
            os.ftruncate(handle, 0)
            os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)

    def hold_database(self) -> None:
        """The file itself, once it is there; not closed before SQLite is: that would drop SQLite's own locks."""
        if len(self._handles) > 1:
            return
        with suppress(OSError):  # there is none yet; or it may not be read, which whoever opens it says in a sentence
            self._take(os.open(self._database, os.O_RDONLY | os.O_CLOEXEC))

    def release(self) -> None:
        """Let the next owner in; the file stays, so that nobody can lock a file that is being removed."""
        for handle in reversed(self._handles):
            os.close(handle)
        self._handles.clear()

    def _take(self, handle: int) -> None:
        self._handles.append(handle)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = os.pread(self._handles[0], 20, 0).decode("ascii", "replace").strip() or "unknown"
            self.release()
            if self._database.exists():
                check_one_name(self._database)
            message = f"{self._database} is in use by another process (pid {owner}): stop it or give another database"
            raise StoreRefused(message) from None


def open_writer(path: Path) -> sqlite3.Connection:
    """The one connection that writes and checkpoints."""
    check_not_emptied(path)
    if path.exists():
        check_one_name(path)
    else:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=256)
    try:
        _check_ours(connection, path)
        write_journal_again(path)
        _prepare(connection)
    except sqlite3.Error as fault:
        connection.close()
        raise _refusal(path, fault) from fault
    except StoreRefused:
        _close_untouched(connection, path)
        raise
    return connection


def _close_untouched(connection: sqlite3.Connection, path: Path) -> None:
    """Not as the last one, which would put the journal into the database and delete it."""
    with suppress(sqlite3.Error), closing(open_reader(path)) as other:
        other.execute("PRAGMA schema_version").fetchone()
        connection.close()
    connection.close()


def write_journal_again(path: Path) -> None:
    """What the last process left in the journal is on the disk when this returns; for the owner of the database.

    A sync that failed leaves pages in memory that count as written: they are read back and built on, and no later sync
    writes them. So a disk that failed for a moment had the next power cut take what was acknowledged after a restart.
    """
    journal = path.resolve().with_name(path.resolve().name + "-wal")
    try:
        _write_again(journal)
    except FileNotFoundError:
        return
    except OSError as fault:
        raise StoreRefused(f"{journal} cannot be written ({fault.strerror}): check the disk") from fault


def _write_again(file: Path) -> None:
    handle = os.open(file, os.O_RDWR | os.O_CLOEXEC)
    try:
        at = 0
        while part := os.pread(handle, _PART_BYTES, at):
            at += os.pwrite(handle, part, at)
        os.fsync(handle)
    finally:
        os.close(handle)


def open_reader(path: Path) -> sqlite3.Connection:
    """A connection that cannot write and so cannot checkpoint."""
    name = f"file:{quote(str(path.absolute()))}?mode=ro"
    return sqlite3.connect(name, uri=True, isolation_level=None, check_same_thread=False, cached_statements=256)


def is_large(path: Path) -> bool:
    """Whether it takes so long to look through the whole file that a start does not wait for it."""
    return path.stat().st_size > WHOLE_AT_START_BYTES


def damage_of(connection: sqlite3.Connection, path: Path) -> str:
    """What is wrong with the file, every page looked at; empty where it is whole."""
    (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    return "" if verdict == "ok" else f"{path} is damaged ({verdict}): restore it from a backup"


def has_no_room(path: Path) -> bool:
    """Whether a file as long as the journal may not grow here now, found by trying: disk full, quota, or limit."""
    journal, trial = path.with_name(path.name + "-wal"), path.with_name(path.name + ".room")
    try:
        with trial.open("wb", buffering=0) as file:
            file.seek(journal.stat().st_size)
            return file.write(bytes(_ROOM_BYTES)) < _ROOM_BYTES
    except OSError as fault:
        return fault.errno in _NO_ROOM
    finally:
        with suppress(OSError):
            trial.unlink()


def check_one_name(path: Path) -> None:
    """SQLite finds its journal by the name of the file: under a second name the newest writes would be missing.

    The number of links is asked of the folder; the file is not opened, since closing it would drop SQLite's own locks.
    """
    links = path.stat().st_nlink
    if links > 1:
        raise StoreRefused(
            f"{path} has {links} names (hard links), so another process could use it under another: give it one name "
            "(remove the other links, or copy the file)"
        )
    if _is_mounted_alone(path.resolve()):
        raise StoreRefused(
            f"{path} is mounted by itself, without its folder: its journal would stay behind with the container, and "
            "another process could use it under another name; mount the folder that it lies in"
        )


def _is_mounted_alone(path: Path) -> bool:
    """Whether a file is a mount of its own, as where a container is given a file instead of a folder."""
    try:
        lines = os.fsdecode(MOUNTS.read_bytes()).splitlines()
    except OSError:  # a system that does not say
        return False
    return any(_UNESCAPED.sub(lambda octal: chr(int(octal[1], 8)), line.split(" ")[4]) == str(path) for line in lines)


def check_not_emptied(path: Path) -> None:
    """Where a restore was killed its database is under another name: an empty one would go on in its place.

    SQLite deletes a journal that it finds beside an empty file, and what the journal holds with it, even for who only
    reads: so a file of no bytes, as a copy that was broken off leaves it, is no new database beside a journal.
    """
    if path.exists() and path.stat().st_size:
        return
    for left in (path.with_name(path.name + ".unfinished"), path.with_name(path.name + "-wal")):
        if left.exists() and left.stat().st_size:
            raise StoreRefused(
                f"{path} is missing or empty, and {left.name} lies there, as after a restore that was killed: restore "
                f"it again (to begin with an empty database, move {left.name} away)"
            )


def _check_ours(connection: sqlite3.Connection, path: Path) -> None:
    """Looks only: a file that is refused is left as it was."""
    (found,) = connection.execute("PRAGMA application_id").fetchone()
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
    if found != APPLICATION_ID and (found or tables):
        raise StoreRefused(f"{path} is a database of another program: give another path")
    damage = "" if is_large(path) else damage_of(connection, path)
    if damage:
        raise StoreRefused(damage)


def _prepare(connection: sqlite3.Connection) -> None:
    (mode,) = connection.execute("PRAGMA journal_mode=WAL").fetchone()
    if mode != "wal":
        raise sqlite3.OperationalError(f"journal mode is {mode}, not wal")
    for pragma in (
        f"application_id={APPLICATION_ID}",
        "synchronous=FULL",  # NORMAL lost acknowledged rows in power cuts
        "foreign_keys=ON",
        "trusted_schema=OFF",
        "busy_timeout=2000",
        "wal_autocheckpoint=1000",
        "journal_size_limit=67108864",
    ):
        connection.execute(f"PRAGMA {pragma}")


def _refusal(path: Path, fault: sqlite3.Error) -> StoreRefused:
    if getattr(fault, "sqlite_errorcode", 0) & 0xFF in _DAMAGED:
        return StoreRefused(f"{path} is damaged or no SQLite database ({fault}): restore it from a backup")
    return StoreRefused(f"{path} cannot be opened ({fault}): check the path, its rights and the disk")
