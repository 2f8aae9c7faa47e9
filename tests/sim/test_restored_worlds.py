"""Whichever service is restored alone, from whichever backup: hands that it lacks are missed when the suite starts."""

from dataclasses import replace

import pytest

from tests.sim.leanings import Leaning
from tests.sim.plans import plan_of
from tests.sim.restored import STORED, Backups
from tests.sim.world import live

ONE_OF_EACH = Leaning(ledgers=0, orchestrators=0, dealers=0, purchases=0)


@pytest.mark.parametrize("trouble", [0.0, 1.0])
def test_a_service_that_was_restored_alone_is_named_and_backups_of_one_moment_are_not(trouble: float) -> None:
    missed: set[str] = set()
    for seed in range(1, 5):
        backups = Backups(count=5)
        live(plan_of(seed, replace(ONE_OF_EACH, trouble=(trouble,))), backups.live)
        for each in backups.restored:
            assert each.older or not each.told, f"seed {seed}: backups of one moment, and it says: {each.told}"
            assert each.told or not each.missing, f"seed {seed}: {each.older} lacks a hand, and nobody says so"
        missed |= {each.older for each in backups.restored if each.missing}
    assert missed == set(STORED)
