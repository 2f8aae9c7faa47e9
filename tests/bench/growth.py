"""How cost grows: an action among 10 to 10,000 open tables, and after a log of millions of events; memory of a table.

What an action costs is the processor time of orchestrator, betting and caller over that of the floor beside it, so that
a machine that drifts meanwhile is no growth.
"""

import asyncio
import sqlite3
import time
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing
from dataclasses import dataclass, field
from math import log10
from pathlib import Path
from statistics import median
from typing import Final

import grpc
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from tests.bench.action import CALL_SECONDS, STAKES, RaisingTable, Side, deep_rules, raising_table
from tests.bench.house import BACKEND, House
from tests.bench.measuring import Findings, Options, Row, Samples
from tests.bench.messages import write_messages
from tests.bench.processes import cpu_seconds, floor_process, memory_kib
from tests.support.ledger_house import euro, fresh
from tests.support.servers import calling

SECTION: Final = "growth"
ACTING: Final = 10
FLAT: Final = 1.15
TABLE_KIB: Final = 20.0
OPENING: Final = 32
"""Tables opened at a time."""
EVENT_BYTES: Final = 160
STREAM_EVENTS: Final = 10_000
ROWS: Final = 50_000
MICROS: Final = 1_700_000_000_000_000
_THERE: Final = "SELECT COALESCE(SUM(version), 0) FROM event_streams WHERE stream LIKE 'old/%'"
_INSERT: Final = "INSERT INTO events VALUES (?, ?, ?, ?, ?)"


@dataclass(slots=True)
class Curve:
    """What an action costs as something grows."""

    name: str
    beside: str
    samples: list[tuple[int, Samples]] = field(default_factory=list[tuple[int, Samples]])
    """How much of it there was; ours against the floor, round by round."""

    def tell(self, findings: Findings) -> None:
        """The largest beside the smallest, and the picture."""
        least, most = self.samples[0], self.samples[-1]
        row = Row(
            section=SECTION,
            name=f"CPU an action {self.name.format(most[0])}",
            unit="times the floor's",
            ours=most[1],
            beside=self.beside,
            floor=(median(least[1]),) * len(most[1]),
            target=FLAT,
            at_most=True,
        )
        findings.add(row)
        points = [(log10(max(1, count)), median(ratios)) for count, ratios in self.samples]
        picture = f"CPU an action {self.name.format(0).replace('0 ', '').strip()}, times the floor's"
        findings.curves[picture] = {"to the right: ten times as many a step": points}


class Acting:
    """Tables that act, and the floor of their actions."""

    def __init__(self, house: House, tables: list[RaisingTable]) -> None:
        """At these tables."""
        self._house = house
        self._tables = tables

    @asynccontextmanager
    async def sides(self) -> AsyncGenerator[tuple[Side, Side]]:
        """Ours, and the floor, for the length of the block."""
        folder, house = self._house.folder, self._house
        async with AsyncExitStack() as opened:
            betting = await opened.enter_async_context(floor_process("betting", folder))
            server = await opened.enter_async_context(floor_process("orchestrator", folder, betting.address))
            plain = await opened.enter_async_context(grpc.aio.insecure_channel(server.address))
            address = house.suite.address("orchestrator")
            caller = await opened.enter_async_context(calling(address, BACKEND, CALL_SECONDS))
            copies = [RaisingTable(each.table_id, each.players) for each in self._tables]
            ours = Side(TableServiceStub(caller).Act, house.pids("orchestrator", "betting"), self._tables)
            yield ours, Side(TableServiceStub(plain).Act, (server.pid, betting.pid), copies)

    async def cost(self, options: Options) -> Samples:
        """Processor time of an action, ours against the floor's, round by round."""
        async with self.sides() as (ours, floor):
            for side in (ours, floor):
                await side.warm_up(ACTING, min(0.5, options.seconds))
            for _ in range(options.rounds):
                await ours.round(ACTING, options.seconds)
                await floor.round(ACTING, options.seconds)
            return tuple(mine / its for mine, its in zip(ours.cpu_micros, floor.cpu_micros, strict=True))


async def bench_growth(findings: Findings, options: Options, house: House) -> None:
    """More and more open tables, then a longer and longer log."""
    tables = [await raising_table(house, f"growing-{number}") for number in range(ACTING)]
    write_messages(house.folder)
    acting = Acting(house, tables)
    await _longer_log(findings, options, house, acting, tables[0])
    await _more_tables(findings, options, house, acting)


