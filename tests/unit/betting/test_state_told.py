"""What the state tells whoever keeps it: the street's figures, and nothing left over from the street before."""

from dataclasses import fields

import pytest

from services.betting.domain import opening
from services.betting.domain.actions import Action, ActionCause, ActionKind
from services.betting.domain.facts import AntePosted
from services.betting.domain.state import BettingState, SeatBetting
from shared.kernel.game import Street
from shared.kernel.rules import BringInFold, HeadsUpCap
from tests.support.betting_hand import NO_LIMIT, S000, S003, S004, Hand, rules, stakes

SMALL = stakes("10/20", bring_in=2)
DEEP = {1: 500, 2: 500, 3: 500}


def test_full_raises_of_no_limit_are_counted_and_short_ones_not() -> None:
    hand = Hand.on(Street.FIFTH, rules(S004, structure=NO_LIMIT), SMALL, {1: 900, 2: 900, 3: 50}).open(1)
    hand.play("1 bet 20")
    assert (hand.raises, hand.outcome.state.full_bet_made) == (0, True)
    hand.play("2 raise 40", "3 raise 50")
    state = hand.outcome.state
    assert (state.raises_made, state.price_chips, state.full_price_chips, state.full_increment_chips) == (1, 50, 40, 20)
    hand.play("1 raise 100")
    assert (hand.raises, hand.outcome.state.full_price_chips) == (2, 100)


def test_the_last_full_raise_of_limit_is_told_with_its_size() -> None:
    hand = Hand.on(Street.FIFTH, S003, SMALL, {1: 500, 2: 35, 3: 500}).open(1).play("1 bet 20", "2 raise 35")
    state = hand.outcome.state
    assert (state.full_price_chips, state.full_increment_chips, state.raises_made) == (35, 15, 1)


def test_the_duty_to_open_is_told_in_order_and_gone_when_it_is_done() -> None:
    hand = Hand(rules(S000, bring_in_fold=BringInFold.PASS_LEFT), SMALL, {1: 9, 2: 9, 3: 9, 4: 9}).open(2)
    assert hand.outcome.state.bring_in_order == (2, 3, 4, 1)
    hand.play("2 fold", "3 fold", "4 fold")
    assert (hand.next, len(hand.outcome.state.bring_in_order)) == ("UNCONTESTED", 0)


def test_without_an_ante_no_ante_is_told() -> None:
    hand = Hand(S000, SMALL, DEEP)
    assert not any(isinstance(fact, AntePosted) for fact in hand.facts)


@pytest.mark.parametrize("option", [HeadsUpCap.LIFT_BEFORE_CAP, HeadsUpCap.LIFT_ANYTIME, HeadsUpCap.STREET_START])
def test_a_street_that_begins_with_two_has_no_cap_from_its_start(option: HeadsUpCap) -> None:
    two = Hand.on(Street.FOURTH, rules(S003, heads_up_cap=option), SMALL, {1: 500, 2: 500}).open(1)
    three = Hand.on(Street.FOURTH, rules(S003, heads_up_cap=option), SMALL, DEEP).open(1)
    assert (two.outcome.state.cap_lifted, three.outcome.state.cap_lifted) == (True, False)


@pytest.mark.parametrize(("stacks", "lifted"), [((500, 500), True), ((500, 500, 500), False), ((500, 500, 0), True)])
def test_without_all_in_players_two_are_those_who_can_bet(stacks: tuple[int, ...], *, lifted: bool) -> None:
    hand_rules = rules(S003, heads_up_cap=HeadsUpCap.LIFT_ANYTIME, heads_up_counts_all_in=False)
    seats = dict(enumerate(stacks, start=1))
    hand = Hand.on(Street.FOURTH, hand_rules, SMALL, seats, dead=5).open(1)
    assert hand.outcome.state.cap_lifted is lifted


_OF_THE_STREET = (
    "turn_seat",
    "price_chips",
    "full_price_chips",
    "full_increment_chips",
    "raises_made",
    "bring_in_uncompleted",
    "bring_in_order",
    "open_pair_seats",
    "upper_limit_used",
    "cap_lifted",
    "last_aggressor_seat",
    "first_to_act_seat",
    "full_bet_made",
)


def of_the_street(state: BettingState) -> dict[str, object]:
    """The fields that belong to one street alone."""
    return {name: getattr(state, name) for name in _OF_THE_STREET}


def test_a_new_street_begins_with_nothing_of_the_last_one() -> None:
    assert set(_OF_THE_STREET) <= {field.name for field in fields(BettingState)}
    hand_rules = rules(S003, heads_up_cap=HeadsUpCap.LIFT_ANYTIME, heads_up_counts_all_in=False)
    hand = Hand.on(Street.FOURTH, hand_rules, SMALL, {1: 40, 2: 40, 3: 500}).open(1, pairs=(1,))
    hand.play("1 bet 20", "2 raise 40", "3 call", "1 call").open(3, pairs=(3,))
    state = hand.outcome.state
    assert hand.next == "DEAL_STREET"
    assert not any(of_the_street(state).values())
    assert not any(seat.acted or seat.acted_price_chips or seat.has_bet_on_street for seat in state.seats)
    assert [seat.street_chips for seat in state.seats] == [0, 0, 0]


def test_a_hand_begins_with_nothing_done_on_any_street() -> None:
    state = opening.open_hand(S003, SMALL, tuple(DEEP.items())).state
    assert not any(of_the_street(state).values())
    assert (state.bring_in_seat, state.last_two_of_event) == (0, False)
    untouched = tuple(SeatBetting(seat=seat, stack_chips=chips, start_chips=chips) for seat, chips in DEEP.items())
    assert state.seats == untouched
    assert not any(seat.acted or seat.acted_price_chips or seat.has_bet_in_hand for seat in state.seats)
    assert not any(seat.has_bet_on_street or seat.street_chips for seat in state.seats)


def test_an_action_is_the_players_own_and_names_no_amount_unless_it_says_so() -> None:
    fold = Action(kind=ActionKind.FOLD)
    assert (fold.to_chips, fold.cause) == (0, ActionCause.PLAYER)


def test_a_street_over_an_uncompleted_bring_in_begins_like_any_other() -> None:
    hand = Hand(S003, SMALL, {1: 500, 2: 500}).open(1).play("1 bring_in", "2 call").open(2, pairs=(1,))
    state = hand.outcome.state
    told = {"turn_seat": 2, "first_to_act_seat": 2, "open_pair_seats": (1,), "cap_lifted": True}
    assert {name: value for name, value in of_the_street(state).items() if value} == told
    hand.play("2 check", "1 check").open(1, pairs=(2,))
    assert hand.outcome.state.open_pair_seats == ()
