"""``python -m tests.batteries.ledger [--scale 0.01] [L1 L3 ...]``: the proofs of money, and their table."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from shared.observability.logging import configure_logging
from tests.batteries.ledger.l01_sums import sums_and_generator
from tests.batteries.ledger.l02_duplicates import duplicates
from tests.batteries.ledger.l03_kills import kills_lose_nothing
from tests.batteries.ledger.l04_power_cut import power_cuts
from tests.batteries.ledger.l07_payouts import payouts
from tests.batteries.ledger.l08_edges import edge_integers
from tests.batteries.ledger.l09_bank import bank_test
from tests.batteries.ledger.l10_time import order_and_time
from tests.batteries.ledger.l11_export import export_replayed
from tests.batteries.ledger.l12_holds import holds_end
from tests.batteries.ledger.l13_statements import failures_leave_nothing
from tests.batteries.ledger.report import Row, Verdict, exit_code, judged, table

FULL: Final[Mapping[str, tuple[int, Callable[[int], Iterator[Row]]]]] = {
    "L1": (1_000_000, sums_and_generator),
    "L2": (100_000, duplicates),
    "L3": (500, kills_lose_nothing),
    "L4": (50, power_cuts),
    "L7": (100_000, payouts),
    "L8": (1, lambda _: edge_integers()),
    "L9": (100_000, bank_test),
    "L10": (50_000, order_and_time),
    "L11": (100_000, export_replayed),
    "L12": (10_000, holds_end),
    "L13": (1_500, failures_leave_nothing),
}
"""Each row's size, and what proves it; L14 comes with L1."""
LEAST: Final = {
    "L1": 8_000,
    "L2": 320,
    "L3": 5,
    "L4": 3,
    "L7": 500,
    "L9": 2_000,
    "L10": 2_000,
    "L11": 2_000,
    "L12": 200,
    "L13": 150,
}
"""Below this a row proves nothing."""


def main(arguments: list[str]) -> int:
    """Run the rows asked for; the exit code tells whether all hold."""
    parser = argparse.ArgumentParser(prog="ledger-proof", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"some of {' '.join(FULL)}; none = all")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full size, default 1")
    options = parser.parse_args(arguments)
    unknown = set(options.rows) - set(FULL)
    if unknown:
        parser.error(f"there is no row {', '.join(sorted(unknown))}: the rows are {' '.join(FULL)}, L14 comes with L1")
    configure_logging("tournament_ledger", "critical")
    rows: list[Row] = []
    for name in options.rows or FULL:
        size, proof = FULL[name]
        rows += _timed(name, max(int(size * options.scale), LEAST.get(name, 1)), proof)
    print(table(rows))
    skipped = sum(row.verdict is Verdict.SKIPPED for row in rows)
    failed = sum(row.verdict is Verdict.FAILED for row in rows)
    print(f"\n{len(rows)} rows, {failed} failed, {skipped} skipped, scale {options.scale:g}")
    return exit_code(rows)


def _timed(name: str, size: int, proof: Callable[[int], Iterator[Row]]) -> list[Row]:
    """The rows of one proof with the time they took; a proof that breaks has failed."""
    print(f"{name}: size {size:,}", file=sys.stderr)
    began = time.monotonic()
    try:
        found = list(proof(size))
    except Exception as fault:  # noqa: BLE001  # the other rows are wanted all the same
        found = [judged(name, "runs to its end", f"broke with {type(fault).__name__}: {fault}", holds=False)]
    seconds = time.monotonic() - began
    return [replace(row, seconds=seconds) for row in found]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
