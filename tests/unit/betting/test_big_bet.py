"""Pot limit and no limit: least and largest wagers (C15-C17)."""

import pytest

from shared.kernel.game import Street
from shared.kernel.rules import (
    BigBetMinimum,
    PotBelowMinimum,
    PotLimitMax,
)
from tests.support.betting_hand import NO_LIMIT, POT_LIMIT, S000, S004, Hand, rules, stakes

SMALL = stakes("10/20", ante=1, bring_in=3)
DEEP = {1: 1000, 2: 1000, 3: 1000, 4: 1000}
S000_NO_LIMIT = rules(S000, structure=NO_LIMIT)
S000_POT_LIMIT = rules(S000, structure=POT_LIMIT)


@pytest.mark.parametrize(
    ("option", "least"), [(BigBetMinimum.UPPER, 20), (BigBetMinimum.LOWER, 10), (BigBetMinimum.BRING_IN, 3)]
)
def test_the_minimum_bet(option: BigBetMinimum, least: int) -> None:
    hand = Hand.on(Street.FOURTH, rules(S000_NO_LIMIT, big_bet_minimum=option), SMALL, DEEP, dead=5).open(1)
    assert hand.legal == f"FOLD, CHECK, BET (to {least} to 1000)"


@pytest.mark.parametrize(("option", "most"), [(PotLimitMax.POT_AFTER_CALL, 250), (PotLimitMax.POT_BEFORE_CALL, 200)])
def test_the_largest_raise_of_pot_limit(option: PotLimitMax, most: int) -> None:
    hand_rules = rules(S000_POT_LIMIT, pot_limit_max=option)
    hand = Hand.on(Street.FIFTH, hand_rules, SMALL, {1: 900, 2: 900}, dead=50).open(1).play("1 bet 50")
    assert hand.legal == f"FOLD, CALL (pays 50), RAISE (to 100 to {most})"


def test_a_pot_below_the_minimum_may_forbid_even_a_short_all_in() -> None:
    hand_rules = rules(S000_POT_LIMIT, pot_below_minimum=PotBelowMinimum.NO_RAISE)
    hand = Hand.on(Street.FIFTH, hand_rules, SMALL, {1: 15, 2: 900}, dead=5).open(1)
    assert hand.legal == "FOLD, CHECK"


def test_raises_of_no_limit_have_no_cap() -> None:
    hand = Hand.on(Street.FIFTH, S000_NO_LIMIT, SMALL, {1: 9000, 2: 9000}, dead=5).open(1)
    hand.play("1 bet 20", "2 raise 40", "1 raise 60", "2 raise 80", "1 raise 100", "2 raise 120")
    assert hand.legal == "FOLD, CALL (pays 20), RAISE (to 140 to 9000)"


def test_the_largest_increment_of_the_street_is_the_next_ones_least() -> None:
    hand = Hand.on(Street.FIFTH, S000_NO_LIMIT, SMALL, {1: 9000, 2: 9000}, dead=5).open(1)
    assert hand.play("1 bet 20", "2 raise 500").legal.endswith("RAISE (to 980 to 9000)")


def test_a_short_opening_all_in_is_raised_by_the_minimum_bet() -> None:
    hand = Hand.on(Street.FIFTH, S000_NO_LIMIT, SMALL, {1: 12, 2: 9000, 3: 9000}, dead=5).open(1)
    assert hand.play("1 bet 12").legal == "FOLD, CALL (pays 12), RAISE (to 32 to 9000)"


def test_an_all_in_over_the_bring_in_is_raised_by_the_whole_minimum() -> None:
    hand = Hand(S000_NO_LIMIT, SMALL, {1: 1000, 2: 13, 3: 1000, 4: 1000}).open(1)
    hand.play("1 bring_in", "2 complete 12")
    assert hand.legal == "FOLD, CALL (pays 12), RAISE (to 32 to 999)"
    assert hand.play("3 call", "4 call").legal == "FOLD, CALL (pays 9)"


def test_an_opening_all_in_below_the_minimum_bet_is_raised_by_the_whole_minimum() -> None:
    hand = Hand(rules(S004, structure=NO_LIMIT), SMALL, {1: 8, 2: 1000, 3: 1000}).open(1)
    assert hand.legal == "BRING_IN (pays 3), COMPLETE (to 7 to 7)"
    assert hand.play("1 complete 7").legal == "FOLD, CALL (pays 7), RAISE (to 17 to 999)"


def test_completing_reopens_the_street_for_the_payer_of_the_bring_in() -> None:
    hand = Hand(S000_NO_LIMIT, SMALL, {1: 1000, 2: 1000, 3: 1000}).open(1)
    hand.play("1 bring_in", "2 complete 20", "3 call")
    assert hand.legal == "FOLD, CALL (pays 17), RAISE (to 40 to 999)"
