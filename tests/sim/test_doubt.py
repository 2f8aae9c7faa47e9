"""Evenings at which players come and go while answers are lost: nothing is left behind, and what does is found."""

import pytest

from tests.sim.doubt import hesitate
from tests.sim.plans import doubtful
from tests.sim.planted.money import closed_over_a_purchase
from tests.sim.world import Broken, live

SEEDS_MAX = 60


@pytest.mark.parametrize("seed", [1, 2, 21])
def test_money_in_doubt_is_found_again(seed: int) -> None:
    live(doubtful(seed), hesitate)


def test_a_table_that_closes_over_a_purchase_is_noticed() -> None:
    with closed_over_a_purchase(), pytest.raises(Broken):
        _evenings()


def _evenings() -> None:
    for seed in range(1, SEEDS_MAX):
        live(doubtful(seed), hesitate)
