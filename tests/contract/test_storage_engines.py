"""What every storage engine promises, tried on each one as it is: a file, and a real PostgreSQL."""

import asyncio
from pathlib import Path

import pytest

from shared.storage.database import (
    ConstraintViolated,
    Statement,
    Store,
    StoreRefused,
    StoreUnavailable,
    WriteConflict,
)
from shared.storage.event_log import EventLog, NewEvent
from shared.storage.moment import time_of
from tests.support.engines import Engine, migrations_of
from tests.support.seats_table import MAKE, seats, sit


@pytest.fixture
async def store(engine: Engine) -> Store:
    opened = await engine.open()
    await opened.write([MAKE])
    return opened


async def test_a_write_is_seen_by_the_next_read(store: Store) -> None:
    await store.write([sit(1), sit(2)])
    assert await seats(store) == [1, 2]


async def test_a_write_takes_effect_whole_or_not_at_all(store: Store) -> None:
    await store.write([sit(1)])
    with pytest.raises(WriteConflict) as conflict:
        await store.write([sit(2), sit(1), sit(3)])
    assert conflict.value.label == "seat 1"
    assert await seats(store) == [1]


async def test_a_statement_that_touches_other_rows_than_it_must_is_a_conflict(store: Store) -> None:
    await store.write([sit(1)])
    update = Statement("UPDATE seats SET chips = 5 WHERE seat = ? AND chips = ?", (1, 99), rows=1, label="guard")
    with pytest.raises(WriteConflict, match="0 rows instead of 1"):
        await store.write([update])


async def test_a_breach_of_the_schema_is_not_mistaken_for_a_conflict(store: Store) -> None:
    for chips in (-1, None):
        with pytest.raises(ConstraintViolated):
            await store.write([sit(1, chips)])
    assert await seats(store) == []


async def test_wrong_sql_hurts_nobody_else(store: Store) -> None:
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


async def test_writes_that_arrive_together_share_commits_and_conflicts_stay_apart(store: Store) -> None:
    results = await asyncio.gather(*(store.write([sit(number % 50)]) for number in range(200)), return_exceptions=True)
    assert sum(result is None for result in results) == 50
    assert all(result is None or isinstance(result, WriteConflict) for result in results)
    assert await seats(store) == list(range(50))


async def test_a_caller_that_goes_away_leaves_a_whole_write_or_none(store: Store) -> None:
    for number in range(0, 40, 2):
        task = asyncio.create_task(store.write([sit(number), sit(number + 1)]))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await store.write([sit(100)])
    taken = set(await seats(store))
    assert all((number in taken) == (number + 1 in taken) for number in range(0, 40, 2))


async def test_a_closed_store_finishes_what_waits_and_takes_nothing_more(engine: Engine, store: Store) -> None:
    tasks = [asyncio.create_task(store.write([sit(number)])) for number in range(20)]
    await asyncio.sleep(0)
    await store.close()
    await asyncio.gather(*tasks)
    with pytest.raises(StoreUnavailable):
        await store.write([sit(99)])
    with pytest.raises(StoreUnavailable):
        await store.read("SELECT 1")
    assert await seats(await engine.open()) == list(range(20))


async def test_many_appends_of_one_stream_at_a_time_leave_no_gap_and_no_double(store: Store) -> None:
    log = EventLog(store)

    async def append(number: int) -> int:
        while True:
            version = await log.version("t")
            try:
                await store.write(log.append("t", version, [NewEvent("fact", bytes([number]))] * 2, 1))
            except WriteConflict:
                continue
            return version

    versions = await asyncio.gather(*(append(number) for number in range(20)))
    events = await log.read_all("t")
    assert sorted(versions) == list(range(0, 40, 2))
    assert [event.version for event in events] == list(range(1, 41))
    assert all(first.payload == second.payload for first, second in zip(events[::2], events[1::2], strict=True))


async def test_texts_are_ordered_by_code_point_whatever_the_locale(engine: Engine) -> None:
    store = await engine.open()
    log = EventLog(store)
    for name in ("b", "B", "a/1", "a.1", "é", "a", "\U0001f0a1"):
        await store.write(log.append(name, 0, [NewEvent("fact", b"")], 1))
    assert [name for name, _ in await log.streams("")] == ["B", "a", "a.1", "a/1", "b", "é", "\U0001f0a1"]


