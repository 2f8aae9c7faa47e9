"""L10: entries come without a gap and each later than the one before, while the clock is set back and forth."""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from random import Random

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from tests.batteries.ledger import wallet_operations as wallets
from tests.batteries.ledger.in_process import InProcessLedger, ledger_in_process
from tests.batteries.ledger.l01_sums import EVERY
from tests.batteries.ledger.world import Tally, World
from tests.batteries.report import Row, judged
from tests.support.ledger_house import SetClock

_ORDER = "SELECT book, number, at_micros FROM ledger_journal ORDER BY book, number"


@dataclass
class SteppingClock(SetClock):
    """A clock that somebody sets an hour back or forth, again and again."""

    rng: Random = field(default_factory=Random)
    steps: int = 0

    def now(self) -> datetime:
        if self.rng.random() < 0.02:
            self.at += timedelta(hours=self.rng.choice((-1, 1)))
            self.steps += 1
        return self.at


async def order_faults(ledger: InProcessLedger) -> tuple[int, list[str]]:
    """Entries, and those that are out of order."""
    faults: list[str] = []
    book, number, at = "", 0, 0
    rows = await ledger.store.read(_ORDER)
    for row in rows:
        expected = number + 1 if row[0] == book else 1
        if row[1] != expected or (row[0] == book and not isinstance(row[2], int)):
            faults.append(f"{row[0]!s}: entry {row[1]!s} where {expected} is expected")
        if row[0] == book and isinstance(row[2], int) and row[2] <= at:
            faults.append(f"{row[0]!s}: entry {row[1]!s} is not later than the one before")
        book, number, at = str(row[0]), int(str(row[1])), int(str(row[2]))
    return len(rows), faults


async def _run(operations: int, seed: int) -> tuple[int, int, list[str]]:
    clock = SteppingClock(rng=Random(seed))
    async with ledger_in_process(clock) as ledger:
        world = World(ledger, f"time {seed}", Tally())
        for _ in range(30):
            await wallets.open_wallet(world)
            await wallets.deposit(world)
        weights, every = [each[0] for each in EVERY], [each[1] for each in EVERY]
        while world.tally.operations < operations:
            await asyncio.gather(*(each(world) for each in world.rng.choices(every, weights, k=8)))
        entries, faults = await order_faults(ledger)
        verdict = await ledger.call("VerifyJournal", pb.VerifyJournalRequest())
    return entries, clock.steps, [*faults, *world.tally.faults, *(str(each) for each in verdict.faults)]


def order_and_time(operations: int) -> Iterator[Row]:
    """Row L10."""
    seed = Random().getrandbits(32)
    entries, steps, faults = asyncio.run(_run(operations, seed))
    for fault in faults[:10]:
        print(f"  fault {fault}")
    yield judged(
        "L10",
        "numbers without gap, time strictly rising in every book under clock steps of -1 h and +1 h",
        f"{entries:,} entries, {steps:,} clock steps, {len(faults)} faults, seed {seed}",
        holds=not faults and steps > 10,
    )
