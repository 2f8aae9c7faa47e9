"""F18: no choice of deck. Shuffles drawn = hands opened + voids with a reason, exactly, over hands with crashes."""

import asyncio
import random
import sqlite3
import tempfile
from collections.abc import AsyncGenerator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import grpc
from sevenstud.dealer.v1 import dealer_service_pb2 as pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from tests.batteries.progress import Progress
from tests.fairness.battery.rows import Row, Sizes, row
from tests.support.dealer_calls import Table, counted, fresh, metrics_of, with_id
from tests.support.servers import ServiceProcess, calling, start_service

HANDS = 100_000
CRASHES = 40
TABLES = 24
RACED_SHARE = 0.02
"""Hands that two callers open at once, under two ids: one of them must lose."""
VOIDED_SHARE = 0.02
GOAL_SECONDS_MOST = 300.0
DATABASE = "dealer.sqlite"


@dataclass(slots=True)
class Life:
    """What was acknowledged over all starts of one dealer."""

    folder: Path
    wanted: int
    kills: int
    """After how many kills, at most, the dealer is left alone."""
    opened: int = 0
    crashes: int = 0
    commitments: dict[str, bytes] = field(default_factory=dict)
    goal: int = 0
    """Hands that are to be opened before the next kill."""
    reached: asyncio.Event = field(default_factory=asyncio.Event)


async def run(life: Life) -> dict[str, int]:
    """Starts and crashes until enough hands are opened; the metrics of the last start."""
    progress = Progress("F18, hands opened over crashes", life.wanted)
    while True:
        before = life.opened
        last = life.crashes == life.kills or life.opened >= life.wanted
        async with started(life) as process:
            if last:
                return await ended(process)
            await until_killed(life, process)
        progress.add(life.opened - before)


@asynccontextmanager
async def started(life: Life) -> AsyncGenerator[ServiceProcess]:
    """The real process over the same database."""
    values = {"DATABASE": str(life.folder / DATABASE), "LOG_LEVEL": "error", "DRAIN_NOTICE_SECONDS": "0"}
    process = await asyncio.to_thread(start_service, "dealer", life.folder, values)
    try:
        yield process
    finally:
        process.kill()


async def until_killed(life: Life, process: ServiceProcess) -> None:
    """Tables open hands one after another; at a random moment the process is killed."""
    life.goal = life.opened + -(-life.wanted // life.kills)
    life.reached.clear()
    async with calling(process.address, unary_seconds=GOAL_SECONDS_MOST) as channel:
        playing = [asyncio.ensure_future(play(life, DealerServiceStub(channel), number)) for number in range(TABLES)]
        await asyncio.wait_for(life.reached.wait(), GOAL_SECONDS_MOST)
        await asyncio.sleep(random.random() * 0.02)
        process.kill()
        life.crashes += 1
        await asyncio.gather(*playing)


async def play(life: Life, stub: DealerServiceStub, number: int) -> None:
    """One table, until the dealer is gone."""
    table = Table(stub, f"table-{number}")
    table.number = await asyncio.to_thread(last_number, life.folder, table.table_id)
    try:
        while True:
            await one_hand(life, table)
    except grpc.aio.AioRpcError:
        return


async def one_hand(life: Life, table: Table) -> None:
    """A hand opened, sometimes by two at once, sometimes voided."""
    request = table.request((1, 2))
    request.hand_id += f"-{fresh()[:8]}"  # after a crash the number may have been taken by a hand nobody heard of
    if random.random() < RACED_SHARE:
        other = with_id(request, fresh())
        other.hand_id += "-b"
        both = await asyncio.gather(table.stub.OpenHand(request), table.stub.OpenHand(other), return_exceptions=True)
        answers = [
            (asked, each)
            for asked, each in zip((request, other), both, strict=True)
            if isinstance(each, pb.OpenHandResponse)
        ]
        if not answers:
            raise next(each for each in both if isinstance(each, BaseException))
        request, answer = answers[0]
    else:
        answer = await table.stub.OpenHand(request)
    life.commitments[request.hand_id] = answer.commitment.seed_commitment
    life.opened += 1
    if life.opened >= life.goal:
        life.reached.set()
    table.number += 1
    if random.random() < VOIDED_SHARE:
        await table.stub.VoidHand(pb.VoidHandRequest(request_id=fresh(), hand_id=request.hand_id, reason="a test"))


def last_number(folder: Path, table_id: str) -> int:
    """The last hand number of a table, read beside the dealer."""
    ((number,),) = asked_of(
        folder, "SELECT COALESCE(MAX(hand_number), 0) FROM dealer_hands WHERE table_id = ?", table_id
    )
    return int(str(number))


def asked_of(folder: Path, sql: str, *values: str) -> list[tuple[object, ...]]:
    """Rows of the database."""
    connection = sqlite3.connect(folder / DATABASE)
    try:
        return connection.execute(sql, values).fetchall()
    finally:
        connection.close()


async def ended(process: ServiceProcess) -> dict[str, int]:
    """The metrics of the last start, which nobody asked for anything."""
    text = await metrics_of(process.metrics_address)
    return {name: counted(text, f"shuffles_{name}") for name in ("drawn", "used", "voided")}


def rows(sizes: Sizes) -> Iterator[Row]:
    """What the database, the metrics and those who were answered say."""
    with tempfile.TemporaryDirectory() as folder:
        life = Life(Path(folder), sizes.of(HANDS, least=400), sizes.of(CRASHES, least=3))
        metrics = asyncio.run(run(life))
        yield from judged(life, metrics)


def judged(life: Life, metrics: dict[str, int]) -> Iterator[Row]:
    """The rows."""
    outcomes = {str(name): int(str(count)) for name, count in asked_of(life.folder, _OUTCOMES)}
    ((hands, unnamed),) = asked_of(life.folder, _HANDS)
    used, voided, total = outcomes.get("used", 0), outcomes.get("voided", 0), sum(outcomes.values())
    exact = total == used + voided and used == hands and unnamed == 0
    what = f"shuffles over {life.crashes} kills, {life.opened:,} hands acknowledged"
    found = f"{total:,} = {hands:,} + {voided}"
    yield row(
        "F18", what, "drawn = hands opened + voids with reason", found, holds=exact and life.opened >= life.wanted
    )
    same = metrics == {"drawn": total, "used": used, "voided": voided}
    text = ", ".join(f"{count:,} {name}" for name, count in metrics.items())
    yield row("F18", "the metrics after the last start", "the same", text, holds=same)
    gaps = asked_of(life.folder, _GAPS)
    yield row("F18", f"tables of {TABLES} whose hand numbers have a gap", "0", str(len(gaps)), holds=not gaps)
    kept = {str(hand_id): seed for hand_id, seed in asked_of(life.folder, _SEEDS)}
    lost = sum(kept.get(hand_id) != commitment for hand_id, commitment in life.commitments.items())
    yield row("F18", "acknowledged hands that are lost or have another seed", "0", str(lost), holds=lost == 0)


_OUTCOMES = "SELECT outcome, COUNT(*) FROM dealer_shuffles GROUP BY outcome"
_HANDS = (
    "SELECT (SELECT COUNT(*) FROM dealer_hands),"
    " (SELECT COUNT(*) FROM dealer_shuffles WHERE outcome = 'voided' AND void_reason = '')"
)
_SEEDS = "SELECT hand_id, seed_commitment FROM dealer_hands"
_GAPS = "SELECT table_id FROM dealer_hands GROUP BY table_id HAVING MAX(hand_number) <> COUNT(*)"
