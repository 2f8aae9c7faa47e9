"""``python -m tests.batteries.attack [--scale 0.01] [F14a S8 ...]``: attacks on a running house, and their table."""

import argparse
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Final

from shared.observability.logging import configure_logging
from tests.batteries.attack.f14_timing import time_tells_nothing
from tests.batteries.attack.f14_views import views_leak_nothing
from tests.batteries.attack.f14_wire import views_on_the_wire
from tests.batteries.attack.f16_disclosures import no_superuser
from tests.batteries.attack.s07_rights import rights_and_identities
from tests.batteries.attack.s08_fuzz import fuzzed
from tests.batteries.attack.s13_quotas import quotas_hold
from tests.batteries.attack.s14_edges import edge_integers
from tests.batteries.attack.s15_names import names_are_what_they_seem
from tests.batteries.attack.s17_sealed import sealed_stay_sealed
from tests.batteries.attack.s17_secrets import secrets_stay_secret
from tests.batteries.attack.s18_exhaustion import exhaustion
from tests.batteries.attack.sockets import cancel_flood, silent_sockets, streams_never_read
from tests.batteries.ledger.report import Row, Verdict, exit_code, judged, table

FULL: Final[Mapping[str, tuple[int, Callable[[int], Iterator[Row]]]]] = {
    "F14a": (10_000, views_leak_nothing),
    "F14b": (1_000, views_on_the_wire),
    "F14c": (100_000, time_tells_nothing),
    "F16": (10_000, no_superuser),
    "S7": (1, lambda _: rights_and_identities()),
    "S8": (10_000, fuzzed),
    "S9": (500, streams_never_read),
    "S10": (500, silent_sockets),
    "S11": (100_000, cancel_flood),
    "S13": (1_000_000, quotas_hold),
    "S14": (1_000, lambda size: edge_integers(size / 1_000)),
    "S15": (100_000, names_are_what_they_seem),
    "S17": (1_000, secrets_stay_secret),
    "S17b": (1_000, sealed_stay_sealed),
    "S18": (1, lambda _: exhaustion()),
}
"""Each row's size, and its attack."""
LEAST: Final = {"F14a": 20, "F14b": 4, "F14c": 500, "F16": 20, "S8": 5, "S9": 20, "S10": 50, "S11": 500, "S13": 500}
LEAST_OF_ALL: Final = 10
"""Below this a row proves nothing."""


def main(arguments: list[str]) -> int:
    """Run the rows asked for; the exit code tells whether all hold."""
    parser = argparse.ArgumentParser(prog="make attack", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help=f"some of {' '.join(FULL)}; none = all")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the full size, default 1")
    options = parser.parse_args(arguments)
    unknown = set(options.rows) - set(FULL)
    if unknown:
        parser.error(f"there is no row {', '.join(sorted(unknown))}: the rows are {' '.join(FULL)}")
    configure_logging("attack", "critical")
    rows: list[Row] = []
    for name in options.rows or FULL:
        size, attack = FULL[name]
        scaled = size if size == 1 else max(int(size * options.scale), LEAST.get(name, LEAST_OF_ALL))
        rows += _timed(name, scaled, attack)
    print(table(rows))
    skipped = sum(row.verdict is Verdict.SKIPPED for row in rows)
    failed = sum(row.verdict is Verdict.FAILED for row in rows)
    print(f"\n{len(rows)} rows, {failed} failed, {skipped} not run, scale {options.scale:g}")
    return exit_code(rows)


def _timed(name: str, size: int, attack: Callable[[int], Iterator[Row]]) -> list[Row]:
    """The rows of one attack with the time they took; one that breaks has failed."""
    print(f"{name}: size {size:,}", file=sys.stderr)
    began = time.monotonic()
    try:
        found = list(attack(size))
    except Exception as fault:  # noqa: BLE001  # the other rows are wanted all the same
        found = [judged(name, "runs to its end", f"broke with {type(fault).__name__}: {fault}", holds=False)]
    seconds = time.monotonic() - began
    for row in found:
        print(f"{row.name}: {row.verdict}: {row.found}", file=sys.stderr)
    return [replace(row, seconds=seconds) for row in found]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
