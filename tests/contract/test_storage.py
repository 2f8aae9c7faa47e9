"""What every storage engine promises, tried on the real one."""

import asyncio
import importlib.util
import sqlite3
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path
from types import ModuleType

import pytest

from shared.storage import sqlite
from shared.storage.database import (
    ConstraintViolated,
    Statement,
    StoreBroken,
    StoreRefused,
    StoreUnavailable,
    WriteConflict,
)
from shared.storage.event_log import EventLog
from shared.storage.migrations import migrate
from shared.storage.sqlite import SqliteStore, open_store
from shared.storage.sqlite_files import open_writer
from tests.support.failing_disk import FailingDisk
from tests.support.seats_table import MAKE, seats, sit


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await open_store(str(tmp_path / "test.db"), "test")
    await opened.write([MAKE])
    yield opened
    await opened.close()


async def test_a_write_is_seen_by_the_next_read(store: SqliteStore) -> None:
    await store.write([sit(1), sit(2)])
    assert await seats(store) == [1, 2]


async def test_a_write_takes_effect_whole_or_not_at_all(store: SqliteStore) -> None:
    await store.write([sit(1)])
    with pytest.raises(WriteConflict) as conflict:
        await store.write([sit(2), sit(1), sit(3)])
    assert conflict.value.label == "seat 1"
    assert await seats(store) == [1]


async def test_a_statement_that_touches_other_rows_than_it_must_is_a_conflict(store: SqliteStore) -> None:
    await store.write([sit(1)])
    update = Statement("UPDATE seats SET chips = 5 WHERE seat = ? AND chips = ?", (1, 99), rows=1, label="guard")
    with pytest.raises(WriteConflict, match="0 rows instead of 1"):
        await store.write([update])


async def test_a_breach_of_the_schema_is_not_mistaken_for_a_conflict(store: SqliteStore) -> None:
    for chips in (-1, None):
        with pytest.raises(ConstraintViolated):
            await store.write([sit(1, chips)])
    assert await seats(store) == []


async def test_wrong_sql_hurts_nobody_else(store: SqliteStore) -> None:
    wrong = [
        Statement("INSERT INTO nowhere VALUES (1)"),
        Statement("INSERT INTO seats VALUES (?, ?)", (1,)),
        Statement("INSERT INTO seats VALUES (?, ?)", (1, 2**70)),
    ]
    results = await asyncio.gather(
        *(store.write([statement]) for statement in wrong), store.write([sit(4)]), return_exceptions=True
    )
    assert [isinstance(result, Exception) for result in results] == [True, True, True, False]
    assert await seats(store) == [4]


async def test_writes_that_arrive_together_share_commits_and_conflicts_stay_apart(store: SqliteStore) -> None:
    results = await asyncio.gather(*(store.write([sit(number % 50)]) for number in range(200)), return_exceptions=True)
    assert sum(result is None for result in results) == 50
    assert all(result is None or isinstance(result, WriteConflict) for result in results)
    assert await seats(store) == list(range(50))


async def test_a_caller_that_goes_away_leaves_a_whole_write_or_none(store: SqliteStore) -> None:
    for number in range(0, 40, 2):
        task = asyncio.create_task(store.write([sit(number), sit(number + 1)]))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await store.write([sit(100)])
    taken = set(await seats(store))
    assert all((number in taken) == (number + 1 in taken) for number in range(0, 40, 2))


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


async def test_a_closed_store_finishes_what_waits_and_takes_nothing_more(tmp_path: Path) -> None:
    path = str(tmp_path / "closing.db")
    store = await open_store(path, "test")
    await store.write([MAKE])
    tasks = [asyncio.create_task(store.write([sit(number)])) for number in range(20)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*tasks)
    with pytest.raises(StoreUnavailable):
        await store.write([sit(99)])
    with pytest.raises(StoreUnavailable):
        await store.read("SELECT 1")
    again = await open_store(path, "test")
    assert await seats(again) == list(range(20))
    await again.close()


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
    content = bytearray(path.read_bytes())
    content[-8192:-4096] = b"\xaa" * 4096
    path.write_bytes(bytes(content))
    with pytest.raises(StoreRefused, match="damaged"):
        await open_store(str(path), "test")


async def test_a_database_of_another_program_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "foreign.db"
    with sqlite3.connect(path) as foreign:
        foreign.execute("CREATE TABLE theirs (a)")
    foreign.close()
    before = path.read_bytes()
    with pytest.raises(StoreRefused, match="another program"):
        await open_store(str(path), "test")
    assert path.read_bytes() == before


async def test_a_database_of_another_service_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "dealer.db")
    connection = open_writer(Path(path))
    migrate(connection, "dealer", _package(tmp_path, "CREATE TABLE decks (a TEXT);"))
    connection.close()
    with pytest.raises(StoreRefused, match="belongs to the service dealer"):
        await open_store(path, "ledger")


async def test_a_database_newer_than_the_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "newer.db"
    await (await open_store(str(path), "test")).close()
    with sqlite3.connect(path) as newer:
        newer.execute("INSERT INTO schema_migrations VALUES ('test', 7, '0007_future.sql', 'x')")
    newer.close()
    with pytest.raises(StoreRefused, match="newer than the program"):
        await open_store(str(path), "test")


@pytest.mark.parametrize("location", ["postgresql://somewhere/db", "", "/no/such/folder/x.db", "/"])
async def test_a_location_that_cannot_be_used_is_refused_in_words(location: str) -> None:
    with pytest.raises(StoreRefused, match="give"):
        await open_store(location, "test")


# --- migrations -------------------------------------------------------------------------------


def _package(folder: Path, *files: str) -> ModuleType:
    package = folder / "wanted"
    package.mkdir(exist_ok=True)
    for number, text in enumerate(files, start=1):
        (package / f"{number:04}_step.sql").write_text(text)
    (package / "__init__.py").write_text("")
    spec = importlib.util.spec_from_file_location("wanted", package / "__init__.py")
    assert spec is not None
    return importlib.util.module_from_spec(spec)


async def test_migrations_are_applied_once_and_in_order(tmp_path: Path) -> None:
    path = str(tmp_path / "m.db")
    first = _package(tmp_path, "CREATE TABLE a (x TEXT); -- first\nCREATE TABLE b (x TEXT);")
    await (await open_store(path, "test", first)).close()
    both = _package(tmp_path, (tmp_path / "wanted/0001_step.sql").read_text(), "ALTER TABLE a ADD COLUMN y TEXT;")
    store = await open_store(path, "test", both)
    await store.write([Statement("INSERT INTO a (x, y) VALUES ('1', '2')")])
    await store.close()


async def test_a_migration_that_was_changed_later_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "m.db")
    await (await open_store(path, "test", _package(tmp_path, "CREATE TABLE a (x TEXT);"))).close()
    with pytest.raises(StoreRefused, match=r"0001_step\.sql was changed"):
        await open_store(path, "test", _package(tmp_path, "CREATE TABLE a (x BIGINT);"))


async def test_a_package_without_migrations_is_a_faulty_installation(tmp_path: Path) -> None:
    with pytest.raises(StoreRefused, match="missing from the installation"):
        await open_store(str(tmp_path / "m.db"), "test", _package(tmp_path))


async def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = str(tmp_path / "m.db")
    with pytest.raises(StoreRefused, match="nothing was changed"):
        await open_store(path, "test", _package(tmp_path, "CREATE TABLE a (x TEXT);\nCREATE TABLE a (y TEXT);"))
    store = await open_store(path, "test", _package(tmp_path, "CREATE TABLE a (x TEXT);"))
    await store.close()


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
