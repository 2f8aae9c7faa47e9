"""What counts as having bet, so that the card room's clock freezes a hand and does not fold it (rules 132-134)."""

import pytest

from services.betting.domain.actions import ActionCause
from services.betting.domain.facts import ActionTaken
from services.betting.domain.state import SeatStatus
from shared.kernel.game import Street
from shared.kernel.rules import AfterProtect, ClockRules, ProtectScope, TimeoutFree
from tests.support.betting_hand import CLOCK_S000, CLOCK_S003, CLOCK_S004, S003, Hand, clock, rules, stakes

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


@pytest.mark.parametrize("clock_rules", [CLOCK_S003, STREET_ONLY])
def test_a_check_is_no_wager(clock_rules: ClockRules) -> None:
    hand = Hand.on(Street.FOURTH, S003, SMALL, DEEP).open(1).play("1 check", "2 bet 10", "3 call")
    assert status_after_the_clock(hand, clock_rules) is SeatStatus.FOLDED


@pytest.mark.parametrize("clock_rules", [CLOCK_S003, STREET_ONLY])
def test_a_bring_in_of_one_chip_protects(clock_rules: ClockRules) -> None:
    hand = Hand(S003, stakes("10/20", bring_in=1), DEEP).open(1).play("1 bring_in", "2 complete 10", "3 call")
    assert status_after_the_clock(hand, clock_rules) is SeatStatus.FROZEN


def test_an_option_used_to_check_is_no_new_wager_and_takes_none_away() -> None:
    hand = Hand(rules(S003, bring_in_live_option=True), SMALL, DEEP).open(1)
    hand.play("1 bring_in", "2 call", "3 call", "1 check")
    first = hand.outcome.state.seats[0]
    assert (first.has_bet_in_hand, first.has_bet_on_street) == (True, True)


def test_facing_a_wager_the_hand_is_frozen_whatever_is_done_where_a_check_is_free() -> None:
    hand = Hand(S003, SMALL, DEEP).open(1).play("1 bring_in", "2 complete 10", "3 call")
    assert status_after_the_clock(hand, clock(CLOCK_S003, timeout_free=TimeoutFree.CHECK)) is SeatStatus.FROZEN


ANTE_COUNTS = clock(CLOCK_S003, ante_counts_as_bet=True)


def test_an_ante_that_counts_protects_on_later_streets_too() -> None:
    hand = Hand.on(Street.FOURTH, S003, SMALL, DEEP, dead=5).open(1).play("1 bet 10")
    assert status_after_the_clock(hand, ANTE_COUNTS) is SeatStatus.FROZEN


def test_without_an_ante_there_is_none_that_could_count() -> None:
    hand = Hand(S003, SMALL, DEEP).open(1).play("1 bring_in")
    assert status_after_the_clock(hand, ANTE_COUNTS) is SeatStatus.FOLDED


@pytest.mark.parametrize(("cause", "sits_out"), [(ActionCause.CLOCK, False), (ActionCause.DISCONNECTED, True)])
def test_a_protected_player_who_lost_the_connection_sits_out_in_any_case(cause: ActionCause, *, sits_out: bool) -> None:
    hand = Hand(S003, SMALL, DEEP).open(1).play("1 bring_in", "2 complete 10", "3 call")
    expired = hand.expire(clock(CLOCK_S003, after_protect=AfterProtect.STAY), cause)
    assert (expired.protected, expired.sits_out) == (True, sits_out)


def causes(hand: Hand) -> list[ActionCause]:
    return [fact.cause for fact in hand.facts if isinstance(fact, ActionTaken)]


@pytest.mark.parametrize("cause", [ActionCause.CLOCK, ActionCause.DISCONNECTED])
@pytest.mark.parametrize("clock_rules", [CLOCK_S000, CLOCK_S004], ids=["declines", "posts"])
def test_the_log_says_why_the_opener_posted_or_declined(cause: ActionCause, clock_rules: ClockRules) -> None:
    hand = Hand(S003, SMALL, DEEP).open(1)
    hand.expire(clock_rules, cause)
    assert causes(hand) == [cause]


@pytest.mark.parametrize("cause", [ActionCause.CLOCK, ActionCause.DISCONNECTED, ActionCause.ABSENT])
@pytest.mark.parametrize("before", [[], ["1 bet 10"]], ids=["checks", "folds"])
def test_the_log_says_why_a_seat_checked_or_folded(cause: ActionCause, before: list[str]) -> None:
    hand = Hand.on(Street.FOURTH, S003, SMALL, DEEP).open(1).play(*before)
    hand.expire(CLOCK_S004, cause)
    assert causes(hand) == [cause]


def test_the_log_says_that_a_killed_hand_was_of_an_absent_player() -> None:
    hand = Hand(S003, SMALL, DEEP).open(1)
    hand.expire(CLOCK_S004, ActionCause.ABSENT)
    assert causes(hand) == [ActionCause.ABSENT, ActionCause.ABSENT]
