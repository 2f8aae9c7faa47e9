"""S6: orchestrator or ledger dies at each step of each call between them; each hand is booked once, and soon."""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any, Final

from tests.batteries.chaos.proxy import MOMENTS, standing_between
from tests.batteries.chaos.tournaments import Evening, House, house
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged

VICTIMS: Final = ("orchestrator", "tournament_ledger")
BOOKING: Final = "RecordHand"
METHODS: Final = (BOOKING, "OpenSheet")
"""The two calls between hands; of the others that book something each step is taken once."""
READING: Final = ("Get", "List", "Verify", "Watch")
DRAINED_SECONDS_MAX: Final = 10.0
PLAN_SECONDS_MAX: Final = 1500.0
UNDER_WAY_SECONDS: Final = 0.002
Step = tuple[str, str, str]
"""Method, moment, victim."""


@dataclass(slots=True)
class Crashes:
    """Which steps were tried, and how long the hand that was being booked waited."""

    rounds: int
    done: dict[Step, int] = field(default_factory=dict[Step, int])
    drained: list[float] = field(default_factory=list[float])

    def wanted(self, method: str, moment: str) -> Step | None:
        """The next step to crash at here."""
        times = self.rounds if method in METHODS else 1
        for victim in VICTIMS:
            if self.done.get((method, moment, victim), 0) < times:
                return method, moment, victim
        return None

    @property
    def complete(self) -> bool:
        """Every step of the two calls between hands was tried often enough."""
        steps = product(METHODS, MOMENTS, VICTIMS)
        return all(self.done.get(step, 0) >= self.rounds for step in steps)


class Crasher:
    """Told by the proxy of every moment of every call."""

    def __init__(self, crashes: Crashes, progress: Progress) -> None:
        self.crashes = crashes
        self.house: House | None = None
        self.finished = asyncio.Event()
        self._progress = progress
        self.faults: list[str] = []
        self._crash: asyncio.Task[None] | None = None
        self._waiting: dict[bytes, float] = {}
        """Bookings that a crash cut off, and since when all services are there again, whichever crash was the last."""

    async def told(self, method: str, moment: str, request: bytes) -> None:
        """Kill somebody where this step has not been tried often enough, one crash at a time; go on once it is dead."""
        if moment == "answered" and request in self._waiting:
            self.crashes.drained.append(time.monotonic() - self._waiting.pop(request))
        step = None if method.startswith(READING) else self.crashes.wanted(method, moment)
        if step is None or self.house is None or self._crash is not None or self.finished.is_set():
            return
        killed = asyncio.Event()
        self._crash = asyncio.create_task(self._kill_and_start(self.house, step, request, killed))
        self._crash.add_done_callback(self._over)
        await killed.wait()

    async def _kill_and_start(self, house: House, step: Step, request: bytes, killed: asyncio.Event) -> None:
        """A task of its own: the call that it interrupts may be cancelled, when who asked is dead."""
        method, moment, victim = step
        try:
            async with house.peace.harm():
                if moment == "under_way":
                    await asyncio.sleep(UNDER_WAY_SECONDS)
                await house.suite.kill(victim)
                killed.set()
                await house.suite.start(victim)
        finally:
            killed.set()
        self.crashes.done[step] = self.crashes.done.get(step, 0) + 1
        self._progress.add(1)
        if method == BOOKING and moment != "told":
            self._waiting[request] = 0.0
        self._waiting = dict.fromkeys(self._waiting, time.monotonic())
        if self.crashes.complete:
            self.finished.set()

    def _over(self, crash: "asyncio.Task[None]") -> None:
        self._crash = None
        if not crash.cancelled() and crash.exception() is not None:
            self.faults.append(f"a service did not start again: {crash.exception()}"[:400])
            self.finished.set()


async def _evening(rounds: int) -> tuple[Crashes, Evening, list[str]]:
    crashes = Crashes(rounds)
    crasher = Crasher(crashes, Progress("S6 steps", rounds * len(METHODS) * len(MOMENTS) * len(VICTIMS)))
    altered: dict[str, dict[str, str]] = {}
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        async with house(Path(folder), altered) as found:
            ledger = found.suite.address("tournament_ledger")
            async with standing_between(ledger, crasher.told) as address:
                altered["orchestrator"] = {"SEVENSTUD_ORCHESTRATOR_TOURNAMENT_LEDGER_TARGET": address}
                await found.suite.kill("orchestrator")
                await found.suite.start("orchestrator")
                crasher.house = found
                hurting: asyncio.Task[Any] = asyncio.create_task(_until(crasher.finished))
                evening = await found.play_while(hurting)
                crasher.house = None
    if not crashes.complete:
        crasher.faults.append("not every step was reached")
    return crashes, evening, crasher.faults


async def _until(finished: asyncio.Event) -> None:
    with suppress(TimeoutError):
        async with asyncio.timeout(PLAN_SECONDS_MAX):
            await finished.wait()


def crashes_at_each_step(rounds: int) -> Iterator[Row]:
    """Row S6."""
    crashes, evening, faults = asyncio.run(_evening(rounds))
    faults += evening.faults
    slowest = max(crashes.drained, default=0.0)
    methods = sorted({method for method, _, _ in crashes.done})
    yield judged(
        "S6",
        "orchestrator and ledger killed at each step of each call between them (asked, under way, answered, told), "
        f"{rounds} times: one entry a hand, backlog drained within 10 s",
        f"{sum(crashes.done.values())} crashes at {len(crashes.done)} steps of {', '.join(methods)}; "
        f"{evening.tournaments} tournaments, {evening.hands} hands with one entry each, "
        f"{len(crashes.drained)} bookings cut off and made {slowest:.1f} s after the restart at most, "
        f"{len(faults)} faults" + (f": {faults[0]}" if faults else ""),
        holds=not faults and not evening.refused and slowest <= DRAINED_SECONDS_MAX and bool(crashes.drained),
    )
