"""S1: each service killed after every event of a hand; the hand is the one that would have been."""

import tempfile
from collections.abc import AsyncGenerator, Iterator
from functools import partial
from pathlib import Path
from typing import Final

from services.console.domain.suite_plan import SERVICES
from tests.batteries.chaos.hand import Played, difference, play
from tests.batteries.report import Row, judged
from tests.batteries.runner import step_by_step
from tests.support.suite_processes import Processes

RESTART_SECONDS_MAX: Final = 5.0
FULL: Final = 100
"""Of a hundred events so many are followed by a kill."""


async def _hands(every: int) -> AsyncGenerator[tuple[str, Played, Played], None]:
    """For each service the undisturbed hand and the one in which it died."""
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        async with Processes(Path(folder), scripted=True) as processes:
            wanted = await play(processes)
            for victim in SERVICES:
                yield victim, wanted, await play(processes, partial(processes.kill_and_start, victim), every)


def hand_with_kills(size: int) -> Iterator[Row]:
    """Row S1, one for each service."""
    every = max(1, FULL // size)
    for victim, wanted, found in step_by_step(lambda: _hands(every)):
        apart = difference(wanted.journal, found.journal)
        slowest = max(found.action_seconds, found.event_seconds)
        yield judged(
            "S1",
            f"{victim} killed (kill -9) after {'every event' if every == 1 else f'each {every}th event'} of a hand of "
            "eight: same journal, 0 voided, first action within 5 s of the restart",
            f"{found.kills} kills at {found.events} events, {found.voided} voided, down for {found.down_seconds:.2f} s "
            f"at most, then the first action after {found.action_seconds:.2f} s at most, the first event after "
            f"{found.event_seconds:.2f} s at most, journal " + (f"OTHER: {apart}" if apart else "equal"),
            holds=not apart
            and not found.voided
            and found.kills >= wanted.events // every - 1
            and slowest <= RESTART_SECONDS_MAX,
        )
