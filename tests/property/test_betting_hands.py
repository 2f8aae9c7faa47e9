"""What holds in every hand, whatever the rules, the stacks, the players and the clock do."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.betting.application import hands
from services.betting.application.commands import Act
from services.betting.domain.actions import WAGERS, ActionKind, LegalAction
from services.betting.domain.raise_cap import raise_cap
from services.betting.domain.state import BettingState, SeatStatus
from shared.kernel.errors import DomainError, Reason
from shared.kernel.frozen import evolve
from shared.kernel.game import Structure
from tests.support.betting_strategies import RandomHand, totals

STEPS_MAX = 400
REFUSED = {Reason.ACTION_NOT_LEGAL, Reason.AMOUNT_NOT_LEGAL, Reason.REQUEST_INVALID}
whole_hands = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.data_too_large, HealthCheck.too_slow]
)


@whole_hands
@given(st.data())
def test_no_chip_is_made_or_lost_and_every_hand_ends(data: st.DataObject) -> None:
    hand = RandomHand.opened(data)
    while not hand.over:
        in_pots = sum(pot.chips for pot in hand.outcome.pots)
        behind = sum(seat.stack_chips for seat in hand.outcome.state.seats)
        assert in_pots == hand.outcome.pot_total_chips
        assert behind + in_pots == hand.total_chips
        assert hand.steps < STEPS_MAX
        hand.step()
    assert hand.settled is not None
    behind = sum(seat.stack_chips for seat in hand.outcome.state.seats)
    assert behind + hand.settled.rake_chips == hand.total_chips
    for award in hand.settled.awards:
        assert sum(share.chips for share in award.shares) + award.rake_chips == award.chips


def wrong_totals(legal: LegalAction) -> list[int]:
    """Amounts just beside the legal ones, and wild ones."""
    if legal.kind not in WAGERS:
        return [1, -1]
    good = set(legal.to_chips_choices or range(legal.to_chips_min, min(legal.to_chips_max, legal.to_chips_min + 9) + 1))
    edges = legal.to_chips_choices or (legal.to_chips_min, legal.to_chips_max)
    beside = {amount + step for amount in edges for step in (-1, 1)} | {0, -5, 2**62}
    most = legal.to_chips_max if not legal.to_chips_choices else 0
    return sorted(amount for amount in beside if amount not in good and not legal.to_chips_min < amount <= most)


def assert_refused(state: BettingState, kind: ActionKind, to_chips: int) -> None:
    with pytest.raises(DomainError) as refused:
        hands.act(Act(state=state, seat=state.turn_seat, kind=kind, to_chips=to_chips))
    assert refused.value.reason in REFUSED


@whole_hands
@given(st.data())
def test_what_is_offered_is_accepted_and_all_else_is_refused_without_a_change(data: st.DataObject) -> None:
    hand = RandomHand.opened(data)
    while not hand.over:
        turn = hand.outcome.turn
        if turn is not None:
            state, before = hand.outcome.state, evolve(hand.outcome.state)
            offered = {legal.kind: legal for legal in turn.actions}
            assert offered
            for legal in turn.actions:
                for to_chips in totals(legal):
                    taken = hands.act(hand.command(legal, to_chips)).outcome
                    assert taken.state != state
                for to_chips in wrong_totals(legal):
                    assert_refused(state, legal.kind, to_chips)
            for kind in set(ActionKind) - set(offered):
                assert_refused(state, kind, 1 if kind in WAGERS else 0)
            assert state == before
        hand.step()


@whole_hands
@given(st.data())
def test_raises_never_pass_the_cap(data: st.DataObject) -> None:
    hand = RandomHand.opened(data)
    while not hand.over:
        before = hand.outcome.state
        hand.step()
        after = hand.outcome.state
        if after.street is before.street and after.raises_made > before.raises_made:
            cap = raise_cap(before) if before.rules.structure is Structure.LIMIT else None
            assert cap is None or after.raises_made <= cap


@whole_hands
@given(st.data())
def test_nobody_wins_more_from_anybody_than_it_put_in(data: st.DataObject) -> None:
    hand = RandomHand.opened(data)
    while not hand.over:
        hand.step()
    assert hand.before_settling is not None
    before = {seat.seat: seat for seat in hand.before_settling.state.seats}
    live_totals = [seat.hand_chips for seat in before.values() if seat.status is not SeatStatus.FOLDED]
    for seat in hand.outcome.state.seats:
        own = before[seat.seat]
        won = seat.stack_chips - own.stack_chips
        most = sum(min(other.hand_chips, own.hand_chips) for other in before.values())
        if own.hand_chips == max(live_totals):  # the top layer has what folded seats put in above it (rule 100)
            most += sum(max(other.hand_chips - own.hand_chips, 0) for other in before.values())
        assert won <= most
        if own.status is SeatStatus.FOLDED:
            assert won == 0


@whole_hands
@given(st.data())
def test_a_turn_is_always_of_a_seat_that_is_able(data: st.DataObject) -> None:
    hand = RandomHand.opened(data)
    while not hand.over:
        state, turn = hand.outcome.state, hand.outcome.turn
        assert (turn is not None) == (str(hand.outcome.next) == "ACT")
        if turn is not None:
            statuses = {seat.seat: seat.status for seat in state.seats}
            assert statuses[turn.seat] is SeatStatus.ACTIVE
            assert turn.seat == state.turn_seat
        for seat in state.seats:
            assert seat.stack_chips > 0 or seat.status in {SeatStatus.ALL_IN, SeatStatus.FOLDED}
        hand.step()
