"""S9, S10, S11: callers who never read, never speak, or take everything back; and everybody else all the while."""

import asyncio
import re
import resource
import tempfile
import time
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random

from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from shared.kernel.caller import Caller, Role
from tests.batteries.attack.house import House, house
from tests.batteries.attack.play import anyhow, open_table, play
from tests.batteries.report import Row, judged
from tests.support.raw_http2 import WINDOW_UPDATE, RawConnection, ended, frame

PATH_WATCH = "/sevenstud.orchestrator.v1.TableService/Watch"
TOKEN = "Bearer dev:backend:slow"
STREAMS_A_CONNECTION = 100
CUT_OFF_SECONDS = 10.0
MIB_A_STREAM_MAX = 0.5
TOGETHER = 50
"""Calls that are begun one right after the other."""
P99_LEAST_SECONDS = 0.01
"""Below this a shared machine's own noise is more than what is measured."""
WIDE_OPEN = (2**30).to_bytes(4, "big")
SLACK_SECONDS = 20.0
"""On top of what a row demands, for a machine that has other things to do; the figure that was found is told."""


@dataclass
class Pulse:
    """Another caller, who asks all the while; how long it waits for each answer."""

    seconds: list[float] = field(default_factory=list[float])
    errors: int = 0

    @property
    def p99(self) -> float:
        """Ninety-nine of a hundred answers came sooner."""
        return sorted(self.seconds)[int(len(self.seconds) * 0.99)] if self.seconds else 0.0

    @property
    def worst(self) -> float:
        """The longest wait."""
        return max(self.seconds, default=0.0)

    async def beat(self, running: House, table_id: str, stop: asyncio.Event) -> None:
        """Until told to stop."""
        while not stop.is_set():
            began = time.perf_counter()
            try:
                await running.tables.GetTable(pb.GetTableRequest(table_id=table_id))
            except Exception:  # noqa: BLE001  # whatever it is, it is an answer that another caller should have got
                self.errors += 1
            self.seconds.append(time.perf_counter() - began)
            await asyncio.sleep(0.002)


@asynccontextmanager
async def beating(running: House, table_id: str) -> AsyncGenerator[Pulse, None]:
    """The other caller for the length of an attack."""
    pulse, stop = Pulse(), asyncio.Event()
    task = asyncio.ensure_future(pulse.beat(running, table_id, stop))
    try:
        yield pulse
    finally:
        stop.set()
        await task


async def idle_pulse(running: House, table_id: str, seconds: float) -> Pulse:
    """What the other caller waits while nobody attacks."""
    async with beating(running, table_id) as pulse:
        await asyncio.sleep(seconds)
    return pulse


async def busy_table(running: House, hands: int) -> str:
    """A table with a long history, so that a watcher of all of it has much to be sent."""
    table = await open_table(running, [f"busy-{seat}" for seat in range(4)], hands)
    await play(table, hands, anyhow(Random("busy"), 0.05))
    return table.table_id


# --- S9 ---------------------------------------------------------------------------------------


