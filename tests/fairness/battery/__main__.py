"""The whole battery at full size: `make fairness`, or `python -m tests.fairness.battery --share 0.01 F3 F18`.

Prints how far it is on standard error, and in the end one table; exit code 1 where a row failed.
"""

import argparse
import sys
import time
from collections.abc import Callable, Iterator

from shared.observability.logging import configure_logging
from tests.fairness.battery import (
    byte_source,
    index_function,
    live_watch,
    no_choice,
    nothing_else_counts,
    records_checked,
    reshuffles,
    sealing,
    short_decks,
    streams_alike,
    the_guard,
    the_tests_bite,
    whole_decks,
)
from tests.fairness.battery.rows import Row, Sizes, Verdict, table

PARTS: dict[str, Callable[[Sizes], Iterator[Row]]] = {
    "F1": index_function.rows,
    "F2": short_decks.rows,
    "F3": whole_decks.rows,
    "F7": nothing_else_counts.rows,
    "F8": reshuffles.rows,
    "F9": byte_source.rows,
    "F10": the_tests_bite.rows,
    "F11": streams_alike.rows,
    "F12": records_checked.rows,
    "F15": the_guard.rows,
    "F17": sealing.rows,
    "F18": no_choice.rows,
    "F19": live_watch.rows,
}
"""F3 brings F2 of whole decks, F4 to F7 with it, F12 brings F13."""


def main(arguments: list[str]) -> int:
    """Run, print, and say by the exit code whether all of it was looked at and holds."""
    parser = argparse.ArgumentParser(prog="python -m tests.fairness.battery", description="The fairness battery.")
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"of {', '.join(PARTS)} (default: all)")
    parser.add_argument("--share", type=float, default=1.0, help="of full size (default: %(default)s)")
    chosen = parser.parse_args(arguments)
    unknown = set(chosen.parts) - set(PARTS)
    if unknown:
        parser.error(f"there is no part {', '.join(sorted(unknown))}")
    configure_logging("fairness", "error")
    began = time.monotonic()
    rows = list(run(chosen.parts or list(PARTS), Sizes(chosen.share)))
    print(table(rows))
    counts = {verdict: sum(row.verdict is verdict for row in rows) for verdict in Verdict}
    said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    print(f"\nfairness: {said}, in {time.monotonic() - began:.0f} s at {chosen.share:g} of full size")
    return exit_code(rows)


def exit_code(rows: list[Row]) -> int:
    """0 where all holds; 1 where something does not; 3 where something could not be looked at here."""
    verdicts = {each.verdict for each in rows}
    return 1 if Verdict.FAILED in verdicts else 3 if Verdict.SKIPPED in verdicts else 0


def run(names: list[str], sizes: Sizes) -> Iterator[Row]:
    """The parts one after another."""
    for name in names:
        began = time.monotonic()
        print(f"{name}: begins", file=sys.stderr)
        for row in PARTS[name](sizes):
            print(f"{row.id}: {row.verdict}: {row.what}: {row.found} (demanded: {row.demanded})", file=sys.stderr)
            yield row
        print(f"{name}: {time.monotonic() - began:.0f} s", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
