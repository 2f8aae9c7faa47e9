"""`make hands N=100000`: many random hands over two processes, then what happened in them."""

import argparse
import sys
import traceback
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context

from tests.batteries.hands.coverage import EVENTS, SELDOM, Coverage
from tests.batteries.hands.play import play_hand
from tests.batteries.hands.setups import plan_of
from tests.batteries.progress import Progress
from tests.support.in_process_table import InProcessTable, TableFact

PORTION = 100
LONG_RUN = 100_000
LEAST = 100
"""In a long run every interesting event happens at least so often."""


@dataclass(slots=True)
class Tally:
    """Results of some hands."""

    hands: int = 0
    steps: int = 0
    tried: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    events: Counter[str] = field(default_factory=Counter)
    failed: list[tuple[int, str]] = field(default_factory=list)

    def take(self, other: "Tally") -> None:
        """The results of other hands too."""
        self.hands += other.hands
        self.steps += other.steps
        self.tried += other.tried
        self.kinds.update(other.kinds)
        self.events.update(other.events)
        self.failed += other.failed


def play_portion(numbers: Sequence[int]) -> Tally:
    """Play some hands; a failing one is kept by its number, and the others go on."""
    tally, coverage = Tally(), Coverage()
    for number in numbers:
        try:
            played = play_hand(number, coverage)
        except Exception:  # noqa: BLE001 - whatever breaks in a hand is what is looked for
            tally.failed.append((number, traceback.format_exc(limit=-3)))
            continue
        tally.hands += 1
        tally.steps += len(played.inputs)
        tally.tried += played.tried
        options = "other options" if played.plan.overridden else "as it is"
        tally.kinds[f"{played.plan.setup.rules.structure}, {played.plan.preset}, {options}"] += 1
    tally.events = coverage.counts
    return tally


def play_many(first: int, hands: int, processes: int) -> Tally:
    """Play hands by number."""
    last = first + hands
    portions = [range(at, min(at + PORTION, last)) for at in range(first, last, PORTION)]
    progress, whole = Progress("hands", hands), Tally()
    with get_context("fork").Pool(processes) as pool:
        for tally in pool.imap_unordered(play_portion, portions):
            whole.take(tally)
            progress.add(tally.hands + len(tally.failed), f"{len(whole.failed)} failed")
    progress.finish()
    return whole


def missing(tally: Tally) -> list[str]:
    """Events that happened too rarely for a long run to say anything about them."""
    return [event for event in EVENTS if tally.events[event] < LEAST and event not in SELDOM]


def tell(number: int) -> int:
    """Play one hand and tell it fact by fact, to the end or the failure."""
    plan = plan_of(number)
    print(f"hand {number}: {plan.preset}{', other options' if plan.overridden else ''}, absent: {sorted(plan.absent)}")
    print(plan.setup)

    def line(_: InProcessTable, facts: Sequence[TableFact]) -> None:
        for fact in facts:
            print(f"  {fact}")

    played = play_hand(number, Coverage(), (line,))
    print(f"hand {number}: {len(played.inputs)} actions, all is well")
    return 0


def report(tally: Tally) -> int:
    """Print what happened; 1 where a hand failed or a long run missed something."""
    print(f"{tally.hands:,} hands, {tally.steps:,} actions, {tally.tried:,} more tried and taken or refused as offered")
    for kind, hands in sorted(tally.kinds.items()):
        print(f"  {kind:<52} {hands:>8,}")
    print("what happened in them")
    for event in EVENTS:
        print(f"  {event:<52} {tally.events[event]:>8,}")
    for number, why in tally.failed[:5]:
        print(f"FAILED: hand {number}; again: python -m tests.batteries.hands --hand {number}\n{why}")
    rare = missing(tally) if tally.hands >= LONG_RUN else []
    if rare:
        print(f"too rare, below {LEAST}: {', '.join(rare)}")
    print(f"{len(tally.failed)} hands failed")
    return 1 if tally.failed or rare else 0


def main() -> int:
    """Play, count, report."""
    parser = argparse.ArgumentParser(prog="make hands")
    parser.add_argument("hands", type=int, nargs="?", default=LONG_RUN)
    parser.add_argument("--first", type=int, default=0, help="number of the first hand")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--hand", type=int, help="play this one hand and tell it")
    asked = parser.parse_args()
    if asked.hand is not None:
        return tell(asked.hand)
    return report(play_many(asked.first, asked.hands, asked.processes))


if __name__ == "__main__":
    sys.exit(main())
