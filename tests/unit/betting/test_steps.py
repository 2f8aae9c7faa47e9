"""Steps in their order, and states that cannot be: refused, with what is expected (rules 1, 16, 28, 106)."""

from dataclasses import replace
from typing import Any

import pytest

from services.betting.application import hands
from services.betting.application.commands import Act, OpenHand, OpenStreet, SeatStack
from services.betting.domain.actions import ActionKind
from services.betting.domain.state import BettingPhase, BettingState, SeatStatus
from shared.kernel.errors import DomainError, Reason
from shared.kernel.frozen import evolve
from shared.kernel.game import Street
from tests.support.betting_hand import S000, S003, Hand, stakes

SMALL = stakes("10/20", ante=1, bring_in=3)
STACKS = {1: 100, 2: 100, 3: 100}


def open_hand(**changes: Any) -> OpenHand:
    seats = tuple(SeatStack(seat=seat, stack_chips=100) for seat in (3, 5, 1))
    values: dict[str, Any] = {"rules": S003, "stakes": SMALL, "seats": seats, "last_two_of_event": False}
    return OpenHand(**(values | changes))


def refusal(step: Any, command: Any) -> DomainError:
    with pytest.raises(DomainError) as refused:
        step(command)
    return refused.value


def test_a_hand_begins_with_the_antes_in_dealing_order() -> None:
    outcome = hands.open_hand(open_hand()).outcome
    assert [seat.seat for seat in outcome.state.seats] == [3, 5, 1]
    assert (outcome.next, outcome.turn, outcome.pot_total_chips) == ("DEAL_STREET", None, 3)


@pytest.mark.parametrize(
    ("amounts", "field"),
    [
        (stakes("10/20", ante=0, bring_in=3), "stakes.ante_chips"),
        (stakes("10/20", ante=10, bring_in=3), "stakes.ante_chips"),
        (stakes("10/20", ante=-1, bring_in=3), "stakes.ante_chips"),
        (stakes("10/20", ante=1, bring_in=6), "stakes.bring_in_chips"),
        (stakes("10/20", ante=1, bring_in=0), "stakes.bring_in_chips"),
        (stakes("10/30", ante=1, bring_in=3), "stakes.upper_limit_chips"),
    ],
)
def test_amounts_that_the_rules_do_not_allow_are_refused_by_field(amounts: Any, field: str) -> None:
    error = refusal(hands.open_hand, open_hand(stakes=amounts))
    assert error.reason is Reason.RULES_INVALID
    assert field in [violation.field for violation in error.violations]


def test_a_structure_that_the_rules_do_not_offer_is_refused() -> None:
    error = refusal(hands.open_hand, open_hand(rules=replace(S003, structure=S000.structures_allowed[-1])))
    assert error.reason is Reason.RULES_INVALID
    assert [violation.field for violation in error.violations] == ["rules.structure"]


@pytest.mark.parametrize(
    "seats",
    [
        (SeatStack(seat=1, stack_chips=100),),
        (SeatStack(seat=1, stack_chips=100), SeatStack(seat=1, stack_chips=100)),
        (SeatStack(seat=1, stack_chips=100), SeatStack(seat=2, stack_chips=0)),
        tuple(SeatStack(seat=seat, stack_chips=100) for seat in range(1, 8)),
    ],
    ids=["one seat", "a seat twice", "no chips", "more than the table has"],
)
def test_seats_that_cannot_be_dealt_in_are_refused(seats: tuple[SeatStack, ...]) -> None:
    error = refusal(hands.open_hand, open_hand(rules=replace(S003, seats_max=6), seats=seats))
    assert error.reason is Reason.REQUEST_INVALID


def test_two_are_not_the_last_of_the_event_where_three_are_dealt_in() -> None:
    error = refusal(hands.open_hand, open_hand(last_two_of_event=True))
    assert (error.reason, error.metadata) == (Reason.REQUEST_INVALID, {"field": "last_two_of_event"})


def opened() -> BettingState:
    return Hand(S003, SMALL, STACKS).open(2).outcome.state


def street(state: BettingState, wanted: Street, order: tuple[int, ...], pairs: tuple[int, ...] = ()) -> OpenStreet:
    return OpenStreet(state=state, street=wanted, opening_order=order, open_pair_seats=pairs)


def test_streets_are_opened_one_after_the_other() -> None:
    state = Hand(S003, SMALL, STACKS).outcome.state
    error = refusal(hands.open_street, street(state, Street.FOURTH, (1, 2, 3)))
    assert error.reason is Reason.OUT_OF_STEP
    assert error.metadata == {"step": "OpenStreet of FOURTH", "expected": "OpenStreet of THIRD"}


