"""The bring-in: who owes it, what the opener may do, what comes over it (C1, C2, C6-C9)."""

import pytest

from shared.kernel.rules import (
    BringInFold,
    BringInNoChips,
    ShortBringInPrice,
    ThirdStreetOverBringIn,
)
from tests.support.betting_hand import LIMIT, NO_LIMIT, POT_LIMIT, S000, S003, S004, Hand, rules, stakes

SMALL = stakes("10/20", ante=1, bring_in=3)
DEEP = {1: 1000, 2: 1000, 3: 1000, 4: 1000}
S000_LIMIT = rules(S000, structure=LIMIT)
S000_NO_LIMIT = rules(S000, structure=NO_LIMIT)


def test_declining_may_pass_the_duty_to_the_left() -> None:
    hand = Hand(rules(S003, bring_in_fold=BringInFold.PASS_LEFT), SMALL, DEEP).open(3, 1, 2, 4)
    assert hand.play("3 fold").turn == 4
    assert hand.play("4 fold").turn == 1


def test_the_first_seat_to_act_is_told_although_it_declined() -> None:
    hand = Hand(S000_LIMIT, SMALL, DEEP).open(3, 1, 2, 4).play("3 fold")
    assert hand.outcome.state.first_to_act_seat == 3


def test_when_the_neighbours_of_a_chipless_low_card_all_fold_the_last_one_pays_nothing() -> None:
    hand = Hand(S003, SMALL, {1: 1, 2: 100, 3: 100}).open(1).play("2 fold")
    assert hand.next == "DEAL_STREET"
    assert hand.pots == [(3, (1, 3))]
    assert hand.stacks[3] == 99


def test_the_next_lowest_of_a_chipless_low_card_has_the_full_duty() -> None:
    hand = Hand(rules(S003, bring_in_no_chips=BringInNoChips.NEXT_LOWEST), SMALL, {1: 1, 2: 100, 3: 100})
    assert hand.open(1, 3, 2).legal == "BRING_IN (pays 3), COMPLETE (to 10)"


def test_the_low_card_with_chips_has_no_right_to_fold_although_others_are_all_in() -> None:
    hand = Hand(S003, SMALL, {1: 1, 2: 100, 3: 100}).open(2)
    assert hand.legal == "BRING_IN (pays 3), COMPLETE (to 10)"


def test_the_opener_may_be_kept_from_opening_for_the_full_bet() -> None:
    assert Hand(rules(S003, bring_in_full=False), SMALL, DEEP).open(1).legal == "BRING_IN (pays 3)"


def test_an_opener_between_bring_in_and_full_bet_may_go_all_in() -> None:
    hand = Hand(S003, SMALL, {1: 8, 2: 100, 3: 100}).open(1)
    assert hand.legal == "BRING_IN (pays 3), COMPLETE (to 7)"
    assert hand.play("1 complete 7").legal == "FOLD, CALL (pays 7), RAISE (to 17)"


def test_an_opener_all_in_for_less_than_half_of_it_may_be_completed() -> None:
    hand = Hand(S003, SMALL, {1: 5, 2: 100, 3: 100}).open(1).play("1 complete 4")
    assert hand.legal == "FOLD, CALL (pays 4), COMPLETE (to 10)"


def test_the_high_card_opens_pot_limit_for_the_half_or_the_whole_minimum() -> None:
    hand = Hand(rules(S004, structure=POT_LIMIT), stakes("50/100", ante=5, bring_in=25), DEEP).open(1)
    assert hand.legal == "BRING_IN (pays 25), COMPLETE (to 50 to 50)"
    assert hand.play("1 complete 50").legal == "FOLD, CALL (pays 50), RAISE (to 100 to 170)"


def test_a_short_bring_in_may_set_the_price() -> None:
    actual = rules(S003, short_bring_in_price=ShortBringInPrice.ACTUAL)
    hand = Hand(actual, SMALL, {1: 3, 2: 100, 3: 100}).open(1).play("1 bring_in")
    assert hand.legal == "FOLD, CALL (pays 2), COMPLETE (to 10)"


def test_the_payer_of_the_bring_in_may_have_a_second_option() -> None:
    hand = Hand(rules(S003, bring_in_live_option=True), SMALL, {1: 100, 2: 100, 3: 100}).open(2)
    hand.play("2 bring_in", "3 call", "1 call")
    assert (hand.turn, hand.legal) == (2, "FOLD, CHECK, COMPLETE (to 10)")
    assert hand.play("2 check").next == "DEAL_STREET"


def test_the_second_option_used_reopens_the_street() -> None:
    hand = Hand(rules(S003, bring_in_live_option=True), SMALL, {1: 100, 2: 100, 3: 100}).open(2)
    hand.play("2 bring_in", "3 call", "1 call", "2 complete 10")
    assert (hand.turn, hand.legal) == (3, "FOLD, CALL (pays 7), RAISE (to 20)")


def test_the_first_wager_may_be_added_to_the_bring_in() -> None:
    added = rules(S003, third_street_over_bring_in=ThirdStreetOverBringIn.ADD)
    hand = Hand(added, SMALL, DEEP).open(1).play("1 bring_in")
    assert hand.legal == "FOLD, CALL (pays 3), COMPLETE (to 13)"
    assert hand.play("2 complete 13").legal == "FOLD, CALL (pays 13), RAISE (to 23)"


def test_the_minimum_bet_may_be_added_to_the_bring_in() -> None:
    added = rules(S000_NO_LIMIT, third_street_over_bring_in=ThirdStreetOverBringIn.ADD)
    hand = Hand(added, SMALL, DEEP).open(1).play("1 bring_in")
    assert hand.legal == "FOLD, CALL (pays 3), COMPLETE (to 23 to 999)"


@pytest.mark.parametrize(("all_in", "legal"), [(7, "COMPLETE (to 13)"), (8, "RAISE (to 18)")])
def test_half_a_bet_is_counted_from_the_bring_in_where_it_is_added(all_in: int, legal: str) -> None:
    added = rules(S003, third_street_over_bring_in=ThirdStreetOverBringIn.ADD)
    hand = Hand(added, SMALL, {1: 1000, 2: all_in + 1, 3: 1000}).open(1)
    assert hand.play("1 bring_in", f"2 complete {all_in}").legal.endswith(legal)
