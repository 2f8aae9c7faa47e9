"""Evenings at which players come and go while answers are lost: nothing is left behind, and what does is found."""

import pytest

from tests.sim.doubt import hesitate
from tests.sim.plans import doubtful
from tests.sim.planted.money import closed_over_a_purchase
from tests.sim.world import Broken, live

CLOSED_OVER = 15
"""The first seed whose world closes the table while chips are on their way to it."""


@pytest.mark.parametrize("seed", [1, 2, CLOSED_OVER])
def test_money_in_doubt_is_found_again(seed: int) -> None:
    live(doubtful(seed), hesitate)


def test_a_table_that_closes_over_a_purchase_is_noticed() -> None:
    with closed_over_a_purchase(), pytest.raises(Broken, match="the cash-out of everybody never came"):
        live(doubtful(CLOSED_OVER), hesitate)