async def _more_tables(findings: Findings, options: Options, house: House, acting: Acting) -> None:
    curve = Curve("among {:,} open tables", f"among {ACTING}")
    (pid,) = house.pids("orchestrator")
    open_count, memory = ACTING, 0
    for count in (ACTING, *(ten for ten in (100, 1000, 10_000) if ten <= options.open_tables)):
        if count == options.open_tables:
            memory = memory_kib(pid)
        more = count - open_count
        await _open(house, open_count, more)
        if count == options.open_tables:
            kib = (memory_kib(pid) - memory) / more
            row = Row(section=SECTION, name=f"memory of an idle table, {count:,} of them", unit="KiB", ours=(kib,))
            findings.add(_limited(row, TABLE_KIB, "20 KiB"))
        open_count = count
        curve.samples.append((count, await acting.cost(options)))
    curve.tell(findings)


def _limited(row: Row, limit: float, beside: str) -> Row:
    return Row(
        section=row.section,
        name=row.name,
        unit=row.unit,
        ours=row.ours,
        beside=beside,
        floor=(limit,),
        target=1.0,
        at_most=True,
    )


async def _open(house: House, first: int, count: int) -> None:
    gate = asyncio.Semaphore(OPENING)

    async def one(number: int) -> None:
        async with gate:
            name = f"idle-{number}"
            opening = pb.OpenTableRequest(
                request_id=fresh(),
                table_id=name,
                name=name,
                rules=deep_rules(),
                stakes=STAKES,
                chip_value=euro(1),
                start_paused=True,
            )
            await house.tables.OpenTable(opening)

    await asyncio.gather(*(one(number) for number in range(first, first + count)))


async def _longer_log(findings: Findings, options: Options, house: House, acting: Acting, table: RaisingTable) -> None:
    curve = Curve("after {:,} events of other tables", "after none")
    starts: list[tuple[float, float]] = []
    took: dict[int, list[Start]] = {}
    steps = sorted({0, options.events // 100, options.events // 10, options.events})
    curve.samples.append((0, await acting.cost(options)))  # no more actions until the last start: hands grow as well
    for count in steps:
        await house.suite.stop("orchestrator")
        await asyncio.to_thread(_fill, house.suite.folder / "orchestrator.sqlite", count)
        took[count] = [await _start(house, table) for _ in range(options.rounds)]
        starts.append((log10(max(1, count)), median(each.seconds for each in took[count])))
    curve.samples.append((steps[-1], await acting.cost(options)))
    curve.tell(findings)
    findings.curves["start to the first accepted action, seconds"] = {"to the right: ten times the events": starts}
    last = steps[-1]
    figures: tuple[tuple[str, Callable[[Start], float]], ...] = (
        ("seconds", lambda start: start.seconds),
        ("seconds of CPU", lambda start: start.cpu_seconds),
    )
    for unit, figure in figures:
        row = Row(
            section=SECTION,
            name=f"start to the first accepted action after {last:,} events, {unit}",
            unit=unit,
            ours=tuple(figure(each) for each in took[last]),
            beside="after none",
            floor=tuple(figure(each) for each in took[0]),
            target=FLAT,
            at_most=True,
        )
        findings.add(row)


@dataclass(frozen=True, slots=True)
class Start:
    """From a process that is started to an action that it accepted."""

    seconds: float
    cpu_seconds: float
    """What the process computed: on a machine with other work, this is what can be compared."""


async def _start(house: House, table: RaisingTable) -> Start:
    await house.suite.stop("orchestrator")
    began = time.perf_counter()
    await house.suite.start("orchestrator")
    async with calling(house.suite.address("orchestrator"), BACKEND, CALL_SECONDS) as channel:
        await TableServiceStub(channel).Act(table.next_request())
    return Start(time.perf_counter() - began, cpu_seconds(house.pids("orchestrator")))


def _fill(database: Path, events: int) -> None:
    """Logs of tables that were played long ago, up to so many events in all."""
    with closing(sqlite3.connect(database, isolation_level=None)) as connection:
        ((there,),) = connection.execute(
            "SELECT COALESCE(SUM(version), 0) FROM event_streams WHERE stream LIKE 'old/%'"
        )
        connection.execute("PRAGMA synchronous=OFF")
        for first in range(there, events, ROWS):
            connection.execute("BEGIN")
            connection.executemany(
                "INSERT INTO events VALUES (?, ?, ?, ?, ?)", _events(first, min(events, first + ROWS))
            )
            connection.execute("COMMIT")
        connection.execute(
            "INSERT INTO event_streams SELECT stream, MAX(version) FROM events WHERE stream LIKE 'old/%' "
            "GROUP BY stream ON CONFLICT (stream) DO UPDATE SET version = excluded.version"
        )


def _events(first: int, end: int) -> Iterator[tuple[str, int, str, bytes, int]]:
    payload = bytes(EVENT_BYTES)
    for number in range(first, end):
        stream, version = divmod(number, STREAM_EVENTS)
        yield f"old/{stream:06d}", version + 1, "ActionTaken", payload, MICROS + number
