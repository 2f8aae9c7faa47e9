"""All-ins below a full wager: what they reopen, and how they are finished (C18, rules 71-77)."""

import pytest

from shared.kernel.game import Street
from shared.kernel.rules import (
    ShortAllInBigBet,
    ShortAllInLimit,
)
from tests.support.betting_hand import LIMIT, NO_LIMIT, S000, S003, Hand, rules, stakes

SMALL = stakes("10/20", ante=1, bring_in=3)
DEEP = {1: 1000, 2: 1000, 3: 1000, 4: 1000}
S000_LIMIT = rules(S000, structure=LIMIT)
S000_NO_LIMIT = rules(S000, structure=NO_LIMIT)


def three_all_ins(option: ShortAllInLimit) -> Hand:
    stacks = {1: 1000, 2: 27, 3: 34, 4: 40, 5: 1000}
    hand = Hand.on(Street.FIFTH, rules(S000_LIMIT, short_all_in_limit=option), SMALL, stacks, dead=5).open(1)
    return hand.play("1 bet 20", "2 raise 27", "3 raise 34")


def test_half_a_bet_added_up_by_two_all_ins_is_a_raise() -> None:
    assert three_all_ins(ShortAllInLimit.HALF).legal == "FOLD, CALL (pays 34), RAISE (to 40)"
    stacks = {1: 1000, 2: 27, 3: 1000, 4: 34, 5: 1000}
    hand = Hand.on(Street.FIFTH, S000_LIMIT, SMALL, stacks, dead=5).open(1)
    hand.play("1 bet 20", "2 raise 27", "3 call", "4 raise 34", "5 call")
    assert (hand.turn, hand.legal) == (1, "FOLD, CALL (pays 14), RAISE (to 54)")
    assert (hand.play("1 call").turn, hand.legal) == (3, "FOLD, CALL (pays 7)")


@pytest.mark.parametrize(
    ("option", "fifth_seat", "first_seat"),
    [
        (ShortAllInLimit.FULL, "FOLD, CALL (pays 40), RAISE (to 60)", "FOLD, CALL (pays 20), RAISE (to 60)"),
        (ShortAllInLimit.NONE, "FOLD, CALL (pays 40), RAISE (to 60)", "FOLD, CALL (pays 20)"),
    ],
)
def test_all_ins_that_reach_the_next_level_together(option: ShortAllInLimit, fifth_seat: str, first_seat: str) -> None:
    hand = three_all_ins(option)
    assert hand.legal == "FOLD, CALL (pays 34), RAISE (to 40)"
    assert hand.play("4 raise 40").legal == fifth_seat
    assert hand.play("5 call").legal == first_seat


@pytest.mark.parametrize("option", [ShortAllInLimit.FULL, ShortAllInLimit.NONE])
def test_a_completion_reopens_under_every_short_all_in_rule(option: ShortAllInLimit) -> None:
    hand = Hand(rules(S003, short_all_in_limit=option), SMALL, DEEP).open(1)
    hand.play("1 bring_in", "2 call", "3 complete 10", "4 fold")
    assert hand.legal == "FOLD, CALL (pays 7), RAISE (to 20)"


@pytest.mark.parametrize("option", list(ShortAllInBigBet))
def test_whether_short_all_ins_add_up_in_no_limit(option: ShortAllInBigBet) -> None:
    stacks = {1: 1000, 2: 30, 3: 45, 4: 1000}
    hand_rules = rules(S000_NO_LIMIT, short_all_in_big_bet=option)
    hand = Hand.on(Street.FIFTH, hand_rules, SMALL, stacks, dead=5).open(1)
    hand.play("1 bet 20", "2 raise 30", "3 raise 45", "4 call")
    assert ("RAISE" in hand.legal) is (option is ShortAllInBigBet.CUMULATIVE)


def test_an_opening_all_in_of_half_a_bet_is_the_bet() -> None:
    hand = Hand.on(Street.FIFTH, S000_LIMIT, SMALL, {1: 15, 2: 1000, 3: 1000}, dead=5).open(1).play("1 bet 15")
    assert (hand.raises, hand.legal) == (0, "FOLD, CALL (pays 15), RAISE (to 35)")


def test_an_opening_all_in_below_half_a_bet_is_finished_to_the_bet() -> None:
    hand = Hand.on(Street.FIFTH, S000_LIMIT, SMALL, {1: 7, 2: 1000, 3: 1000}, dead=5).open(1).play("1 bet 7")
    assert hand.legal == "FOLD, CALL (pays 7), RAISE (to 20)"
    assert hand.play("2 raise 20").raises == 0


def test_who_has_checked_may_not_finish_a_short_opening_all_in() -> None:
    hand = Hand.on(Street.FIFTH, S000_LIMIT, SMALL, {1: 1000, 2: 7, 3: 1000}, dead=5).open(1)
    hand.play("1 check", "2 bet 7", "3 call")
    assert (hand.turn, hand.legal) == (1, "FOLD, CALL (pays 7)")


def test_checking_and_raising_is_allowed() -> None:
    hand = Hand.on(Street.FIFTH, S000_LIMIT, SMALL, {1: 1000, 2: 1000}, dead=5).open(1).play("1 check", "2 bet 20")
    assert hand.legal == "FOLD, CALL (pays 20), RAISE (to 40)"
