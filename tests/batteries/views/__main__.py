"""`make views N=10000`: so many random hands, each played twice with only unseen cards changed, bytes compared."""

import argparse
import sys
from collections import Counter
from collections.abc import Sequence
from multiprocessing import get_context

from tests.batteries.progress import Progress
from tests.batteries.views.portion import check_portion

PORTION = 50
PROCESSES = 2
FAILURES_SHOWN = 5


def main(arguments: Sequence[str]) -> int:
    """0 where no byte differed."""
    parser = argparse.ArgumentParser(prog="make views", description=__doc__)
    parser.add_argument("hands", type=int, help="how many hands")
    parser.add_argument("--first", type=int, default=1, help="number of the first hand")
    chosen = parser.parse_args(arguments)
    numbers = range(chosen.first, chosen.first + chosen.hands)
    portions = [numbers[at : at + PORTION] for at in range(0, len(numbers), PORTION)]
    progress, counts, failed = Progress("views", len(numbers)), Counter[str](), list[tuple[int, str]]()
    with get_context("spawn").Pool(PROCESSES) as pool:
        for portion, (found, wrong) in zip(portions, pool.imap(check_portion, portions), strict=True):
            counts.update(found)
            failed += wrong
            progress.add(len(portion))
    progress.finish()
    for name, count in sorted(counts.items()):
        print(f"{count:>12,}  {name}")
    for number, text in failed[:FAILURES_SHOWN]:
        print(f"hand {number}:\n{text}", file=sys.stderr)
    print(f"{len(failed)} hands differ, {progress.seconds:.0f} s")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
