"""``python -m tests.batteries.tournaments N``: N random whole tournaments, and a table of what they were like."""

import asyncio
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from shared.observability.logging import configure_logging
from tests.batteries.progress import Progress
from tests.batteries.tournaments.features import missing_features
from tests.batteries.tournaments.plans import plan_of
from tests.batteries.tournaments.play import Played, play_plan
from tests.batteries.tournaments.real_hands import apart, in_one_loop

PROCESSES = 2
APART = 10


def _quiet(number: int) -> Played:
    configure_logging("tournaments", "critical")
    return play_plan(plan_of(number))


def on_the_floor(count: int) -> list[Played]:
    """Sizes 2 to 300, hands drawn at random at the port between hands."""
    progress, found = Progress("tournaments", count), list[Played]()
    spawned = get_context("spawn")  # a process that has used gRPC must not be forked
    with ProcessPoolExecutor(PROCESSES, mp_context=spawned) as pool:
        for played in pool.map(_quiet, range(count)):
            found.append(played)
            if played.fault:
                print(f"  tournament {played.number} ({played.formula}, {played.entrants}): {played.fault}")
            progress.add(1, f"faults: {sum(bool(each.fault) for each in found)}")
    progress.finish()
    return found


def table(found: Sequence[Played]) -> str:
    """One line for each way of playing."""
    lines = [
        f"{'tournaments':<28}{'played':>7}{'faults':>7}{'entrants':>12}{'hands':>9}{'bought':>8}{'moves':>8}{'late':>6}{'deals':>7}"
    ]
    for formula in sorted({each.formula for each in found}):
        own = [each for each in found if each.formula == formula]
        sizes = [each.entrants for each in own]
        numbers = (
            f"{min(sizes)} to {max(sizes)}",
            sum(each.hands for each in own),
            sum(each.purchases for each in own),
            sum(each.moves for each in own),
            sum(each.late for each in own),
            sum(each.deals for each in own),
        )
        faults = sum(bool(each.fault) for each in own)
        lines.append(
            f"{formula:<28}{len(own):>7}{faults:>7}{numbers[0]:>12}{numbers[1]:>9,}{numbers[2]:>8,}{numbers[3]:>8,}"
            f"{numbers[4]:>6,}{numbers[5]:>7,}"
        )
    return "\n".join(lines)


def main(arguments: list[str]) -> int:
    """Exit code 0 only if every tournament was right and nothing that the rules name is missing."""
    count = int(arguments[0]) if arguments else 200
    began = time.monotonic()
    configure_logging("tournaments", "critical")
    missing = asyncio.run(missing_features())
    separate = min(APART, max(1, count // 20))
    single = min(APART, max(1, count // 20))
    found = on_the_floor(max(count - separate - single, 1))
    print("real hands, five services in one process:")
    found += asyncio.run(in_one_loop(range(single)))
    print("real hands, every service and the robots in processes of their own:")
    found += asyncio.run(apart(range(separate)))
    print()
    print(table(found))
    faults = [each for each in found if each.fault]
    for each in faults:
        print(f"FAULT {each.formula} {each.number}, {each.entrants} entrants: {each.fault}")
    for name in missing:
        print(f"MISSING {name}")
    print(
        f"\n{len(found)} tournaments, {len(faults)} with faults, {len(missing)} options missing, "
        f"{time.monotonic() - began:,.0f} s; chips counted at every hand, every cent and place checked by the "
        "lobby's own account and by the auditor's walk"
    )
    return 1 if faults or missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
