"""S1 in tournaments: services killed at random moments while robots play; nothing is lost, voided or booked twice."""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Final

from services.console.domain.suite_plan import SERVICES
from tests.batteries.chaos.tournaments import Evening, House, house
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged

LEAST_START_SECONDS: Final = 0.5


class Killer:
    """Kills at random moments until there were enough."""

    def __init__(self, found: House, kills: int, rng: Random) -> None:
        self._house, self._left, self._rng = found, kills, rng
        self._progress = Progress("S1T kills", kills)
        self.killed: dict[str, int] = {}
        self.slowest_start = 0.0

    async def run(self) -> None:
        """All of them; between two so much time as a start took, more or less, so that there is play to disturb."""
        took = LEAST_START_SECONDS
        while self._left:
            self._left -= 1
            await asyncio.sleep(2 * took * self._rng.random())
            service = self._rng.choice(SERVICES)
            async with self._house.peace.harm():
                await self._house.suite.kill(service)
                began = time.monotonic()
                await self._house.suite.start(service)
                took = max(LEAST_START_SECONDS, time.monotonic() - began)
                self.slowest_start = max(self.slowest_start, took)
            self.killed[service] = self.killed.get(service, 0) + 1
            self._progress.add(1)
        self._progress.finish()


async def _evening(kills: int, seed: int) -> tuple[Killer, Evening]:
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        async with house(Path(folder)) as found:
            killer = Killer(found, kills, Random(seed))
            hurting = asyncio.create_task(killer.run())
            try:
                return killer, await found.play_while(hurting)
            finally:
                hurting.cancel()


def tournaments_with_kills(kills: int) -> Iterator[Row]:
    """Row S1T."""
    seed = Random().getrandbits(32)
    killer, evening = asyncio.run(_evening(kills, seed))
    done = sum(killer.killed.values())
    said = ", ".join(f"{service} {count}" for service, count in sorted(killer.killed.items()))
    for fault in evening.faults:
        print(f"  fault {fault}")
    yield judged(
        "S1T",
        f"kill -9 at {kills} random moments of tournaments played by robots: each ends, chips and money conserved, 0 "
        "voided, one entry a hand, none missing, books sound",
        f"{done} kills ({said}), the slowest start {killer.slowest_start:.1f} s, {evening.tournaments} tournaments, "
        f"{evening.hands} hands, {evening.actions} actions, {evening.refused} refused, {len(evening.faults)} faults"
        + (f": {evening.faults[0]}" if evening.faults else "")
        + f", seed {seed}",
        holds=not evening.faults and not evening.refused and done == kills and evening.hands > 0,
    )
