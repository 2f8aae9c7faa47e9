"""S5: one of two replicas of a service stands still (SIGSTOP); the tables of the others go on, and it catches up."""

import asyncio
import os
import signal
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path
from typing import Final

import asyncpg

from tests.batteries.chaos.busy_tables import BusyTable, open_tables
from tests.batteries.report import Row, judged
from tests.batteries.rolling.replicas import ORDER, STORED, Replicas
from tests.batteries.runner import step_by_step
from tests.support.postgres_server import PostgresServer

TABLES: Final = 6
SLOWER_MAX: Final = 2.0
CONVERGED_SECONDS_MAX: Final = 5.0
TURNS: Final = 2
"""Of each table are waited for to see that it goes on; what they take undisturbed is none of the catching up."""
WARM_SECONDS: Final = 3.0
REST_SECONDS: Final = 6.0
"""Longer than it takes the others to hear of one that is back."""
_EPOCHS: Final = "SELECT subject, epoch FROM owners"


class Span:
    """A stretch of time, and how long each action took until the next turn in it."""

    def __init__(self, tables: list[BusyTable]) -> None:
        self._tables = tables
        self._from = time.monotonic()
        self._until = 0.0

    def end(self) -> None:
        """It is over."""
        self._until = time.monotonic()

    def p99(self, tables: list[BusyTable]) -> tuple[float, int]:
        """The 99th of a hundred at these tables, and how many there were."""
        found = sorted(
            taken for table in tables for at, taken in table.taken if self._from <= at and at + taken <= self._until
        )
        return (found[min(len(found) - 1, int(len(found) * 0.99))] if found else float("inf")), len(found)


class Stopping:
    """Six tables that play without a pause on two of each service."""

    def __init__(self, replicas: Replicas, tables: list[BusyTable], seconds: int) -> None:
        self._replicas, self._tables, self._seconds = replicas, tables, seconds

    async def stop(self, service: str) -> Row:
        """One replica stands still for a while."""
        before = await self._undisturbed()
        epochs = await self._epochs()
        pid = self._replicas.running[service, 0].process.pid
        span = Span(self._tables)
        os.kill(pid, signal.SIGSTOP)
        try:
            await asyncio.sleep(self._seconds)
        finally:
            os.kill(pid, signal.SIGCONT)
        span.end()
        converged = await self._converged()
        others = self._others(service, epochs, await self._epochs())
        await asyncio.sleep(REST_SECONDS)
        after = await self._undisturbed()
        calm = max(before.p99(others)[0], after.p99(others)[0])
        hurt, count = span.p99(others)
        catching_up = CONVERGED_SECONDS_MAX + TURNS * calm
        faults = [fault for table in self._tables for fault in await table.faults()]
        return judged(
            "S5",
            f"{service} stopped (SIGSTOP) for {self._seconds} s, one of two: other tables' p99 at most twice as long, "
            "converged within 5 s of SIGCONT, 0 writes of an old epoch accepted",
            f"from an action to the next turn p99 {hurt * 1000:.0f} ms against {calm * 1000:.0f} ms undisturbed "
            f"({hurt / calm:.1f} times; {count} at {len(others)} tables), converged after {converged:.1f} s "
            f"with {TURNS} turns of each table, {len(faults)} gaps, doubles or differences in the logs"
            + (f": {faults[0]}" if faults else ""),
            holds=hurt <= SLOWER_MAX * calm and converged <= catching_up and not faults and bool(count),
        )

    async def _undisturbed(self) -> Span:
        span = Span(self._tables)
        await asyncio.sleep(self._seconds / 2)
        span.end()
        return span

    def _others(self, service: str, before: dict[str, int], after: dict[str, int]) -> list[BusyTable]:
        """Tables that another orchestrator drives and serves; where another service is stopped, all."""
        if service != "orchestrator":
            return self._tables
        kept = {subject for subject, epoch in before.items() if after.get(subject) == epoch}
        return [table for table in self._tables if table.home == 1 and f"table/{table.table_id}" in kept]

    async def _converged(self) -> float:
        """Until every table has a new turn, and both orchestrators have all that was written before."""
        began = time.monotonic()
        waits = (table.moves_on(TURNS) for table in self._tables)
        try:
            async with asyncio.timeout(60):
                await asyncio.gather(*waits)
                await asyncio.gather(*(table.replicas_agree() for table in self._tables))
        except TimeoutError:
            return float("inf")
        return time.monotonic() - began

    async def _epochs(self) -> dict[str, int]:
        connection = await asyncpg.connect(self._replicas.urls["orchestrator"])
        try:
            return {str(row["subject"]): int(row["epoch"]) for row in await connection.fetch(_EPOCHS)}
        finally:
            await connection.close()


async def _rows(seconds: int) -> AsyncGenerator[Row, None]:
    postgres = PostgresServer()
    try:
        await asyncio.to_thread(postgres.start)
        with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
            replicas = Replicas(Path(folder), {service: await postgres.new_database() for service in STORED}, None)
            try:
                await replicas.start_all()
                running = {service: replicas.addresses[service][:2] for service in ORDER}
                async with open_tables(running, TABLES) as tables:
                    await asyncio.sleep(WARM_SECONDS)
                    stopping = Stopping(replicas, tables, seconds)
                    for service in ORDER:
                        yield await stopping.stop(service)
            finally:
                replicas.end()
    finally:
        postgres.close()


def stopped_replicas(seconds: int) -> Iterator[Row]:
    """Row S5, one for each service."""
    yield from step_by_step(lambda: _rows(seconds))
