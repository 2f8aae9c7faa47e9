"""States that a caller hands in: what cannot be is refused, what can be is not."""

from dataclasses import replace
from typing import Any

import pytest

from services.betting.application import hands
from services.betting.application.commands import Act
from services.betting.domain.actions import ActionCause, ActionKind
from services.betting.domain.state import BettingState
from shared.kernel.errors import DomainError, Reason
from shared.kernel.frozen import evolve
from shared.kernel.game import Street
from shared.kernel.rules import RakeRules
from tests.support.betting_hand import CLOCK_S004, S003, Hand, stakes

SMALL = stakes("10/20", bring_in=3)
CHIPS_MAX = 10**18


def fold(state: BettingState, seat: int) -> DomainError:
    with pytest.raises(DomainError) as refused:
        hands.act(Act(state=state, seat=seat, kind=ActionKind.FOLD, to_chips=0))
    return refused.value


def running() -> BettingState:
    return Hand.on(Street.FOURTH, S003, SMALL, {1: 100, 2: 100}, dead=5).open(1).outcome.state


def test_a_seat_that_is_named_twice_is_refused() -> None:
    state = running()
    doubled = evolve(state, seats=(state.seats[0], evolve(state.seats[1], seat=1)), opening_order=(1,))
    assert fold(doubled, 1).metadata == {"field": "state.seats"}


def test_eight_seats_are_a_full_table_and_nine_are_refused() -> None:
    stacks = dict.fromkeys(range(1, 9), 100)
    assert Hand.on(Street.FOURTH, S003, SMALL, stacks, dead=5).open(1).turn == 1
    with pytest.raises(DomainError) as refused:
        Hand.on(Street.FOURTH, S003, SMALL, {**stacks, 9: 100}, dead=5).open(1)
    assert refused.value.metadata == {"field": "state.seats"}


@pytest.mark.parametrize("amounts", [{"bring_in_chips": 0}, {"lower_limit_chips": 0}, {"upper_limit_chips": 0}])
def test_stakes_need_every_amount(amounts: dict[str, Any]) -> None:
    state = running()
    assert fold(evolve(state, stakes=replace(state.stakes, **amounts)), 1).metadata == {"field": "state.stakes"}


@pytest.mark.parametrize("prices", [{"price_chips": -1}, {"full_price_chips": -1}, {"full_increment_chips": -1}])
def test_no_price_is_below_nothing(prices: dict[str, int]) -> None:
    assert fold(evolve(running(), **prices), 1).metadata == {"field": "state.price_chips"}


@pytest.mark.parametrize(("seat", "who"), [(1, "folded"), (2, "is all-in"), (9, "is not at the table")])
def test_the_turn_is_of_a_seat_that_can_act(seat: int, who: str) -> None:
    hand = Hand.on(Street.FOURTH, S003, SMALL, {1: 100, 2: 10, 3: 100, 4: 100}, dead=5).open(1)
    state = hand.play("1 fold", "2 bet 10", "3 call").outcome.state
    assert state.turn_seat == 4
    assert fold(evolve(state, turn_seat=seat), seat).metadata == {"field": "state.turn_seat"}, who


def test_a_round_without_a_street_is_refused() -> None:
    assert fold(evolve(running(), street=None), 1).metadata == {"field": "state.street"}


def test_the_largest_stack_is_allowed_and_one_chip_more_is_not() -> None:
    stacks = {1: CHIPS_MAX, 2: 100}
    hand = Hand(S003, SMALL, stacks).open(1).play("1 bring_in")
    assert hand.turn == 2
    first = hand.outcome.state.seats[0]
    more = evolve(first, start_chips=CHIPS_MAX + 1, stack_chips=first.stack_chips + 1)
    bent = evolve(hand.outcome.state, seats=(more, hand.outcome.state.seats[1]))
    assert fold(bent, 2).metadata == {"field": "state.seats"}


def test_a_hand_that_was_killed_with_its_last_chips_in_does_not_hold_up_the_others() -> None:
    hand = Hand(S003, SMALL, {1: 2, 2: 100, 3: 100}).open(1)
    hand.expire(CLOCK_S004, ActionCause.ABSENT)
    first = hand.outcome.state.seats[0]
    assert (str(first.status), first.stack_chips, hand.turn) == ("FOLDED", 0, 2)
    assert hand.play("2 call").turn == 3


def test_a_settled_hand_with_rake_taken_waits_for_another_hand() -> None:
    hand = Hand(S003, stakes("10/20", ante=5, bring_in=3), {1: 5, 2: 5})
    for _ in range(5):
        hand.open(1)
    hand.settle((1,), rake=RakeRules(basis_points=1000, caps=(), unit_chips=1, no_fourth_street_no_rake=False))
    assert sum(hand.stacks.values()) == 9
    error = fold(hand.outcome.state, 1)
    assert (error.reason, error.metadata["expected"]) == (Reason.OUT_OF_STEP, "OpenHand of another hand")
