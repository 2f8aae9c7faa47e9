"""Everything at once: replicas killed and stopped, PostgreSQL killed, its connections cut and its tables locked."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Final

import asyncpg

from tests.batteries.chaos.postgres import played_while
from tests.batteries.chaos.tournaments import Evening, Peace
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.postgres_server import PostgresServer
from tests.support.replica_processes import STORED, ReplicaProcesses

AT_ONCE: Final = 3
REST_SECONDS_MAX: Final = 4.0
STARTS_MAX: Final = 20
AWAY: Final = ("does not answer", "cannot start: PostgreSQL")
"""How a service, or the database that is killed meanwhile, is said to be away."""
_OTHERS: Final = """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND random() < 0.5"""
_TABLES: Final = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename"


class Storm:
    """Harm after harm, up to three at the same time, each mended by itself."""

    def __init__(self, postgres: PostgresServer, processes: ReplicaProcesses, harms: int, rng: Random) -> None:
        self._postgres, self._processes, self._rng = postgres, processes, rng
        self._left = harms
        self._progress = Progress("STORM harms", harms)
        self._kept = {each: asyncio.Lock() for each in processes.running}
        self._server = asyncio.Lock()
        self.done = Counter[str]()
        self.peace = Peace()

    async def run(self) -> None:
        """All of them."""
        async with asyncio.TaskGroup() as group:
            for _ in range(AT_ONCE):
                group.create_task(self._harm_on())
        self._progress.finish()

    async def _harm_on(self) -> None:
        kinds: tuple[Callable[[], Awaitable[None]], ...] = (self.kill, self.kill, self.stop, self.stop)
        kinds += (self.crash_server, self.cut_connections, self.lock_table)
        while self._left > 0:
            self._left -= 1
            await asyncio.sleep(self._rng.uniform(0.0, REST_SECONDS_MAX))
            harm = self._rng.choice(kinds)
            async with self.peace.harm():
                await harm()
            self.done[harm.__name__] += 1
            self._progress.add(1)

    async def kill(self) -> None:
        """kill -9 of a replica; another one starts in its place a moment later."""
        async with self._one_of_them() as (service, name):
            await self._processes.kill(service, name)
            await asyncio.sleep(self._rng.choice((0.0, 0.5, 3.0)))
            await self._start(service, name)

    async def _start(self, service: str, name: str) -> None:
        """Again and again, as a supervisor would, but only where what it needs is away."""
        for left in range(STARTS_MAX, -1, -1):
            try:
                await self._processes.start(service, name)
            except AssertionError as refused:
                if not left or not any(away in str(refused) for away in AWAY):
                    raise
            else:
                return

    async def stop(self) -> None:
        """SIGSTOP of a replica, for less or longer than the others wait for it."""
        async with self._one_of_them() as (service, name):
            self._processes.stop(service, name)
            await asyncio.sleep(self._rng.choice((0.5, 3.0, 12.0)))
            self._processes.go_on(service, name)

    @asynccontextmanager
    async def _one_of_them(self) -> AsyncGenerator[tuple[str, str], None]:
        """A process that nobody else hurts now."""
        found = self._rng.choice(sorted(self._kept))
        async with self._kept[found]:
            yield found

    async def crash_server(self) -> None:
        """kill -9 of PostgreSQL."""
        async with self._server:
            await asyncio.to_thread(self._postgres.crash)
            await asyncio.sleep(self._rng.choice((0.0, 0.5, 3.0)))
            await self._postgres.start_again()

    async def cut_connections(self) -> None:
        """Half of all connections end, whatever they were about."""
        async with self._server, self._connected(self._postgres.url()) as connection:
            await connection.execute(_OTHERS)

    async def lock_table(self) -> None:
        """Somebody locks a table of a service, as a careless change of a schema would."""
        async with self._server, self._connected(self._processes.urls[self._rng.choice(STORED)]) as connection:
            tables = [str(row["tablename"]) for row in await connection.fetch(_TABLES)]
            async with connection.transaction():
                await connection.execute(f'LOCK TABLE "{self._rng.choice(tables)}" IN ACCESS EXCLUSIVE MODE')
                await asyncio.sleep(self._rng.choice((0.5, 3.0, 12.0)))

    @asynccontextmanager
    async def _connected(self, url: str) -> "AsyncGenerator[asyncpg.Connection[asyncpg.Record], None]":
        connection = await asyncpg.connect(url)
        try:
            yield connection
        finally:
            await connection.close()


async def _run(harms: int, seed: int) -> tuple[Storm, Evening]:
    postgres = PostgresServer()
    try:
        postgres.start()
        with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
            async with ReplicaProcesses(Path(folder), postgres) as processes:
                storm = Storm(postgres, processes, harms, Random(seed))
                return storm, await played_while(processes, storm)
    finally:
        postgres.close()


def everything_at_once(harms: int) -> Iterator[Row]:
    """Row STORM."""
    seed = Random().getrandbits(32)
    storm, evening = asyncio.run(_run(harms, seed))
    done = ", ".join(f"{kind} {count}" for kind, count in sorted(storm.done.items()))
    for fault in evening.faults:
        print(f"  fault {fault}")
    yield judged(
        "STORM",
        f"{harms} harms, three at a time, in tournaments of two orchestrators, ledgers and dealers on one PostgreSQL: "
        "kill -9 and SIGSTOP of any process, PostgreSQL killed, its connections cut, its tables locked: nothing lost, "
        "doubled or voided, all go on by themselves",
        f"{done}; {evening.tournaments} tournaments, {evening.hands} hands, {len(evening.faults)} faults"
        + (f": {evening.faults[0]}" if evening.faults else "")
        + f", seed {seed}",
        holds=not evening.faults and storm.done.total() == harms and evening.hands > 0,
    )
