"""How many raises a limit round allows (C10-C12)."""

import pytest

from shared.kernel.game import Street
from shared.kernel.rules import (
    HandRules,
    HeadsUpCap,
)
from tests.support.betting_hand import LIMIT, S000, S003, Hand, rules, stakes

SMALL = stakes("10/20", ante=1, bring_in=3)
DEEP = {1: 1000, 2: 1000, 3: 1000, 4: 1000}
S000_LIMIT = rules(S000, structure=LIMIT)


def raised(hand_rules: HandRules) -> Hand:
    hand = Hand(hand_rules, SMALL, DEEP).open(1)
    return hand.play("1 bring_in", "2 complete 10", "3 raise 20", "4 raise 30")


def test_a_completion_may_count_as_a_raise() -> None:
    hand = raised(rules(S000_LIMIT, completion_counts=True))
    assert (hand.raises, hand.legal) == (3, "FOLD, CALL (pays 27)")


def test_opening_for_the_full_bet_is_a_bet_and_never_counts() -> None:
    hand = Hand(rules(S003, completion_counts=True), SMALL, DEEP).open(1).play("1 complete 10")
    assert hand.raises == 0


def test_the_number_of_raises_is_a_setting() -> None:
    assert raised(rules(S000_LIMIT, raise_cap=2)).legal == "FOLD, CALL (pays 27)"


def test_without_a_cap_raises_go_on() -> None:
    hand = raised(rules(S000_LIMIT, raise_cap=0)).play("1 raise 40", "2 raise 50", "3 raise 60")
    assert hand.legal == "FOLD, CALL (pays 30), RAISE (to 70)"


def heads_up(hand_rules: HandRules, **facts: bool) -> Hand:
    hand = Hand(hand_rules, SMALL, {1: 1000, 2: 1000}, **facts).open(1)
    return hand.play("1 bring_in", "2 complete 10", "1 raise 20", "2 raise 30", "1 raise 40")


@pytest.mark.parametrize("last_two", [True, False])
def test_the_cap_may_hold_until_two_are_left_in_the_event(last_two: bool) -> None:
    hand_rules = rules(S000_LIMIT, heads_up_cap=HeadsUpCap.LAST_TWO_OF_EVENT)
    hand = heads_up(hand_rules, last_two_of_event=last_two)
    assert ("RAISE (to 50)" in hand.legal) is last_two


def test_two_players_may_have_a_cap_of_their_own() -> None:
    hand = heads_up(rules(S003, heads_up_cap=HeadsUpCap.NUMBER, heads_up_raise_cap=5))
    hand.play("2 raise 50", "1 raise 60")
    assert (hand.raises, hand.legal) == (5, "FOLD, CALL (pays 10)")


def test_the_cap_of_two_players_does_not_bind_three() -> None:
    hand_rules = rules(S003, heads_up_cap=HeadsUpCap.NUMBER, heads_up_raise_cap=5)
    assert raised(hand_rules).play("1 raise 40").legal == "FOLD, CALL (pays 30)"


@pytest.mark.parametrize("counts", [True, False])
def test_whether_an_all_in_player_is_one_of_two(counts: bool) -> None:
    hand_rules = rules(S003, heads_up_counts_all_in=counts)
    stacks = {1: 1000, 2: 1000, 3: 20}
    hand = Hand.on(Street.FIFTH, hand_rules, SMALL, stacks, dead=5).open(1)
    hand.play("1 bet 20", "2 raise 40", "3 call", "1 raise 60", "2 raise 80")
    assert ("RAISE (to 100)" in hand.legal) is not counts


def test_a_short_all_in_can_still_be_called_when_the_cap_is_reached() -> None:
    stacks = {1: 1000, 2: 1000, 3: 90, 4: 1000}
    hand = Hand.on(Street.FIFTH, S000_LIMIT, SMALL, stacks, dead=5).open(1)
    hand.play("1 bet 20", "2 raise 40", "3 raise 60", "4 raise 80", "1 call", "2 call")
    assert (hand.turn, hand.legal) == (3, "FOLD, CALL (pays 20)")
