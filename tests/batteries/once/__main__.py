"""``python -m tests.batteries.once [--scale 0.01] [S3 S4a ...]``: exactly once, and its table."""

import sys
from collections.abc import Mapping
from typing import Final

from tests.batteries.once.s03_stale import stale_changes_nothing
from tests.batteries.once.s04_answers import answers_that_are_late, answers_that_are_lost, cut_at_every_wait
from tests.batteries.runner import Battery, Proof

FULL: Final[Mapping[str, tuple[int, Proof]]] = {
    "S3": (100_000, stale_changes_nothing),
    "S4a": (10_000, answers_that_are_lost),
    "S4b": (1_000, answers_that_are_late),
    "S4c": (1, lambda _: cut_at_every_wait()),
}
"""Each row's size, and what proves it."""
LEAST: Final = {"S3": 200, "S4a": 300, "S4b": 100}
BATTERY: Final = Battery(prog="make once", about=__doc__, full=FULL, least=LEAST)


if __name__ == "__main__":
    sys.exit(BATTERY.run(sys.argv[1:]))
