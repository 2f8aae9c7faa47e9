"""Watchers: events delivered a second to many streams of one table, beside plain streams fed by plain actions."""

import asyncio
import time
from collections.abc import AsyncIterable, Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from typing import Any, Final

import grpc
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from tests.bench.action import RaisingTable, raising_table
from tests.bench.floor import EVENTS_AN_ACTION, WATCH
from tests.bench.house import BACKEND, House
from tests.bench.measuring import Findings, Options, Row
from tests.bench.messages import write_messages
from tests.bench.processes import floor_process, memory_kib
from tests.support.servers import calling

SECTION: Final = "watch"
WATCHERS: Final = (10, 100, 1000)
CONNECTIONS: Final = 4
PATIENCE_SECONDS: Final = 120.0
Feed = Callable[[], Awaitable[object]]


class Audience:
    """Streams that count what they get."""

    def __init__(self) -> None:
        self.delivered = 0
        self._tasks: list[asyncio.Task[None]] = []
        self._streams: list[Any] = []
        self._open = 0

    async def join(self, streams: list[Any]) -> None:
        """All of them, each past its first message."""
        self._streams += streams
        self._tasks += [asyncio.create_task(self._watch(stream)) for stream in streams]
        async with asyncio.timeout(PATIENCE_SECONDS):
            while self._open < len(self._streams):  # streams open by themselves
                if any(task.done() for task in self._tasks):
                    raise AssertionError("a stream ended")
                await asyncio.sleep(0.01)

    async def _watch(self, stream: AsyncIterable[object]) -> None:
        messages = aiter(stream)
        await anext(messages)
        self._open += 1
        async for _ in messages:
            self.delivered += 1

    async def leave(self) -> None:
        """Everybody goes."""
        for stream in self._streams:
            stream.cancel()
        for task in self._tasks:
            task.cancel()
        for task in self._tasks:
            with suppress(asyncio.CancelledError, Exception):
                await task


async def delivered_rate(audience: Audience, feed: Feed, seconds: float, watchers: int) -> float:
    """Events delivered a second while events are made as fast as they are taken."""
    before, start, fed = audience.delivered, time.perf_counter(), 0
    while time.perf_counter() < start + seconds:
        await feed()
        fed += EVENTS_AN_ACTION * watchers
        while audience.delivered - before < fed - 4 * EVENTS_AN_ACTION * watchers:  # noqa: ASYNC110  # nobody runs ahead
            await asyncio.sleep(0)
    while audience.delivered - before < fed:  # noqa: ASYNC110
        await asyncio.sleep(0.001)
    return fed / (time.perf_counter() - start)


@dataclass(slots=True)
class Sides:
    """A table of ours and a plain server, with those who watch them."""

    table: RaisingTable
    copy: RaisingTable
    watching: list[TableServiceStub]
    """Over a connection each: one carries a thousand streams at most, and the actions as well."""
    plain: list[grpc.aio.Channel]
    mine: Audience = field(default_factory=Audience)
    theirs: Audience = field(default_factory=Audience)


async def bench_watch(findings: Findings, options: Options, house: House) -> None:
    """10, 100 and 1,000 watchers of one table."""
    table = await raising_table(house, "watched")
    write_messages(house.folder)
    async with AsyncExitStack() as opened:
        betting = await opened.enter_async_context(floor_process("betting", house.folder))
        server = await opened.enter_async_context(floor_process("orchestrator", house.folder, betting.address))
        plain, watching = list[grpc.aio.Channel](), list[TableServiceStub]()
        for _ in range(CONNECTIONS):
            plain.append(await opened.enter_async_context(grpc.aio.insecure_channel(server.address)))
            caller = await opened.enter_async_context(calling(house.suite.address("orchestrator"), BACKEND))
            watching.append(TableServiceStub(caller))
        sides = Sides(table, RaisingTable(table.table_id, table.players), watching, plain)
        try:
            for number in WATCHERS:
                await _rows(findings, options, house, number, sides)
        finally:
            await sides.mine.leave()
            await sides.theirs.leave()


async def _rows(
    findings: Findings,
    options: Options,
    house: House,
    number: int,
    sides: Sides,
) -> None:
    mine, theirs, table = sides.mine, sides.theirs, sides.table
    (pid,) = house.pids("orchestrator")
    before = memory_kib(pid)
    more = number - len(mine._streams)
    watch = pb.WatchRequest(table_id=table.table_id)
    await mine.join([sides.watching[each % CONNECTIONS].Watch(watch) for each in range(more)])
    memory = (memory_kib(pid) - before) / more
    plain: list[Any] = [channel.unary_stream(WATCH) for channel in sides.plain]
    await theirs.join([plain[each % CONNECTIONS](b"") for each in range(more)])
    floor_act = TableServiceStub(sides.plain[0]).Act

    async def act() -> object:
        return await house.tables.Act(table.next_request())

    async def feed() -> object:
        return await floor_act(sides.copy.next_request())

    ours: list[float] = []
    bare: list[float] = []
    for _ in range(options.rounds):
        ours.append(await delivered_rate(mine, act, options.seconds, number))
        bare.append(await delivered_rate(theirs, feed, options.seconds, number))
    findings.add(
        Row(
            section=SECTION,
            name=f"events to {number:,} watchers of one table",
            unit="events a second",
            ours=tuple(ours),
            beside="plain gRPC, append and streams",
            floor=tuple(bare),
            target=0.7,
        )
    )
    findings.add(
        Row(section=SECTION, name=f"memory of a watcher, {number:,} of them", unit="KiB", ours=(max(0.0, memory),))
    )
