"""Calls of one service beside the same number of plain calls, alternating: what dealer, ledger and evaluator share."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import grpc

from tests.bench.floor import CALL, request_of
from tests.bench.measuring import Findings, Options, Row, Samples
from tests.bench.processes import floor_process

Ask = Callable[[], Awaitable[object]]


@dataclass(slots=True)
class PlainFloor:
    """The plain server, and calls to it."""

    channel: grpc.aio.Channel
    pid: int

    def call(self, asked_bytes: int, answered_bytes: int, appended_bytes: int = 0) -> Ask:
        """A call of these sizes, with one durable append where there is something to append."""
        method: Any = self.channel.unary_unary(CALL)
        request = request_of(appended_bytes, answered_bytes, asked_bytes)

        async def ask() -> object:
            return await method(request)

        return ask


@asynccontextmanager
async def plain_floor(folder: Path) -> AsyncGenerator[PlainFloor]:
    """A plain server for the length of the block."""
    options = [("grpc.max_receive_message_length", 1 << 23), ("grpc.max_send_message_length", 1 << 23)]
    async with AsyncExitStack() as opened:
        server = await opened.enter_async_context(floor_process("plain", folder))
        channel = grpc.aio.insecure_channel(server.address, options=options)
        yield PlainFloor(await opened.enter_async_context(channel), server.pid)


async def rate(ask: Ask, in_flight: int, seconds: float) -> float:
    """Answers a second with so many questions in flight."""
    end, done = time.perf_counter() + seconds, 0
    start = time.perf_counter()

    async def loop() -> None:
        nonlocal done
        while time.perf_counter() < end:
            await ask()
            done += 1

    await asyncio.gather(*(loop() for _ in range(in_flight)))
    return done / (time.perf_counter() - start)


async def milliseconds(ask: Ask, times: int) -> float:
    """The middle time of a call, one after the other."""
    taken: list[float] = []
    for _ in range(times):
        start = time.perf_counter()
        await ask()
        taken.append((time.perf_counter() - start) * 1000)
    return sorted(taken)[times // 2]


async def sides(ours: Ask, floor: Ask, options: Options, in_flight: int) -> tuple[Samples, Samples]:
    """Rates of both, alternating, after a warm-up."""
    for ask in (ours, floor):
        await rate(ask, in_flight, min(0.3, options.seconds))
    mine: list[float] = []
    theirs: list[float] = []
    for _ in range(options.rounds):
        mine.append(await rate(ours, in_flight, options.seconds))
        theirs.append(await rate(floor, in_flight, options.seconds))
    return tuple(mine), tuple(theirs)


async def add_rates(findings: Findings, options: Options, row: Row, asks: tuple[Ask, Ask], in_flight: int) -> None:
    """Measure and add; ``row`` says what it is."""
    mine, theirs = await sides(*asks, options, in_flight)
    findings.add(
        Row(
            section=row.section,
            name=row.name,
            unit=row.unit,
            ours=mine,
            beside=row.beside,
            floor=theirs,
            target=row.target,
        )
    )
