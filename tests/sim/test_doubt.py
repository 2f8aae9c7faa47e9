"""Evenings at which players come and go while answers are lost: nothing is left behind, and what does is found."""

from collections.abc import Generator
from contextlib import contextmanager
from unittest.mock import patch

import pytest

from services.orchestrator.adapters import table_log
from services.orchestrator.application import purchases
from services.orchestrator.application.actor import TableActor
from tests.sim.doubt import doubtful, hesitate
from tests.sim.world import Broken, live

CLOSED_OVER = 15
"""The first seed whose world closes the table while chips are on their way to it."""


@contextmanager
def closed_over_a_purchase() -> Generator[None]:
    """A table is closed whatever is on its way to it, and its log does not mind."""
    settle_all = purchases.settle_all

    async def settled(table: TableActor, player_id: str = "") -> None:
        if player_id:
            await settle_all(table, player_id)

    careless = "UPDATE purchases SET seat = seat WHERE table_id = ? AND 1 = 0"
    with patch.object(purchases, "settle_all", settled), patch.object(table_log, "_NO_PURCHASES", careless):
        yield


@pytest.mark.parametrize("seed", [1, 2, CLOSED_OVER])
def test_money_in_doubt_is_found_again(seed: int) -> None:
    live(doubtful(seed), hesitate)


def test_a_table_that_closes_over_a_purchase_is_noticed() -> None:
    with closed_over_a_purchase(), pytest.raises(Broken, match="the cash-out of everybody never came"):
        live(doubtful(CLOSED_OVER), hesitate)
