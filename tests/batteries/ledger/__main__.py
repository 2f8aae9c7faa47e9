"""``python -m tests.batteries.ledger [--scale 0.01] [L1 L3 ...]``: the proofs of money, and their table."""

import sys
from collections.abc import Mapping
from typing import Final

from tests.batteries.ledger.l01_sums import sums_and_generator
from tests.batteries.ledger.l02_duplicates import duplicates
from tests.batteries.ledger.l03_kills import kills_lose_nothing
from tests.batteries.ledger.l04_failed_syncs import failed_syncs
from tests.batteries.ledger.l04_power_cut import power_cuts
from tests.batteries.ledger.l07_payouts import payouts
from tests.batteries.ledger.l08_edges import edge_integers
from tests.batteries.ledger.l09_bank import bank_test
from tests.batteries.ledger.l10_time import order_and_time
from tests.batteries.ledger.l11_export import export_replayed
from tests.batteries.ledger.l12_holds import holds_end
from tests.batteries.ledger.l13_statements import failures_leave_nothing
from tests.batteries.runner import Battery, Proof

FULL: Final[Mapping[str, tuple[int, Proof]]] = {
    "L1": (1_000_000, sums_and_generator),
    "L2": (100_000, duplicates),
    "L3": (500, kills_lose_nothing),
    "L4": (50, power_cuts),
    "L4S": (20, failed_syncs),
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
    "L4S": 2,
    "L7": 500,
    "L9": 2_000,
    "L10": 2_000,
    "L11": 2_000,
    "L12": 200,
    "L13": 150,
}
BATTERY: Final = Battery(prog="make ledger-proof", about=__doc__, full=FULL, least=LEAST)


if __name__ == "__main__":
    sys.exit(BATTERY.run(sys.argv[1:]))
