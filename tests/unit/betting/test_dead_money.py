"""Chips without an owner in the hand, and pots of next to nothing (rules 99-101, 196)."""

from dataclasses import replace

import pytest

from services.betting.domain.actions import ActionCause
from services.betting.domain.facts import UncalledBetReturned
from shared.kernel.rules import RakeRules
from tests.support.betting_hand import CLOCK_S004, S003, Hand, stakes

HALF = RakeRules(basis_points=5_000, caps=(), unit_chips=1, no_fourth_street_no_rake=False)


def killed(bring_in: int) -> Hand:
    """Without antes: the bring-in of an absent player is all that is in, and that hand is killed."""
    hand = Hand(S003, stakes("10/20", bring_in=bring_in), {1: 50, 2: 50, 3: 50}).open(1)
    hand.expire(CLOCK_S004, ActionCause.ABSENT)
    return hand.play("2 fold")


@pytest.mark.parametrize("bring_in", [1, 4])
def test_the_last_one_takes_a_killed_bring_in_without_having_paid_anything(bring_in: int) -> None:
    hand = killed(bring_in)
    assert (hand.next, hand.pots) == ("UNCONTESTED", [(bring_in, (3,))])
    hand.settle()
    assert hand.stacks == {1: 50 - bring_in, 2: 50, 3: 50 + bring_in}


def test_nothing_is_raked_that_one_player_alone_put_in() -> None:
    assert killed(4).settle(rake=HALF).rake_chips == 0
    assert killed(4).settle(rake=replace(HALF, basis_points=10_000)).rake_chips == 0


def test_a_pot_of_single_chips_is_raked_like_any_other() -> None:
    hand = Hand(S003, stakes("10/20", ante=1, bring_in=2), {1: 1, 2: 1})
    for _ in range(5):
        hand.open(1)
    assert hand.settle((1,), rake=HALF).rake_chips == 1


def test_a_single_chip_that_nobody_calls_goes_back() -> None:
    hand = Hand(S003, stakes("10/20", bring_in=1), {1: 50, 2: 50}).open(1).play("1 bring_in", "2 fold")
    assert [fact for fact in hand.facts if isinstance(fact, UncalledBetReturned)] == [
        UncalledBetReturned(seat=1, chips=1)
    ]
    assert (hand.pots, hand.stacks) == ([], {1: 50, 2: 50})
