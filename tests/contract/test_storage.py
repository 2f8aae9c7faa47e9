"""What every storage engine promises, tried on the real one."""

import asyncio
import errno
import os
import resource
import sqlite3
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from shared.storage import sqlite, sqlite_files
from shared.storage.backup import back_up
from shared.storage.database import (
    Statement,
    StoreBroken,
    StoreRefused,
    StoreUnavailable,
)
from shared.storage.event_log import EventLog
from shared.storage.sqlite import SqliteStore, open_store
from tests.support.failing_disk import FailingDisk
from tests.support.seats_table import MAKE, seats, sit


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await open_store(str(tmp_path / "test.db"), "test")
    await opened.write([MAKE])
    yield opened
    await opened.close()


async def test_too_many_waiting_writes_are_refused_not_piled_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite, "WAITING_WRITES_MAX", 4)
    store = await open_store(str(tmp_path / "busy.db"), "test")
    gate = threading.Event()
    store._connection.create_function("wait_for_gate", 0, lambda: gate.wait(10))
    slow = asyncio.create_task(store.write([Statement("SELECT wait_for_gate()")]))
    await asyncio.sleep(0.1)
    waiting = [asyncio.create_task(store.write([MAKE] if not n else [sit(n)])) for n in range(10)]
    await asyncio.sleep(0)
    gate.set()
    results = await asyncio.gather(slow, *waiting, return_exceptions=True)
    refused = [result for result in results if isinstance(result, StoreUnavailable)]
    assert len(refused) == 6
    assert await seats(store) == [1, 2, 3]
    await store.close()


async def test_after_an_error_of_the_disk_no_write_is_taken_any_more(store: SqliteStore) -> None:
    real = store._connection
    store._connection = FailingDisk(real, sqlite3.SQLITE_IOERR)  # type: ignore[assignment]  # stands in for a bad disk
    sound_before = store.sound
    with pytest.raises(StoreBroken, match="restart"):
        await store.write([sit(1)])
    assert (sound_before, store.sound) == (True, False)
    store._connection = real
    with pytest.raises(StoreBroken, match="restart"):
        await store.write([sit(2)])
    assert await seats(store) == []


async def test_a_full_disk_refuses_and_recovers(store: SqliteStore) -> None:
    real = store._connection
    store._connection = FailingDisk(real, sqlite3.SQLITE_FULL)  # type: ignore[assignment]  # stands in for a full disk
    with pytest.raises(StoreUnavailable, match="try again"):
        await store.write([sit(1)])
    store._connection = real
    await store.write([sit(2)])
    assert await seats(store) == [2]


async def refusal(store: SqliteStore, number: int) -> BaseException | None:
    """What a write is refused with."""
    (found,) = await asyncio.gather(store.write([sit(number)]), return_exceptions=True)
    return found


