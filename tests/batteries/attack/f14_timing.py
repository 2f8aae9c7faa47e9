"""F14, by the clock: whether the time of an answer tells one set of unseen cards from another (Welch's t, both ways).

Measured where a viewer would: at the caller, over loopback gRPC, one call after the other, the two tables in random
order, so that whatever else the machine does falls on both alike. Cropped at the ninetieth percentile as well, where
differences show that the tail would drown.
"""

import asyncio
import math
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import fmean, variance

from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from shared.kernel.caller import Caller, Role
from tests.batteries.attack.house import UNLIMITED, house
from tests.batteries.attack.play import open_table
from tests.batteries.attack.twins import SEATS, decks
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.ledger_house import fresh

T_MAX = 4.5
CROPPED_SHARE = 0.9
WARM_UP_CALLS = 200


def welch_t(first: Sequence[float], second: Sequence[float]) -> float:
    """The t of the difference of two means, whatever their variances."""
    spread = math.sqrt(variance(first) / len(first) + variance(second) / len(second))
    return (fmean(first) - fmean(second)) / spread if spread else 0.0


def cropped(first: Sequence[float], second: Sequence[float]) -> tuple[list[float], list[float]]:
    """Both without the slowest of all."""
    limit = sorted([*first, *second])[int((len(first) + len(second)) * CROPPED_SHARE)]
    return [each for each in first if each <= limit], [each for each in second if each <= limit]


async def measure(calls: int) -> tuple[list[float], list[float]]:
    """Seconds of so many answers in all about two tables that differ in unseen cards only."""
    rng, progress = Random("timing"), Progress("F14 timing", calls)
    with tempfile.TemporaryDirectory() as folder:
        async with house(Path(folder), orchestrator=UNLIMITED | {"LOG_LEVEL": "error"}) as running:
            tables: list[str] = []
            for name, scripts in zip(("twin-a", "twin-b"), decks(rng, 1, 1), strict=True):
                players = [f"{name[-1]}-player-{seat}" for seat in range(SEATS)]
                table = await open_table(running, players, 1, name, scripts)
                resume = pb.ResumeTableRequest(request_id=fresh(), table_id=table.table_id)
                await running.house.ResumeTable(resume)
                tables.append(table.table_id)
            stubs = [
                TableServiceStub(await running.channel("orchestrator", Caller(Role.PLAYER, f"{name}-player-0")))
                for name in "ab"
            ]
            for stub, table_id in zip(stubs, tables, strict=True):
                await _until_somebody_is_to_act(stub, table_id)
            found: tuple[list[float], list[float]] = ([], [])
            for number in range(calls + WARM_UP_CALLS):
                which = rng.randrange(2)
                request = pb.GetTableRequest(table_id=tables[which])
                began = time.perf_counter()
                await stubs[which].GetTable(request)
                if number >= WARM_UP_CALLS:
                    found[which].append(time.perf_counter() - began)
                if not number % 1000:
                    progress.add(min(1000, calls))
    progress.finish()
    return found


async def _until_somebody_is_to_act(stub: TableServiceStub, table_id: str) -> None:
    async for item in stub.Watch(pb.WatchRequest(table_id=table_id, after_version=0)):
        if item.event.WhichOneof("event") == "turn_started":
            return


def time_tells_nothing(calls: int) -> Iterator[Row]:
    """Row F14c."""
    first, second = asyncio.run(measure(calls))
    whole, most = welch_t(first, second), welch_t(*cropped(first, second))
    yield judged(
        "F14c",
        "10^5 answers about tables that differ in unseen cards only: Welch's t below 4.5",
        f"{len(first):,} and {len(second):,} calls of GetTable by a player, at the caller over loopback, in random "
        f"order: means {fmean(first) * 1e6:.0f} and {fmean(second) * 1e6:.0f} us, t = {whole:+.2f}, of the fastest "
        f"90% t = {most:+.2f}",
        holds=abs(whole) < T_MAX and abs(most) < T_MAX,
    )