def test_a_street_is_not_opened_while_betting_is() -> None:
    error = refusal(hands.open_street, street(opened(), Street.FOURTH, (1, 2, 3)))
    assert error.metadata == {"step": "OpenStreet", "expected": "Act or Expire"}


@pytest.mark.parametrize("order", [(1, 2), (1, 2, 2), (1, 2, 4), (1, 2, 3, 4)])
def test_the_order_must_be_of_the_live_seats(order: tuple[int, ...]) -> None:
    state = Hand(S003, SMALL, STACKS).outcome.state
    error = refusal(hands.open_street, street(state, Street.THIRD, order))
    assert (error.reason, error.metadata) == (Reason.REQUEST_INVALID, {"field": "opening_order"})


def test_a_folded_seat_is_in_no_order() -> None:
    hand = Hand(S003, SMALL, STACKS).open(1).play("1 bring_in", "2 fold", "3 call")
    error = refusal(hands.open_street, street(hand.outcome.state, Street.FOURTH, (1, 2, 3)))
    assert error.metadata == {"field": "opening_order"}
    assert "1, 3" in error.message


@pytest.mark.parametrize("pairs", [(4,), (1, 1)])
def test_pairs_must_be_of_live_seats(pairs: tuple[int, ...]) -> None:
    state = Hand(S003, SMALL, STACKS).outcome.state
    error = refusal(hands.open_street, street(state, Street.THIRD, (1, 2, 3), pairs))
    assert error.metadata == {"field": "open_pair_seats"}


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"schema_version": 2}, "state.schema_version"),
        ({"seats": ()}, "state.seats"),
        ({"turn_seat": 7}, "state.turn_seat"),
        ({"turn_seat": 0}, "state.turn_seat"),
        ({"turn_seat": 1}, "state.turn_seat"),
        ({"opening_order": ()}, "state.turn_seat"),
        ({"opening_order": (9,)}, "state.turn_seat"),
        ({"street": Street.FOURTH}, "state.street"),
        ({"street": None}, "state.street"),
        ({"price_chips": -1}, "state.price_chips"),
        ({"stakes": stakes("0/0", bring_in=0)}, "state.stakes"),
    ],
)
def test_a_state_that_was_never_given_is_refused(change: dict[str, Any], field: str) -> None:
    state = evolve(opened(), **change)
    error = refusal(hands.act, Act(state=state, seat=2, kind=ActionKind.BRING_IN, to_chips=0))
    assert (error.reason, error.metadata) == (Reason.REQUEST_INVALID, {"field": field})


@pytest.mark.parametrize(
    "change",
    [{"stack_chips": -1}, {"street_chips": 50}, {"status": SeatStatus.ALL_IN}, {"stack_chips": 0}],
)
def test_a_seat_whose_chips_do_not_fit_is_refused(change: dict[str, Any]) -> None:
    state = opened()
    bent = evolve(state, seats=(evolve(state.seats[0], **change), *state.seats[1:]))
    error = refusal(hands.act, Act(state=bent, seat=2, kind=ActionKind.BRING_IN, to_chips=0))
    assert error.metadata == {"field": "state.seats"}


def test_a_state_that_gained_chips_is_refused() -> None:
    state = opened()
    richer = evolve(state, seats=(evolve(state.seats[0], stack_chips=1000), *state.seats[1:]))
    error = refusal(hands.act, Act(state=richer, seat=2, kind=ActionKind.BRING_IN, to_chips=0))
    assert error.reason is Reason.CHIPS_NOT_CONSERVED
    assert error.metadata == {"before_chips": "300", "after_chips": "1201"}


@pytest.mark.parametrize(
    ("phase", "expected"),
    [
        (BettingPhase.BETWEEN_STREETS, "OpenStreet"),
        (BettingPhase.SHOWDOWN, "Settle"),
        (BettingPhase.UNCONTESTED, "Settle"),
        (BettingPhase.SETTLED, "OpenHand of another hand"),
    ],
)
def test_nobody_acts_where_no_betting_is_open(phase: BettingPhase, expected: str) -> None:
    state = evolve(opened(), phase=phase, turn_seat=0)
    error = refusal(hands.act, Act(state=state, seat=2, kind=ActionKind.FOLD, to_chips=0))
    assert error.metadata == {"step": "Act", "expected": expected}


def test_changing_a_field_that_is_not_there_is_a_bug() -> None:
    with pytest.raises(AttributeError):
        evolve(opened(), turn=3)
