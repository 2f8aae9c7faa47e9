"""Watchers: events delivered a second to many streams of one table, beside plain streams fed by plain calls."""

import asyncio
import time
from collections.abc import AsyncIterable, Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from tests.bench.action import RaisingTable, raising_table
from tests.bench.calls import PlainFloor
from tests.bench.floor import PUBLISH, WATCH, request_of
from tests.bench.house import House
from tests.bench.measuring import Findings, Options, Row
from tests.bench.processes import memory_kib

SECTION: Final = "watch"
WATCHERS: Final = (10, 100, 1000)
EVENTS_AN_ACTION: Final = 2
EVENT_BYTES: Final = 160
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


async def bench_watch(findings: Findings, options: Options, house: House, floor: PlainFloor) -> None:
    """10, 100 and 1,000 watchers of one table."""
    table = await raising_table(house, "watched")
    mine, theirs = Audience(), Audience()
    try:
        for number in WATCHERS:
            await _rows(findings, options, house, floor, number, (mine, theirs, table))
    finally:
        await mine.leave()
        await theirs.leave()


async def _rows(
    findings: Findings,
    options: Options,
    house: House,
    floor: PlainFloor,
    number: int,
    audiences: tuple[Audience, Audience, RaisingTable],
) -> None:
    mine, theirs, table = audiences
    (pid,) = house.pids("orchestrator")
    before = memory_kib(pid)
    more = number - len(mine._streams)
    watch = pb.WatchRequest(table_id=table.table_id)
    await mine.join([house.tables.Watch(watch) for _ in range(more)])
    memory = (memory_kib(pid) - before) / more
    plain: Any = floor.channel.unary_stream(WATCH)
    await theirs.join([plain(b"") for _ in range(more)])
    publish: Any = floor.channel.unary_unary(PUBLISH)

    async def act() -> object:
        return await house.tables.Act(table.next_request())

    async def feed() -> object:
        return await publish(request_of(EVENT_BYTES, EVENTS_AN_ACTION))

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
            beside="plain streams",
            floor=tuple(bare),
            target=0.7,
        )
    )
    findings.add(
        Row(section=SECTION, name=f"memory of a watcher, {number:,} of them", unit="KiB", ours=(max(0.0, memory),))
    )