async def test_values_come_back_as_they_went_in(store: Store) -> None:
    await store.write([Statement("CREATE TABLE kept (a BIGINT, b TEXT, c BYTEA)")])
    rows = [(2**63 - 1, "♠ 'quoted' ?", b"\x00\xff"), (-(2**63), "", b""), (None, None, None)]
    await store.write([Statement("INSERT INTO kept (a, b, c) VALUES (?, ?, ?)", row) for row in rows])
    assert await store.read("SELECT a, b, c FROM kept ORDER BY a IS NULL, a DESC") == rows
    assert await store.read("SELECT b FROM kept WHERE b = '?' OR a = ?", (2**63 - 1,)) == [("♠ 'quoted' ?",)]
    assert await store.read("SELECT SUM(a), COUNT(*) FROM kept WHERE a > ?", (0,)) == [(2**63 - 1, 1)]


# --- who may open what ------------------------------------------------------------------------


async def test_processes_that_share_a_database_take_the_time_from_it(engine: Engine, store: Store) -> None:
    if engine.name == "sqlite":
        assert await time_of(store) is None
        return
    before = await store.read("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)")
    told = await time_of(store)
    after = await store.read("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)")
    assert told is not None
    half_a_look = 500_000  # of a very busy machine: the answer is taken to be half way between question and end
    micros = told.timestamp() * 1_000_000
    assert int(str(before[0][0])) - half_a_look <= micros <= int(str(after[0][0])) + half_a_look


async def test_a_database_of_another_program_is_refused_and_left_as_it_is(engine: Engine) -> None:
    await engine.by_hand("CREATE TABLE theirs (a TEXT)")
    for _ in range(2):
        with pytest.raises(StoreRefused, match="another program"):
            await engine.open()


async def test_a_database_whose_book_of_migrations_is_another_program_s_is_refused(engine: Engine) -> None:
    await engine.by_hand("CREATE TABLE schema_migrations (id BIGINT)")
    with pytest.raises(StoreRefused, match="another program"):
        await engine.open()


async def test_a_database_of_another_service_is_refused(engine: Engine, tmp_path: Path) -> None:
    await (await engine.open("dealer", migrations_of(tmp_path, "CREATE TABLE decks (a TEXT);"))).close()
    with pytest.raises(StoreRefused, match="belongs to the service dealer"):
        await engine.open("ledger")


async def test_a_database_newer_than_the_program_is_refused(engine: Engine) -> None:
    await (await engine.open()).close()
    await engine.by_hand("INSERT INTO schema_migrations VALUES ('test', 7, '0007_future.sql', 'x')")
    with pytest.raises(StoreRefused, match="newer than the program"):
        await engine.open()


# --- migrations -------------------------------------------------------------------------------


async def test_migrations_are_applied_once_and_in_order(engine: Engine, tmp_path: Path) -> None:
    first = migrations_of(tmp_path, "CREATE TABLE a (x TEXT); -- first\nCREATE TABLE b (x TEXT);")
    await (await engine.open("test", first)).close()
    both = migrations_of(tmp_path, (tmp_path / "wanted/0001_step.sql").read_text(), "ALTER TABLE a ADD COLUMN y TEXT;")
    store = await engine.open("test", both)
    await store.write([Statement("INSERT INTO a (x, y) VALUES ('1', '2')")])
    await store.close()


async def test_a_migration_that_was_changed_later_is_refused(engine: Engine, tmp_path: Path) -> None:
    await (await engine.open("test", migrations_of(tmp_path, "CREATE TABLE a (x TEXT);"))).close()
    with pytest.raises(StoreRefused, match=r"0001_step\.sql was changed"):
        await engine.open("test", migrations_of(tmp_path, "CREATE TABLE a (x BIGINT);"))


async def test_a_package_without_migrations_is_a_faulty_installation(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(StoreRefused, match="missing from the installation"):
        await engine.open("test", migrations_of(tmp_path))


async def test_a_migration_that_fails_leaves_nothing_behind(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(StoreRefused, match="nothing was changed"):
        await engine.open("test", migrations_of(tmp_path, "CREATE TABLE a (x TEXT);\nCREATE TABLE a (y TEXT);"))
    store = await engine.open("test", migrations_of(tmp_path, "CREATE TABLE a (x TEXT);"))
    await store.close()
