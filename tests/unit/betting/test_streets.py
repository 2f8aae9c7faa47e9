"""Openers, ends of rounds and the facts told of them (C21, rules 12, 21, 38, 69, 83, 101, 107)."""

import pytest

from services.betting.domain.facts import ActionTaken, AntePosted, StreetClosed, UncalledBetReturned
from services.betting.domain.state import SeatStatus
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Street
from shared.kernel.rules import AllInHighHand
from tests.support.betting_hand import LIMIT, NO_LIMIT, S000, S003, Hand, rules, stakes

SMALL = stakes("10/20", ante=1, bring_in=3)
DEEP = {1: 1000, 2: 1000, 3: 1000, 4: 1000}
S000_LIMIT = rules(S000, structure=LIMIT)
S000_NO_LIMIT = rules(S000, structure=NO_LIMIT)


@pytest.mark.parametrize(("option", "opener"), [(AllInHighHand.NEXT_CLOCKWISE, 3), (AllInHighHand.BEST_ABLE, 4)])
def test_an_all_in_high_board_does_not_open(option: AllInHighHand, opener: int) -> None:
    hand = Hand.on(Street.FIFTH, rules(S000_LIMIT, all_in_high_hand=option), SMALL, {**DEEP, 2: 20}, dead=5)
    hand.open(1).play("1 bet 20", "2 call", "3 call", "4 call").open(2, 4, 3, 1)
    assert hand.turn == opener


def test_folding_where_a_check_is_free_may_be_refused() -> None:
    hand = Hand.on(Street.FIFTH, rules(S003, fold_when_check_free=False), SMALL, DEEP, dead=5).open(1)
    assert hand.legal == "CHECK, BET (to 20)"
    with pytest.raises(DomainError) as refused:
        hand.play("1 fold")
    assert refused.value.reason is Reason.ACTION_NOT_LEGAL


def test_nobody_raises_when_nobody_is_left_to_answer() -> None:
    hand = Hand.on(Street.FIFTH, S000_NO_LIMIT, SMALL, {1: 50, 2: 1000}, dead=5).open(1).play("1 bet 50")
    assert hand.legal == "FOLD, CALL (pays 50)"


def test_an_unmatched_ante_goes_back_before_the_first_card() -> None:
    hand = Hand(S003, stakes("10/20", ante=5, bring_in=3), {1: 100, 2: 1})
    assert hand.facts == (
        AntePosted(seat=1, chips=5, all_in=False),
        AntePosted(seat=2, chips=1, all_in=True),
        UncalledBetReturned(seat=1, chips=4),
    )
    assert (hand.stacks, hand.pots) == ({1: 99, 2: 0}, [(2, (1, 2))])
    for _ in range(5):
        hand.open(2)
    assert hand.next == "SHOWDOWN"


def test_a_seat_all_in_for_an_ante_that_nobody_matched_has_chips_again() -> None:
    hand = Hand(S003, stakes("10/20", ante=5, bring_in=3), {1: 3, 2: 1})
    assert hand.stacks == {1: 2, 2: 0}
    assert hand.outcome.state.seats[0].status is SeatStatus.ACTIVE


def test_the_facts_of_an_action_that_ends_the_hand_are_in_order() -> None:
    hand = Hand(S003, SMALL, {1: 100, 2: 100}).open(1).play("1 bring_in", "2 fold")
    assert hand.fact_names == ["ActionTaken", "UncalledBetReturned", "StreetClosed"]
    closed = hand.facts[-1]
    assert isinstance(closed, StreetClosed)
    assert (closed.street, closed.pots) == (Street.THIRD, hand.outcome.pots)


def test_an_action_says_what_it_paid() -> None:
    hand = Hand(S003, SMALL, {1: 100, 2: 9, 3: 100}).open(1).play("1 bring_in", "2 complete 8")
    taken = hand.facts[0]
    assert isinstance(taken, ActionTaken)
    assert (taken.paid_chips, taken.to_chips, taken.all_in) == (8, 8, True)


def test_the_last_aggressor_of_the_river_is_told() -> None:
    hand = Hand.on(Street.SEVENTH, S003, SMALL, {1: 100, 2: 100, 3: 100}, dead=5).open(3)
    hand.play("3 bet 20", "1 raise 40", "2 call", "3 call")
    assert hand.next == "SHOWDOWN"
    assert (hand.outcome.state.last_aggressor_seat, hand.outcome.state.first_to_act_seat) == (1, 3)
