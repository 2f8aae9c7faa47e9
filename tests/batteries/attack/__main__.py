"""``python -m tests.batteries.attack [--scale 0.01] [F14a S8 ...]``: attacks on a running house, and their table."""

import sys
from collections.abc import Mapping
from typing import Final

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
from tests.batteries.runner import Battery, Proof

FULL: Final[Mapping[str, tuple[int, Proof]]] = {
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
BATTERY: Final = Battery(prog="make attack", about=__doc__, full=FULL, least=LEAST, least_of_all=10)


if __name__ == "__main__":
    sys.exit(BATTERY.run(sys.argv[1:]))
