"""``make sizing``: what a hand, an action, a table and a watcher cost each service, in processor, memory and disk.

Processor time is what the processes themselves used, so that it holds on a machine with other work too; the load at the
beginning and at the end stands in the result. Prints the tables of deploy/SIZING.md, keeps build/bench/sizing.json.
"""

import argparse
import asyncio
import json
import re
import sqlite3
import tempfile
from collections.abc import Mapping
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import Final

import asyncpg
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.console.domain.suite_plan import SERVICES
from shared.config.location import PostgresUrl
from shared.storage.moving import move
from tests.bench.action import STAKES, deep_rules, raising_table
from tests.bench.house import House, open_house
from tests.bench.processes import cpu_seconds, load, memory_kib
from tests.bench.sizing_plan import plan
from tests.bench.sizing_report import Sizes, told
from tests.bench.watching import Audience
from tests.load.playing import Faults, PacedTable
from tests.support.dealer_calls import metrics_of
from tests.support.ledger_house import euro, fresh
from tests.support.postgres_server import PostgresServer

REPORT: Final = Path("build/bench/sizing.json")
_COMMITTED: Final = re.compile(r'^sevenstud_store_writes_total\{outcome="committed"\} (\S+)$', re.MULTILINE)
_AT_ONCE: Final = asyncio.Semaphore(16)
STORED: Final = ("dealer", "tournament_ledger", "orchestrator")
PLAYERS: Final = 6
ACTIONS: Final = 200
WATCHERS: Final = 50
STREAMS_MAX: Final = 500
"""At one table; a connection carries a thousand."""
EVENTS_AN_ACTION: Final = 2


def _database_bytes(house: House, service: str) -> int:
    path = house.suite.folder / f"{service}.sqlite"
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as found:
        (pages,), (size,) = found.execute("PRAGMA page_count").fetchone(), found.execute("PRAGMA page_size").fetchone()
    return int(pages) * int(size)