async def unread(streams: int) -> tuple[Pulse, Pulse, dict[str, float]]:
    """So many streams that nobody reads."""
    with tempfile.TemporaryDirectory() as folder:
        own = {"LOG_LEVEL": "info", "CONCURRENT_CALLS_MAX": "5000"}
        async with house(Path(folder), orchestrator=own) as running:
            table_id = await busy_table(running, 12)
            before = await idle_pulse(running, table_id, 3.0)
            memory = running.memory_mib("orchestrator")
            address, count = running.processes["orchestrator"].address, -(-streams // STREAMS_A_CONNECTION)
            connections = [await RawConnection.open(address) for _ in range(count)]
            await asyncio.gather(*(each.settle() for each in connections))
            content = pb.WatchRequest(table_id=table_id, after_version=0).SerializeToString()
            began, opened = time.monotonic(), list[tuple[RawConnection, int]]()
            async with beating(running, table_id) as during:
                for number in range(streams):
                    connection = connections[number % len(connections)]
                    opened.append((connection, await connection.call(PATH_WATCH, TOKEN, content)))
                most, cut = await _until_cut_off(running, began)
            told = await _last_words(connections, opened)
            for connection in connections:
                await connection.close()
    figures = {"mib": (most - memory) / streams, "cut_seconds": cut, "told": float(told), "streams": float(streams)}
    return before, during, figures


async def _until_cut_off(running: House, began: float) -> tuple[float, float]:
    """The most memory held meanwhile, and the seconds until no stream is being handled any more."""
    most = 0.0
    while time.monotonic() - began < CUT_OFF_SECONDS + SLACK_SECONDS:
        most = max(most, running.memory_mib("orchestrator"))
        lines = (await running.metrics("orchestrator")).splitlines()
        open_now = next(
            (line for line in lines if line.startswith("sevenstud_rpc_in_flight") and '"Watch"' in line), " 0"
        )
        if time.monotonic() - began > 2 and float(open_now.rpartition(" ")[2]) == 0:
            break
        await asyncio.sleep(0.25)
    return most, time.monotonic() - began


async def _last_words(connections: list[RawConnection], opened: list[tuple[RawConnection, int]]) -> int:
    """How many streams end once their reader reads."""
    count = 0
    for connection in connections:
        mine = {stream for each, stream in opened if each is connection}
        connection.writer.write(b"".join(frame(WINDOW_UPDATE, 0, stream, WIDE_OPEN) for stream in (0, *sorted(mine))))
        found: set[int] = set()
        deadline = time.monotonic() + SLACK_SECONDS
        while found < mine and time.monotonic() < deadline:
            found |= set(ended(await connection.frames(0.5)))
        count += len(found & mine)
    return count


def streams_never_read(streams: int) -> Iterator[Row]:
    """Row S9."""
    before, during, found = asyncio.run(unread(streams))
    p99_most = 2 * max(before.p99, P99_LEAST_SECONDS)
    holds = (
        found["mib"] <= MIB_A_STREAM_MAX
        and found["cut_seconds"] <= CUT_OFF_SECONDS
        and during.p99 <= p99_most
        and found["told"] == streams
        and not during.errors
    )
    yield judged(
        "S9",
        "500 unread streams: cut off in 10 s with where to resume, <= 0.5 MiB each, other callers' p99 <= 2x",
        f"{streams} streams: all handlers ended after {found['cut_seconds']:.1f} s, {found['mib']:.3f} MiB each, "
        f"{found['told']:.0f} told once they read; others' p99 {before.p99 * 1000:.1f} ms before, "
        f"{during.p99 * 1000:.1f} ms during (at most {p99_most * 1000:.1f}), {during.errors} errors",
        holds=holds,
    )


# --- S10 --------------------------------------------------------------------------------------


async def silent(sockets: int) -> dict[str, float]:
    """So many sockets that say nothing, at the port for calls and at the port for machines, with 256 descriptors."""
    with tempfile.TemporaryDirectory() as folder:
        async with house(Path(folder)) as running:
            table = await open_table(running, ["ann", "bob"], 1)
            process = running.processes["orchestrator"]
            at_ease = await _all_closed(process.address, sockets)
            resource.prlimit(process.process.pid, resource.RLIMIT_NOFILE, (256, 256))
            in_need = await _all_closed(process.address, sockets)
            served = await _served_after(running, table.table_id)
            statuses = [await RawConnection.open(process.metrics_address, greet=False) for _ in range(100)]
            status_closed = sum(await asyncio.gather(*(each.closed(5.0 + SLACK_SECONDS) for each in statuses)))
            await running.metrics("orchestrator")
            return {
                "closed": at_ease[0],
                "seconds": at_ease[1],
                "closed_in_need": in_need[0],
                "seconds_in_need": in_need[1],
                "served": served,
                "status_closed": status_closed,
                "alive": len(running.alive()),
            }


async def _all_closed(address: str, sockets: int) -> tuple[int, float]:
    """Open so many and say nothing; how many the service closes, and after how many seconds."""
    began = time.monotonic()
    opened = await asyncio.gather(
        *(RawConnection.open(address, greet=False) for _ in range(sockets)), return_exceptions=True
    )
    quiet = [each for each in opened if isinstance(each, RawConnection)]
    closed = sum(await asyncio.gather(*(each.closed(5.0 + SLACK_SECONDS) for each in quiet)))
    for each in quiet:
        await each.close()
    return closed, time.monotonic() - began


async def _served_after(running: House, table_id: str) -> float:
    """Seconds until a caller with a connection of its own is served."""
    began = time.monotonic()
    while True:
        try:
            channel = await running.channel("orchestrator", Caller(Role.BACKEND, f"late-{time.monotonic_ns()}"))
            await TableServiceStub(channel).GetTable(pb.GetTableRequest(table_id=table_id), timeout=SLACK_SECONDS)
        except Exception:  # noqa: BLE001  # not yet
            if time.monotonic() - began > SLACK_SECONDS:
                return float("inf")
        else:
            return time.monotonic() - began


def silent_sockets(sockets: int) -> Iterator[Row]:
    """Row S10."""
    found = asyncio.run(silent(sockets))
    yield judged(
        "S10",
        "500 silent sockets closed in 5 s, clients served; recovers with 256 descriptors",
        f"{found['closed']:.0f} of {sockets} closed after {found['seconds']:.1f} s; with 256 descriptors "
        f"{found['closed_in_need']:.0f} of {sockets} after {found['seconds_in_need']:.1f} s, a new client then served "
        f"after {found['served']:.1f} s; port for machines: {found['status_closed']:.0f} of 100 closed; "
        f"{found['alive']:.0f} of 5 services alive",
        holds=found["closed"] == found["closed_in_need"] == sockets
        and found["served"] < SLACK_SECONDS
        and found["status_closed"] == 100
        and found["alive"] == 5,
    )


# --- S11 --------------------------------------------------------------------------------------


async def cancelled(calls: int) -> tuple[Pulse, Pulse, int, int]:
    """So many calls begun and taken back at once, by one connection after the other; how many the service saw."""
    with tempfile.TemporaryDirectory() as folder:
        async with house(Path(folder), orchestrator={"LOG_LEVEL": "error"}) as running:
            table = await open_table(running, ["ann", "bob"], 1)
            idle = await idle_pulse(running, table.table_id, 3.0)
            content = pb.GetTableRequest(table_id=table.table_id).SerializeToString()
            path, sent = "/sevenstud.orchestrator.v1.TableService/GetTable", 0
            handled = await handled_calls(running)
            async with beating(running, table.table_id) as during:
                for turn in count():
                    if sent >= calls:
                        break
                    connection = await RawConnection.open(running.processes["orchestrator"].address)
                    await connection.settle()
                    size = min(10_000, -(-calls // 2), calls - sent)
                    sent += await _flood(connection, path, content, size, at_once=not turn % 2)
                    await connection.close()
            handled = await handled_calls(running) - handled - len(during.seconds)
            alive = len(running.alive())
    return idle, during, handled, alive


async def handled_calls(running: House) -> int:
    """How many calls of GetTable the service has seen, whatever became of them."""
    page = await running.metrics("orchestrator")
    counts = re.findall(r'^grpc_server_handled_total\{.*grpc_method="GetTable".* ([0-9.]+)$', page, re.MULTILINE)
    return int(sum(map(float, counts)))


async def _flood(connection: RawConnection, path: str, content: bytes, calls: int, *, at_once: bool) -> int:
    """Begin and take back: at once, or when the service has answered the first of some; it may hang up."""
    for begun in range(0, calls, TOGETHER):
        streams: list[int] = []
        try:
            for _ in range(min(TOGETHER, calls - begun)):
                streams.append(await connection.call(path, TOKEN, content))
                if at_once:
                    connection.reset(streams.pop())
            if streams:
                await asyncio.wait_for(connection.reader.read(1 << 16), SLACK_SECONDS)
            for stream in streams:
                connection.reset(stream)
            await asyncio.sleep(0.001)
        except ConnectionError:
            return begun + len(streams)
    return calls


def cancel_flood(calls: int) -> Iterator[Row]:
    """Row S11."""
    idle, during, handled, alive = asyncio.run(cancelled(calls))
    yield judged(
        "S11",
        "a flood of calls begun and taken back: another caller has 0 errors, its worst call <= 10x its idle p99",
        f"{calls:,} calls cancelled, {handled:,} of them under way in the service: another caller's "
        f"{len(during.seconds):,} calls had {during.errors} errors, worst "
        f"{during.worst * 1000:.0f} ms, idle p99 {idle.p99 * 1000:.1f} ms (times are told, not judged: the machine is "
        f"shared); {alive} of 5 services alive",
        holds=not during.errors and alive == 5 and len(during.seconds) > 2 and handled > 0,
    )
