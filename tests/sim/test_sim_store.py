"""The simulated disk: the same answers as the real store, and after a crash what was synced and nothing else."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from shared.storage.database import Statement, Store, StoreBroken, StoreUnavailable, WriteConflict
from shared.storage.sqlite import open_store
from tests.sim.loop import VirtualLoop, run_world
from tests.sim.store import DiskHabits, SimDisk, SimStore
from tests.support.seats_table import MAKE, seats, sit


def disk_with_seats() -> SimDisk:
    disk = SimDisk("test", None)
    disk.connection.execute(MAKE.sql)
    return disk


def store_on(disk: SimDisk, habits: DiskHabits | None = None, seed: int = 1) -> SimStore:
    return SimStore(disk, Random(seed), habits or DiskHabits())


def in_a_world(work: Any) -> Any:
    return run_world(lambda _: work)


async def outcomes(store: Store, writes: Sequence[Sequence[Statement]]) -> list[str]:
    """What each write came to, all asked for at once."""
    found = await asyncio.gather(*(store.write(write) for write in writes), return_exceptions=True)
    return ["written" if each is None else f"{type(each).__name__} {each}" for each in found]


def random_writes(random: Random) -> list[list[Statement]]:
    """Some that collide, some that touch no row, one that is no SQL."""
    writes = [[sit(random.randint(1, 6)) for _ in range(random.randint(1, 3))] for _ in range(8)]
    guard = Statement("UPDATE seats SET chips = 5 WHERE seat = ? AND chips = ?", (1, 99), rows=1, label="guard")
    return [*writes, [guard], [Statement("INSERT INTO nowhere VALUES (1)")]]


@pytest.mark.parametrize("seed", range(10))
async def test_the_simulated_store_answers_like_the_real_one(tmp_path: Path, seed: int) -> None:
    writes = random_writes(Random(seed))
    real = await open_store(str(tmp_path / "test.db"), "test")
    try:
        await real.write([MAKE])
        wanted = await outcomes(real, writes), await seats(real)
    finally:
        await real.close()

    async def simulated() -> Any:
        store = store_on(disk_with_seats())
        return await outcomes(store, writes), await seats(store)

    assert await asyncio.to_thread(in_a_world, simulated()) == wanted


def test_a_crash_keeps_every_write_that_was_answered_and_no_part_of_another() -> None:
    async def crashed(disk: SimDisk, seed: int) -> int:
        store = store_on(disk, seed=seed)
        await store.write([sit(1)])
        writing = asyncio.ensure_future(store.write([sit(2), sit(3)]))
        await asyncio.sleep(0.0001)
        store.crash()
        assert not writing.done()
        writing.cancel()
        return len(await seats(store_on(disk)))

    kept = {in_a_world(crashed(disk_with_seats(), seed)) for seed in range(20)}
    assert kept == {1, 3}  # the write on its way is there whole, or not at all


def test_a_disk_that_answers_before_the_sync_loses_what_it_answered() -> None:
    async def crashed() -> list[int]:
        disk = disk_with_seats()
        habits = DiskHabits(answer_before_sync=True)
        for seed in range(20):
            store = store_on(disk, habits, seed)
            await store.write([sit(seed + 1)])
            store.crash()
        return await seats(store_on(disk))

    assert len(in_a_world(crashed())) < 20


def test_a_full_disk_changes_nothing_and_takes_the_next_write() -> None:
    async def filled() -> list[int]:
        store = store_on(disk_with_seats(), DiskHabits(full_rate=1.0))
        with pytest.raises(StoreUnavailable):
            await store.write([sit(1)])
        store.habits = replace(store.habits, full_rate=0.0)
        await store.write([sit(2)])
        return await seats(store)

    assert in_a_world(filled()) == [2]


def test_a_broken_disk_takes_nothing_more() -> None:
    async def broken() -> None:
        store = store_on(disk_with_seats(), DiskHabits(broken_rate=1.0))
        for _ in range(2):
            with pytest.raises(StoreBroken):
                await store.write([sit(1)])
        assert not store.sound

    in_a_world(broken())


def test_a_write_is_seen_by_the_next_read_and_time_is_virtual() -> None:
    async def read(loop: VirtualLoop) -> list[int]:
        store = store_on(disk_with_seats())
        await store.write([sit(1), sit(2)])
        with pytest.raises(WriteConflict):
            await store.write([sit(2)])
        await asyncio.sleep(86_400)
        assert loop.time() > 86_400
        return await seats(store)

    assert run_world(read) == [1, 2]
