"""Row L5: disks that fail under running services."""

import asyncio
from collections.abc import Iterator
from random import Random
from typing import Final

from tests.batteries.chaos.hurting import CannotHurt
from tests.batteries.chaos.l05_answers import STOP_SECONDS_MAX, Answers, answers_on_failing_disks
from tests.batteries.chaos.l05_hand import Failed, hands_with_failing_syncs
from tests.batteries.report import Row, judged, skipped
from tests.batteries.runner import step_by_step

FULL: Final = 100
ROUNDS: Final = 5
_HAND: Final = "EIO at {} of a hand of eight: the process ends within 1 s, the restarted one goes on, same journal"
_ANSWERS: Final = (
    "EIO, read-only and a full disk under four clients: nothing acknowledged afterwards, the process ends within 1 s "
    "(a full disk: refuses, goes on when there is room), all that was acknowledged is there after it"
)


def failing_disks(size: int) -> Iterator[Row]:
    """Row L5, twice for each service that stores."""
    every = max(1, FULL // size)
    try:
        for failed in step_by_step(lambda: hands_with_failing_syncs(every)):
            yield _of_the_hand(failed, every)
        seed = Random().getrandbits(32)
        for answers in asyncio.run(answers_on_failing_disks(max(1, ROUNDS * size // FULL), seed)):
            yield _of_the_answers(answers, seed)
    except CannotHurt as why:
        yield skipped("L5", "EIO at each sync, a full and a read-only disk", str(why))


def _of_the_hand(found: Failed, every: int) -> Row:
    which = "each sync" if every == 1 else f"every {every}th sync"
    said = f"{found.ends} syncs failed, {found.syncs} in the undisturbed hand, {len(found.faults)} faults"
    said += f", the slowest end after {found.slowest_end:.2f} s" + (f": {found.faults[0]}" if found.faults else "")
    enough = found.ends >= max(1, 2 * found.syncs // (3 * every))
    holds = not found.faults and enough and found.slowest_end <= STOP_SECONDS_MAX
    return judged("L5", f"{found.service}: {_HAND.format(which)}", said, holds=holds)


def _of_the_answers(found: Answers, seed: int) -> Row:
    said = (
        f"{found.acknowledged:,} acknowledged, {found.late} of them too late, {len(found.faults)} lost or otherwise, "
        f"the slowest end after {found.slowest_end:.2f} s, room found again after {found.slowest_recovery:.2f} s, "
        f"seed {seed}"
    )
    said += f": {found.faults[0]}" if found.faults else ""
    holds = not found.faults and not found.late and found.acknowledged > 0 and found.slowest_end <= STOP_SECONDS_MAX
    return judged("L5", f"{found.service}: {_ANSWERS}", said, holds=holds)
