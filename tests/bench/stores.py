"""What durability costs per action: group commit, full sync and PostgreSQL, each as a ratio in one run.

A write here has the shape of an action's: the head of a stream moves, three events of 150 bytes are appended.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Final

from shared.config.location import PostgresUrl
from shared.storage.database import Store
from shared.storage.event_log import EventLog, NewEvent
from shared.storage.opening import open_database
from tests.bench.measuring import Findings, Options, Row
from tests.bench.postgres import synced_postgres

SECTION: Final = "durability"
IN_FLIGHT: Final = 64
_EVENTS: Final = tuple(NewEvent("Happened", bytes(150)) for _ in range(3))
Opening = Callable[[Path], AbstractAsyncContextManager[Store]]


@asynccontextmanager
async def _sqlite(folder: Path, synchronous: str = "FULL") -> AsyncGenerator[Store]:
    """The store as it is shipped; or synced less."""
    store = await open_database(folder / f"{synchronous}.sqlite", "bench")
    try:
        if synchronous != "FULL":
            store._connection.execute(f"PRAGMA synchronous={synchronous}")  # type: ignore[attr-defined]  # of this engine
        yield store
    finally:
        await store.close()


@asynccontextmanager
async def _unsynced(folder: Path) -> AsyncGenerator[Store]:
    async with _sqlite(folder, "OFF") as store:
        yield store


@asynccontextmanager
async def _postgres(_: Path) -> AsyncGenerator[Store]:
    with synced_postgres() as server:
        store = await open_database(PostgresUrl(await server.new_database()), "bench")
        try:
            yield store
        finally:
            await store.close()


async def _rate(opening: Opening, in_flight: int, seconds: float, folder: Path) -> float:
    """Writes a second with so many waiting at a time."""
    async with opening(folder) as store:
        log, names, done = EventLog(store), count(), 0
        end = time.perf_counter() + seconds

        async def writer() -> None:
            nonlocal done
            while time.perf_counter() < end:
                await store.write(log.append(f"table/{next(names)}", 0, _EVENTS, 1))
                done += 1

        began = time.perf_counter()
        await asyncio.gather(*(writer() for _ in range(in_flight)))
        return done / (time.perf_counter() - began)


COMPARED: Final = (
    ("SQLite, 64 actions in flight share commits", "the same, one action at a time", (_sqlite, 64), (_sqlite, 1)),
    ("SQLite, full sync, 64 in flight", "the same without any sync", (_sqlite, 64), (_unsynced, 64)),
    ("SQLite, full sync, one at a time", "the same without any sync", (_sqlite, 1), (_unsynced, 1)),
    ("PostgreSQL, synced, 64 in flight", "SQLite, full sync, 64 in flight", (_postgres, 64), (_sqlite, 64)),
    ("PostgreSQL, synced, one at a time", "SQLite, full sync, one at a time", (_postgres, 1), (_sqlite, 1)),
)


def bench_stores(findings: Findings, options: Options) -> None:
    """Ours beside the other, round by round."""
    for name, beside, ours, floor in COMPARED:
        samples: tuple[list[float], list[float]] = ([], [])
        for _ in range(options.rounds):
            for found, (opening, in_flight) in zip(samples, (ours, floor), strict=True):
                with tempfile.TemporaryDirectory(prefix="bench-", dir="build/bench") as folder:
                    found.append(asyncio.run(_rate(opening, in_flight, options.seconds, Path(folder))))
        findings.add(
            Row(
                section=SECTION,
                name=name,
                unit="actions a second",
                ours=tuple(samples[0]),
                beside=beside,
                floor=tuple(samples[1]),
            )
        )