async def test_a_journal_that_may_not_grow_refuses_and_recovers_by_itself(store: SqliteStore) -> None:
    """The system says EFBIG here as it says EDQUOT elsewhere, and SQLite makes an I/O error of both."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    journal = store._path.with_name(store._path.name + "-wal")
    kept: list[int] = []
    resource.setrlimit(resource.RLIMIT_FSIZE, (journal.stat().st_size + 16 * 1024, before[1]))
    try:
        while not isinstance(fault := await refusal(store, len(kept) + 1), StoreUnavailable):
            assert fault is None
            kept.append(len(kept) + 1)
        assert store.sound
        assert await seats(store) == kept
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    await store.write([sit(100)])
    assert await seats(store) == [*kept, 100]
    assert not list(store._path.parent.glob("*.room"))


@pytest.mark.parametrize(("code", "room"), [(sqlite3.SQLITE_IOERR_WRITE, True), (sqlite3.SQLITE_IOERR_FSYNC, False)])
async def test_a_write_that_fails_with_room_and_a_failed_sync_without_are_faults_of_the_disk(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, code: int, room: bool
) -> None:
    monkeypatch.setattr(sqlite, "has_no_room", lambda _: not room)
    store._connection = FailingDisk(store._connection, code)  # type: ignore[assignment]  # stands in for a bad disk
    with pytest.raises(StoreBroken, match="restart"):
        await store.write([sit(1)])
    assert not store.sound


# --- who may open what ------------------------------------------------------------------------


async def test_a_second_owner_of_a_database_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "owned.db")
    store = await open_store(path, "test")
    with pytest.raises(StoreRefused, match=r"in use by another process \(pid \d+\)"):
        await open_store(path, "test")
    await store.close()
    await (await open_store(path, "test")).close()


async def test_a_second_process_is_refused_while_the_first_lives(tmp_path: Path) -> None:
    path = str(tmp_path / "owned.db")
    store = await open_store(path, "test")
    command = [sys.executable, "-m", "tests.support.crashing_writer", path]
    second = await asyncio.to_thread(subprocess.run, command, capture_output=True, timeout=20, check=False)
    assert second.returncode != 0
    assert b"in use by another process" in second.stderr
    await store.close()


@pytest.mark.parametrize("linked", ["the file", "its folder"])
async def test_a_second_process_is_refused_through_a_symbolic_link(tmp_path: Path, linked: str) -> None:
    (tmp_path / "real").mkdir()
    path = tmp_path / "real" / "owned.db"
    store = await open_store(str(path), "test")
    link = tmp_path / "link"
    link.symlink_to(path if linked == "the file" else path.parent)
    second = await second_process(link if linked == "the file" else link / "owned.db")
    assert second.returncode != 0
    assert b"in use by another process" in second.stderr
    await store.close()


async def test_a_second_process_is_refused_when_the_first_came_through_a_symbolic_link(tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(tmp_path / "owned.db")
    store = await open_store(str(link), "test")
    second = await second_process(tmp_path / "owned.db")
    assert b"in use by another process" in second.stderr
    await store.close()


@pytest.mark.parametrize("new", [True, False])
async def test_a_second_process_is_refused_though_the_lock_file_was_deleted(tmp_path: Path, *, new: bool) -> None:
    """It stays when nobody runs, and looks stale: a restore under a running service then lost what came after it."""
    path, backup = tmp_path / "owned.db", tmp_path / "backup"
    if not new:
        await (await open_store(str(path), "test")).close()
    store = await open_store(str(path), "test")
    await store.write([MAKE])
    await asyncio.to_thread(back_up, path, backup)
    lock = path.with_name("owned.db.lock")
    lock.unlink()
    assert b"in use by another process" in (await second_process(path)).stderr
    lock.unlink()
    command = [sys.executable, "-m", "services.console", "restore", str(backup), str(path)]
    second = await asyncio.to_thread(subprocess.run, command, capture_output=True, timeout=20, check=False)
    assert b"in use by another process" in second.stderr
    await store.write([sit(1)])
    await store.close()
    again = await open_store(str(path), "test")
    assert await seats(again) == [1]
    await again.close()


async def test_a_database_with_a_hard_link_is_refused_under_both_names_until_the_link_is_gone(tmp_path: Path) -> None:
    path, link = tmp_path / "owned.db", tmp_path / "elsewhere" / "other.db"
    store = await open_store(str(path), "test")
    link.parent.mkdir()
    link.hardlink_to(path)
    second = await second_process(link)
    assert second.returncode != 0
    assert b"has 2 names (hard links)" in second.stderr
    await store.write([MAKE, sit(1)])
    await store.close()
    with pytest.raises(StoreRefused, match="hard links"):
        await open_store(str(path), "test")
    link.unlink()
    again = await open_store(str(path), "test")
    assert await seats(again) == [1]
    await again.close()


async def crashed_copy(folder: Path) -> Path:
    """A database as a process left it that was killed: what it wrote is in the journal."""
    store = await open_store(str(folder / "running.db"), "test")
    await store.write([MAKE, sit(1)])
    path = folder / "crashed.db"
    for ending in ("", "-wal"):
        path.with_name(path.name + ending).write_bytes((folder / f"running.db{ending}").read_bytes())
    await store.close()
    return path


async def test_what_a_crash_left_in_the_journal_is_written_and_synced_once_more_before_anything_builds_on_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a sync that failed it may be in memory only, and be taken for written: the next power cut took it all."""
    path = await crashed_copy(tmp_path)
    journal = path.with_name(path.name + "-wal")
    left, usual = journal.read_bytes(), (os.pwrite, os.fsync)
    done = list[tuple[str, bytes]]()

    def written(handle: int, content: bytes, at: int) -> int:
        if Path(f"/proc/self/fd/{handle}").readlink() == journal:
            assert left[at : at + len(content)] == content
            content = content[:5000]  # a system may write less than was asked for
            done.append(("written", content))
        return usual[0](handle, content, at)

    def synced(handle: int) -> None:
        done.append(("synced", b""))
        usual[1](handle)

    monkeypatch.setattr(os, "pwrite", written)
    monkeypatch.setattr(os, "fsync", synced)
    store = await open_store(str(path), "test")
    assert b"".join(content for _, content in done) == left
    assert done[-1] == ("synced", b"")
    assert await seats(store) == [1]
    await store.close()


