"""``python -m tests.batteries.chaos [--scale 0.1] [S1 S5 ...]``: real processes, hurt; one row a promise."""

import sys
from collections.abc import Mapping
from typing import Final

from tests.batteries.chaos.l05_disks import failing_disks
from tests.batteries.chaos.postgres import postgres_killed
from tests.batteries.chaos.s01_hand import hand_with_kills
from tests.batteries.chaos.s01_tournament import tournaments_with_kills
from tests.batteries.chaos.s05_stopped import stopped_replicas
from tests.batteries.chaos.s06_steps import crashes_at_each_step
from tests.batteries.chaos.s19_clocks import jumping_clocks
from tests.batteries.chaos.storm import everything_at_once
from tests.batteries.runner import Battery, Proof

FULL: Final[Mapping[str, tuple[int, Proof]]] = {
    "S1": (100, hand_with_kills),
    "S1T": (500, tournaments_with_kills),
    "S5": (30, stopped_replicas),
    "S6": (3, crashes_at_each_step),
    "L5": (100, failing_disks),
    "S19": (60, jumping_clocks),
    "PG": (12, postgres_killed),
    "STORM": (200, everything_at_once),
}
"""Each row's size, and what hurts."""
LEAST: Final = {"S1": 5, "S1T": 10, "S5": 8, "L5": 25, "S19": 6, "PG": 2, "STORM": 10}
BATTERY: Final = Battery(prog="make chaos", about=__doc__, full=FULL, least=LEAST)


if __name__ == "__main__":
    sys.exit(BATTERY.run(sys.argv[1:]))
