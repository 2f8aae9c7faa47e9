"""The open pair on fourth street (C13, C14)."""

import pytest

from shared.kernel.game import Street, Structure
from shared.kernel.rules import (
    HandRules,
    OpenPairFourth,
)
from tests.support.betting_hand import NO_LIMIT, POT_LIMIT, S003, S004, Hand, rules, stakes

DEEP = {1: 1000, 2: 1000, 3: 1000, 4: 1000}


def over_pair(hand_rules: HandRules, stacks: dict[int, int] | None = None) -> Hand:
    hand = Hand.on(Street.FOURTH, hand_rules, stakes("5/10", bring_in=2), stacks or DEEP, dead=5)
    return hand.open(2, pairs=(2,))


@pytest.mark.parametrize("persists", [True, False])
def test_the_open_pair_may_end_with_its_holders_fold(persists: bool) -> None:
    hand = over_pair(rules(S003, open_pair_persists=persists)).play("2 fold")
    assert ("BET (to 5, 10)" in hand.legal) is persists


def test_the_holder_alone_may_raise_by_the_upper_limit() -> None:
    hand = over_pair(rules(S003, open_pair_fourth=OpenPairFourth.HOLDER_BET_RAISE)).play("2 check", "3 bet 5")
    assert hand.legal == "FOLD, CALL (pays 5), RAISE (to 10)"
    hand.play("4 call", "1 call")
    assert (hand.turn, hand.legal) == (2, "FOLD, CALL (pays 5), RAISE (to 10, 15)")
    assert hand.play("2 raise 15").legal == "FOLD, CALL (pays 10), RAISE (to 25)"


def test_the_holder_may_not_raise_by_it_where_only_a_bet_is_doubled() -> None:
    hand = over_pair(rules(S003, open_pair_fourth=OpenPairFourth.HOLDER_BET))
    hand.play("2 check", "3 bet 5", "4 call", "1 call")
    assert hand.legal == "FOLD, CALL (pays 5), RAISE (to 10)"


def test_an_all_in_between_the_limits_is_offered_beside_the_lower_one() -> None:
    hand = over_pair(S003, {1: 1000, 2: 8, 3: 1000, 4: 1000})
    assert hand.legal == "FOLD, CHECK, BET (to 5, 8)"
    assert hand.play("2 bet 8").legal == "FOLD, CALL (pays 8), RAISE (to 13, 18)"


@pytest.mark.parametrize("street", [Street.FIFTH, Street.SIXTH])
def test_a_pair_on_a_later_street_changes_nothing(street: Street) -> None:
    hand = Hand.on(street, S003, stakes("5/10", bring_in=2), DEEP, dead=5).open(2, pairs=(2,))
    assert hand.legal == "FOLD, CHECK, BET (to 10)"


@pytest.mark.parametrize("structure", [POT_LIMIT, NO_LIMIT])
def test_a_pair_changes_nothing_in_pot_limit_and_no_limit(structure: Structure) -> None:
    hand = over_pair(rules(S004, structure=structure))
    assert hand.legal.startswith("FOLD, CHECK, BET (to 5 to ")