async def test_a_journal_that_cannot_be_synced_is_refused_and_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = await crashed_copy(tmp_path)
    left = path.with_name(path.name + "-wal").read_bytes()

    def fails(_: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", fails)
        with pytest.raises(StoreRefused, match="cannot be written"):
            await open_store(str(path), "test")
    assert path.with_name(path.name + "-wal").read_bytes() == left
    store = await open_store(str(path), "test")
    assert await seats(store) == [1]
    await store.close()


async def test_a_database_that_is_mounted_without_its_folder_is_refused_and_left_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its journal would lie in the container alone, and go with it: the newest acknowledged writes."""
    path = tmp_path / "the data" / "owned.db"
    path.parent.mkdir()
    store = await open_store(str(path), "test")
    await store.write([MAKE, sit(1)])
    await store.close()
    mounts, before = tmp_path / "mountinfo", path.read_bytes()
    monkeypatch.setattr(sqlite_files, "MOUNTS", mounts)
    escaped = str(path).replace(" ", "\\040")
    mounts.write_text(f"22 1 0:21 / / rw - ext4 /dev/a rw\n23 22 0:21 /db {escaped} rw - ext4 /dev/a rw\n")
    with pytest.raises(StoreRefused, match="is mounted by itself"):
        await open_store(str(path), "test")
    with pytest.raises(StoreRefused, match="is mounted by itself"):
        back_up(path, tmp_path / "backup")
    assert path.read_bytes() == before
    mounts.write_text(mounts.read_text().replace("/owned.db", ""))
    again = await open_store(str(path), "test")
    assert await seats(again) == [1]
    await again.close()


async def second_process(path: Path) -> "subprocess.CompletedProcess[bytes]":
    command = [sys.executable, "-m", "tests.support.crashing_writer", str(path)]
    return await asyncio.to_thread(subprocess.run, command, capture_output=True, timeout=20, check=False)


REFUSED_FILES = {
    "no database at all": b"this is not a database, it only has the same length " * 100,
    "a torn first page": b"SQLite format 3\x00" + b"\x10\x00\x01\x01\x00\x40\x20\x20" + b"\xff" * 4000,
}


@pytest.mark.parametrize("content", REFUSED_FILES.values(), ids=REFUSED_FILES.keys())
async def test_a_damaged_file_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "damaged.db"
    path.write_bytes(content)
    with pytest.raises(StoreRefused, match=r"damaged|cannot be opened"):
        await open_store(str(path), "test")
    assert path.read_bytes() == content


async def test_a_damaged_page_within_a_database_is_found_at_the_start(tmp_path: Path) -> None:
    path = tmp_path / "torn.db"
    store = await open_store(str(path), "test")
    await store.write([MAKE, *(sit(number) for number in range(5000))])
    await store.close()
    tear_a_page(path)
    with pytest.raises(StoreRefused, match="damaged"):
        await open_store(str(path), "test")


def tear_a_page(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-8192:-4096] = b"\xaa" * 4096
    path.write_bytes(bytes(content))


async def test_a_large_database_is_looked_through_while_it_is_in_use(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqlite_files, "WHOLE_AT_START_BYTES", 0)
    monkeypatch.setattr(sqlite, "CHECK_AFTER_SECONDS", 0.0)
    path = tmp_path / "large.db"
    store = await open_store(str(path), "test")
    await store.write([MAKE, *(sit(number) for number in range(5000))])
    await store.close()
    store = await open_store(str(path), "test")
    await store.write([sit(5001)])
    await store.close()
    tear_a_page(path)
    store = await open_store(str(path), "test")
    async with asyncio.timeout(30):
        while store.sound:  # noqa: ASYNC110  # a thread finds it
            await asyncio.sleep(0.01)
    with pytest.raises(StoreBroken, match=r"(?s)damaged.*restore"):
        await store.write([sit(5002)])
    await store.close()


async def test_a_database_of_another_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "foreign.db"
    with sqlite3.connect(path) as foreign:
        foreign.execute("CREATE TABLE theirs (a)")
    foreign.close()
    before = path.read_bytes()
    with pytest.raises(StoreRefused, match="another program"):
        await open_store(str(path), "test")
    assert path.read_bytes() == before


@pytest.mark.parametrize("location", ["postgresql://somewhere/db", "", "/no/such/folder/x.db", "/"])
async def test_a_location_that_cannot_be_used_is_refused_in_words(location: str) -> None:
    with pytest.raises(StoreRefused, match="give"):
        await open_store(location, "test")


# --- killed -----------------------------------------------------------------------------------


def _write_until_killed(path: str, seconds: float) -> dict[str, int]:
    """Let a process write, kill it, and return the last version of each stream that it acknowledged."""
    command = [sys.executable, "-m", "tests.support.crashing_writer", path]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        timer = threading.Timer(seconds, process.kill)
        timer.start()
        output, _ = process.communicate(timeout=30)
        timer.cancel()
    acknowledged: dict[str, int] = defaultdict(int)
    for line in output.decode().splitlines(keepends=True):
        if line.endswith("\n"):
            stream, version = line.split()
            acknowledged[stream] = int(version)
    return acknowledged


@pytest.mark.process
async def test_no_acknowledged_event_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    path = str(tmp_path / "killed.db")
    rounds = 0
    deadline = time.monotonic() + 20
    while rounds < 3:
        assert time.monotonic() < deadline
        acknowledged = await asyncio.to_thread(_write_until_killed, path, 1.0)
        store = await open_store(path, "test")
        log = EventLog(store)
        for stream, version in acknowledged.items():
            events = await log.read_all(stream)
            assert len(events) >= version
            assert [event.version for event in events] == list(range(1, len(events) + 1))
        await store.close()
        rounds += bool(acknowledged)