async def _idle_tables(sizes: Sizes, house: House, count: int) -> None:
    """Tables that nobody plays at: empty ones, then some with players who wait."""
    (pid,) = house.pids("orchestrator")
    memory, disk = memory_kib(pid), _database_bytes(house, "orchestrator")
    await _opened(house, "empty", count)
    sizes.empty_table_kib = (memory_kib(pid) - memory) / count
    sizes.empty_table_bytes = (_database_bytes(house, "orchestrator") - disk) / count
    seated = max(1, count // 4)
    names = await _opened(house, "seated", seated)
    memory = memory_kib(pid)
    await asyncio.gather(*(_seated(house, name) for name in names))
    sizes.seated_table_kib = sizes.empty_table_kib + (memory_kib(pid) - memory) / seated
    memory = memory_kib(pid)
    playing = max(1, count // 20)
    for number in range(playing):
        await raising_table(house, f"raised-{number}")
    sizes.playing_table_kib = (memory_kib(pid) - memory) / playing
    memory, audience, streams = memory_kib(pid), Audience(), min(count, STREAMS_MAX)
    await audience.join([house.tables.Watch(pb.WatchRequest(table_id=names[0])) for _ in range(streams)])
    sizes.watcher_kib = (memory_kib(pid) - memory) / streams
    await audience.leave()


async def _seated(house: House, table_id: str) -> None:
    async with _AT_ONCE:
        await house.seat(table_id, [f"{table_id}-{number}" for number in range(PLAYERS)], 10**9)


async def _opened(house: House, name: str, count: int) -> list[str]:
    ids = []
    for number in range(count):
        opening = pb.OpenTableRequest(
            request_id=fresh(),
            table_id=f"{name}-{number}",
            name=f"{name}-{number}",
            rules=deep_rules(),
            stakes=STAKES,
            chip_value=euro(1),
            start_paused=True,
        )
        ids.append((await house.tables.OpenTable(opening)).table.table_id)
    return ids


async def _play(house: House, name: str, tables: int, seconds: float) -> tuple[list[PacedTable], int]:
    """Whole hands at so many tables; the tables, and how often somebody acted."""
    taken_ms, faults = list[float](), Faults()
    opened = [PacedTable(house, f"{name}-{number}", taken_ms, faults, 0.0) for number in range(tables)]
    for table in opened:
        await table.open()
    await asyncio.gather(*(table.play(seconds, whole=True) for table in opened))
    if faults.found:
        raise AssertionError(faults.found[0])
    for table in opened:
        await house.tables.PauseTable(pb.PauseTableRequest(request_id=fresh(), table_id=table.table_id))
    return opened, len(taken_ms)


async def _hands(sizes: Sizes, house: House, tables: int, seconds: float) -> None:
    """Processor, writes and disk a hand."""
    await _play(house, "warm", tables, min(5.0, seconds))
    disk = {service: _database_bytes(house, service) for service in STORED}
    before, writes = {service: cpu_seconds(house.pids(service)) for service in SERVICES}, await _writes(house)
    opened, sizes.actions = await _play(house, "measured", tables, seconds)
    sizes.hands, sizes.seconds = sum(table.hands for table in opened), seconds
    sizes.events_a_hand = sum(table.events for table in opened) / sizes.hands
    for service in SERVICES:
        sizes.cpu_ms_a_hand[service] = 1000 * (cpu_seconds(house.pids(service)) - before[service]) / sizes.hands
    sizes.writes_a_hand = (await _writes(house) - writes) / sizes.hands
    for service in STORED:
        sizes.sqlite_bytes_a_hand[service] = (_database_bytes(house, service) - disk[service]) / sizes.hands


async def _watchers(sizes: Sizes, house: House) -> None:
    """Processor of a stream more: the same actions without streams and with many."""
    table, audience = await raising_table(house, "watched"), Audience()
    pids = house.pids("orchestrator")

    async def spent() -> float:
        before = cpu_seconds(pids)
        for _ in range(ACTIONS):
            await house.tables.Act(table.next_request())
        return cpu_seconds(pids) - before

    await spent()
    alone = await spent()
    watch = pb.WatchRequest(table_id=table.table_id)
    await audience.join([house.tables.Watch(watch) for _ in range(WATCHERS)])
    watched = await spent()
    async with asyncio.timeout(60):
        while audience.delivered < ACTIONS * WATCHERS * EVENTS_AN_ACTION:  # noqa: ASYNC110  # they count by themselves
            await asyncio.sleep(0.1)
    sizes.watcher_us_an_event = max(0.0, watched - alone) * 1e6 / audience.delivered
    await audience.leave()


async def _writes(house: House) -> float:
    """Durable writes so far."""
    pages = [await metrics_of(house.suite.metrics_address(service)) for service in STORED]
    return sum(float(found) for page in pages for found in _COMMITTED.findall(page))


async def _in_postgres(sizes: Sizes, files: Mapping[str, Path]) -> None:
    """The same rows in PostgreSQL, indexes included: as many times larger as the whole is."""
    server = PostgresServer()
    try:
        server.start()
        for service, path in files.items():
            empty, url = await server.new_database(), await server.new_database()
            await move(path, service, PostgresUrl(url))
            times = (await _size(url) - await _size(empty)) / path.stat().st_size
            sizes.postgres_bytes_a_hand[service] = times * sizes.sqlite_bytes_a_hand[service]
    finally:
        server.close()


async def _size(url: str) -> int:
    connection = await asyncpg.connect(url)
    try:
        return int(await connection.fetchval("SELECT pg_database_size(current_database())"))
    finally:
        await connection.close()


async def measured(tables: int, seconds: float, idle: int) -> Sizes:
    """All of it, in a suite of its own."""
    sizes = Sizes(load_before=load())
    with tempfile.TemporaryDirectory() as folder:
        async with open_house(Path(folder) / "play") as house:
            sizes.base_kib = {service: memory_kib(house.pids(service)[0]) for service in SERVICES}
            await _hands(sizes, house, tables, seconds)
            await _watchers(sizes, house)
            sizes.played_kib = {service: memory_kib(house.pids(service)[0]) for service in SERVICES}
        files = {service: house.suite.folder / f"{service}.sqlite" for service in STORED}
        await _in_postgres(sizes, files)
        async with open_house(Path(folder) / "idle") as house:
            await _idle_tables(sizes, house, idle)
    sizes.load_after = load()
    return sizes


def main() -> None:
    """Measure, keep, print."""
    parser = argparse.ArgumentParser(prog="tests.bench.sizing")
    parser.add_argument("--tables", type=int, default=8, help="that play at a time")
    parser.add_argument("--seconds", type=float, default=30.0, help="of play")
    parser.add_argument("--idle", type=int, default=500, help="tables that nobody plays at")
    options = parser.parse_args()
    sizes = asyncio.run(measured(options.tables, options.seconds, options.idle))
    REPORT.parent.mkdir(parents=True, exist_ok=True)
    REPORT.write_text(json.dumps(asdict(sizes), indent=2), encoding="utf-8")
    print("\n".join((*told(sizes), "", *plan(sizes))))


if __name__ == "__main__":
    main()
