"""Exact amounts at the edges of the rules: equal is enough, one chip less is not."""

import pytest

from services.betting.domain.facts import ActionTaken
from shared.kernel.game import Street
from shared.kernel.rules import (
    BigBetMinimum,
    BringInNoChips,
    OpenPairFourth,
    PotBelowMinimum,
    ShortAllInBigBet,
    ShortAllInLimit,
)
from tests.support.betting_hand import NO_LIMIT, POT_LIMIT, S000, S003, S004, Hand, rules, stakes

SMALL = stakes("10/20", bring_in=2)
FIVE = stakes("5/10", bring_in=2)
DEEP = {1: 500, 2: 500, 3: 500}


def test_a_pot_that_is_just_the_minimum_bet_may_be_bet() -> None:
    hand_rules = rules(S004, structure=POT_LIMIT, pot_below_minimum=PotBelowMinimum.NO_RAISE)
    hand = Hand.on(Street.FOURTH, hand_rules, SMALL, {1: 100, 2: 100}, dead=5).open(1)
    assert hand.legal == "FOLD, CHECK, BET (to 10 to 10)"


def test_short_all_ins_that_add_up_to_just_a_full_raise_reopen() -> None:
    hand = Hand.on(Street.FIFTH, rules(S004, structure=NO_LIMIT), stakes("40/80"), {1: 900, 2: 60, 3: 80, 4: 900}).open(
        1
    )
    hand.play("1 bet 40", "2 raise 60", "3 raise 80", "4 call")
    assert hand.legal == "FOLD, CALL (pays 40), RAISE (to 120 to 900)"


def test_a_full_raise_reopens_where_short_all_ins_never_do() -> None:
    hand_rules = rules(S004, structure=NO_LIMIT, short_all_in_big_bet=ShortAllInBigBet.SINGLE)
    hand = Hand.on(Street.FIFTH, hand_rules, SMALL, DEEP).open(1).play("1 bet 20", "2 raise 40", "3 call")
    assert "RAISE (to 60 to 500)" in hand.legal


def test_an_opener_whose_chips_are_just_the_bring_in_has_nothing_to_open_with() -> None:
    hand = Hand(S003, SMALL, {1: 2, 2: 100, 3: 100}).open(1)
    assert hand.legal == "BRING_IN (pays 2)"


def test_the_full_bet_of_no_limit_is_opened_for_exactly() -> None:
    hand = Hand(rules(S004, structure=NO_LIMIT), SMALL, DEEP).open(1)
    assert hand.legal == "BRING_IN (pays 2), COMPLETE (to 10 to 10)"


def test_a_minimum_bet_that_is_the_bring_in_is_no_other_opening() -> None:
    hand = Hand(rules(S004, structure=NO_LIMIT, big_bet_minimum=BigBetMinimum.BRING_IN), SMALL, DEEP).open(1)
    assert hand.legal == "BRING_IN (pays 2)"


def test_who_stands_in_for_a_low_card_without_chips_may_open_full_even_where_the_opener_may_not() -> None:
    hand_rules = rules(S000, bring_in_no_chips=BringInNoChips.LEFT)
    hand = Hand(hand_rules, stakes("10/20", ante=1, bring_in=2), {1: 1, 2: 100, 3: 100}).open(1, 3, 2)
    assert (hand.turn, hand.legal) == (2, "FOLD, BRING_IN (pays 2), COMPLETE (to 10)")


def test_chips_for_just_the_call_are_no_raise() -> None:
    hand = Hand.on(Street.FIFTH, S003, SMALL, {1: 500, 2: 20, 3: 500}).open(1).play("1 bet 20")
    assert hand.legal == "FOLD, CALL (pays 20)"


def test_what_is_in_already_counts_towards_the_raise() -> None:
    hand = Hand.on(Street.FOURTH, S003, SMALL, {1: 35, 2: 500, 3: 500}).open(1)
    hand.play("1 bet 10", "2 raise 20", "3 raise 30")
    assert hand.legal == "FOLD, CALL (pays 20), RAISE (to 35)"


def test_an_open_pair_offers_a_short_stack_one_amount_once() -> None:
    hand_rules = rules(S003, open_pair_fourth=OpenPairFourth.ANY_PLAYER)
    hand = Hand.on(Street.FOURTH, hand_rules, FIVE, {1: 4, 2: 500, 3: 500}).open(1, pairs=(1,))
    assert hand.legal == "FOLD, CHECK, BET (to 4)"


def test_an_open_pair_stays_while_one_of_two_holders_is_in() -> None:
    hand_rules = rules(S003, open_pair_fourth=OpenPairFourth.ANY_PLAYER, open_pair_persists=False)
    hand = Hand.on(Street.FOURTH, hand_rules, FIVE, DEEP).open(1, pairs=(1, 3)).play("1 fold")
    assert hand.legal == "FOLD, CHECK, BET (to 5, 10)"


