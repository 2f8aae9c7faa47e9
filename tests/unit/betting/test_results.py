"""Winners as they are handed in: every contested pot has some (rules 102, 123)."""

import pytest

from services.betting.application import hands
from services.betting.application.commands import PotResult, Settle
from shared.kernel.errors import DomainError, Reason
from tests.support.betting_hand import S003, Hand, stakes


@pytest.mark.parametrize("results", [(), (PotResult(pot_index=0, winner_seats=()),)], ids=["unnamed", "nobody"])
def test_a_pot_of_two_players_needs_a_winner(results: tuple[PotResult, ...]) -> None:
    hand = Hand(S003, stakes("10/20", ante=5, bring_in=2), {1: 5, 2: 5})
    for _ in range(5):
        hand.open(1)
    with pytest.raises(DomainError) as refused:
        hands.settle(Settle(state=hand.outcome.state, results=results, rake=None))
    assert (refused.value.reason, refused.value.metadata) == (Reason.REQUEST_INVALID, {"field": "results"})
