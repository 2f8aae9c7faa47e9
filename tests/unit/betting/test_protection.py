"""What counts as having bet, so that the card room's clock freezes a hand and does not fold it (rules 132-134)."""

import pytest

from services.betting.domain.state import SeatStatus
from shared.kernel.game import Street
from shared.kernel.rules import ClockRules, ProtectScope
from tests.support.betting_hand import CLOCK_S003, S003, Hand, clock, rules, stakes

SMALL = stakes("10/20", bring_in=2)
DEEP = {1: 500, 2: 500, 3: 500}
STREET_ONLY = clock(CLOCK_S003, protect_scope=ProtectScope.STREET)


def status_after_the_clock(hand: Hand, clock_rules: ClockRules) -> SeatStatus:
    seat = hand.turn
    hand.expire(clock_rules)
    return next(each.status for each in hand.outcome.state.seats if each.seat == seat)


def test_a_check_does_not_undo_the_wager_of_an_earlier_street() -> None:
    hand = Hand(S003, SMALL, DEEP).open(1).play("1 bring_in", "2 call", "3 call").open(1)
    hand.play("1 check", "2 bet 10", "3 call")
    assert status_after_the_clock(hand, CLOCK_S003) is SeatStatus.FROZEN


def test_a_check_is_no_wager_of_the_street() -> None:
    hand = Hand.on(Street.FOURTH, S003, SMALL, DEEP).open(1).play("1 check", "2 bet 10", "3 call")
    assert status_after_the_clock(hand, STREET_ONLY) is SeatStatus.FOLDED


@pytest.mark.parametrize("clock_rules", [CLOCK_S003, STREET_ONLY])
def test_a_bring_in_of_one_chip_protects(clock_rules: ClockRules) -> None:
    hand = Hand(S003, stakes("10/20", bring_in=1), DEEP).open(1).play("1 bring_in", "2 complete 10", "3 call")
    assert status_after_the_clock(hand, clock_rules) is SeatStatus.FROZEN


def test_an_option_used_to_check_is_no_new_wager_and_takes_none_away() -> None:
    hand = Hand(rules(S003, bring_in_live_option=True), SMALL, DEEP).open(1)
    hand.play("1 bring_in", "2 call", "3 call", "1 check")
    first = hand.outcome.state.seats[0]
    assert (first.has_bet_in_hand, first.has_bet_on_street) == (True, True)
