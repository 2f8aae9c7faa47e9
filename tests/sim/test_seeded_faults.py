"""Faults that are put into the product are found by a few worlds: else the simulation would prove nothing.

The rarer ones are looked for by ``make sim-faults``, which takes longer.
"""

import pytest

from tests.sim.faults import FAULTS
from tests.sim.lives import whole
from tests.sim.plans import plan_of
from tests.sim.planted.fault import Fault, found_by
from tests.sim.world import live

WORLDS_MAX = 30


@pytest.mark.parametrize("fault", [each for each in FAULTS if not each.rare], ids=lambda fault: fault.name)
def test_the_simulation_finds(fault: Fault) -> None:
    assert found_by(fault, range(1, WORLDS_MAX)) is not None, f"{WORLDS_MAX} worlds did not find: {fault.what}"


def test_there_are_at_least_ten_faults_and_none_stays_in_the_product() -> None:
    assert len({fault.name for fault in FAULTS if not fault.rare}) >= 10
    assert live(plan_of(1), whole).hands > 0