def test_once_the_upper_limit_is_used_it_stays_for_every_raise() -> None:
    hand = Hand.on(Street.FOURTH, S003, FIVE, DEEP).open(1, pairs=(1,)).play("1 bet 10", "2 raise 20")
    assert "RAISE (to 30)" in hand.legal
    hand.play("3 raise 30")
    assert "RAISE (to 40)" in hand.legal


def test_a_wager_over_short_all_ins_is_no_use_of_the_upper_limit() -> None:
    hand_rules = rules(S003, short_all_in_limit=ShortAllInLimit.NONE)
    hand = Hand.on(Street.FOURTH, hand_rules, FIVE, {1: 500, 2: 9, 3: 10, 4: 500, 5: 500}).open(1)
    hand.play("1 bet 5", "2 raise 9", "3 raise 10", "4 raise 15")
    assert "RAISE (to 20)" in hand.legal


NEVER = rules(S003, short_all_in_limit=ShortAllInLimit.NONE)


def test_where_all_ins_never_count_a_finished_raise_still_does() -> None:
    hand = Hand.on(Street.FOURTH, NEVER, FIVE, {1: 500, 2: 9, 3: 500}).open(1)
    hand.play("1 bet 5", "2 raise 9", "3 raise 10")
    assert (hand.raises, hand.legal) == (1, "FOLD, CALL (pays 5), RAISE (to 15)")


def test_where_short_all_ins_never_count_an_all_in_of_just_the_raise_does() -> None:
    hand = Hand.on(Street.FOURTH, NEVER, FIVE, {1: 500, 2: 10, 3: 500}).open(1).play("1 bet 5", "2 raise 10")
    assert (hand.raises, hand.legal) == (1, "FOLD, CALL (pays 10), RAISE (to 15)")


@pytest.mark.parametrize(("all_in", "raises"), [(14, 0), (15, 1)])
def test_where_short_all_ins_never_count_one_over_another_needs_a_whole_bet(all_in: int, raises: int) -> None:
    hand = Hand.on(Street.FOURTH, NEVER, FIVE, {1: 500, 2: 9, 3: 10, 4: all_in, 5: 500}).open(1)
    hand.play("1 bet 5", "2 raise 9", "3 raise 10", f"4 raise {all_in}")
    assert hand.raises == raises


def test_where_short_all_ins_never_count_just_the_completion_does() -> None:
    hand = Hand(NEVER, FIVE, {1: 500, 2: 5, 3: 500}).open(1).play("1 bring_in", "2 complete 5")
    assert hand.legal == "FOLD, CALL (pays 5), RAISE (to 10)"


def test_where_short_all_ins_never_count_two_of_them_are_no_completion() -> None:
    hand = Hand(NEVER, FIVE, {1: 500, 2: 4, 3: 5, 4: 500}).open(1)
    hand.play("1 bring_in", "2 complete 4", "3 complete 5")
    assert hand.legal == "FOLD, CALL (pays 5), COMPLETE (to 10)"


NEARLY_ALL = stakes("10/20", bring_in=8)


def test_a_completion_reopens_for_the_payer_of_a_bring_in_near_the_full_bet() -> None:
    hand = Hand(S003, NEARLY_ALL, DEEP).open(1).play("1 bring_in", "2 complete 10", "3 call")
    assert hand.legal == "FOLD, CALL (pays 2), RAISE (to 20)"


def test_who_has_called_the_full_bet_is_not_reopened_by_a_short_all_in_on_third_street() -> None:
    hand = Hand(S003, NEARLY_ALL, {1: 500, 2: 500, 3: 500, 4: 13}).open(1)
    hand.play("1 bring_in", "2 complete 10", "3 call", "4 raise 13", "1 fold")
    assert hand.legal == "FOLD, CALL (pays 3)"


def test_a_full_call_says_it_is_no_all_in() -> None:
    hand = Hand.on(Street.FIFTH, S003, SMALL, {1: 500, 2: 500, 3: 20}).open(1).play("1 bet 20", "2 call")
    assert [fact.all_in for fact in hand.facts if isinstance(fact, ActionTaken)] == [False]
    hand.play("3 call")
    assert [fact.all_in for fact in hand.facts if isinstance(fact, ActionTaken)] == [True]


def test_who_has_chips_in_pays_the_difference() -> None:
    hand = Hand.on(Street.FOURTH, S003, SMALL, DEEP).open(1).play("1 bet 10", "2 raise 20", "3 raise 30", "1 call")
    assert hand.stacks == {1: 470, 2: 480, 3: 470}
    hand = Hand(S003, SMALL, DEEP).open(1).play("1 bring_in", "2 complete 10", "3 fold", "1 call")
    assert hand.stacks == {1: 490, 2: 490, 3: 500}


def test_the_last_single_chip_is_an_all_in() -> None:
    hand = Hand.on(Street.FIFTH, S003, SMALL, {1: 500, 2: 1, 3: 500}).open(1).play("1 bet 20", "2 call")
    assert [fact.all_in for fact in hand.facts if isinstance(fact, ActionTaken)] == [True]
