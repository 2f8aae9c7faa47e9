"""``python -m tests.batteries.chaos [--scale 0.1] [S1 S5 ...]``: real processes, hurt; one row a promise."""

import sys
from collections.abc import Mapping
from typing import Final

from tests.batteries.chaos.s01_hand import hand_with_kills
from tests.batteries.runner import Battery, Proof

FULL: Final[Mapping[str, tuple[int, Proof]]] = {
    "S1": (100, hand_with_kills),
}
"""Each row's size, and what hurts."""
LEAST: Final = {"S1": 5}
BATTERY: Final = Battery(prog="make chaos", about=__doc__, full=FULL, least=LEAST)


if __name__ == "__main__":
    sys.exit(BATTERY.run(sys.argv[1:]))
