"""The end of tournaments: shared places, refused tables, cancellation to the cent (rules 160, 175, 184; row L7)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.tournament_ledger.domain.closing import cancel
from services.tournament_ledger.domain.posting import changes
from services.tournament_ledger.domain.registration import register
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import PrizeRow, RebuyTerms, SameHandRank, TopPrizeFix
from tests.support.ledger_events import RICH, Event, rules_with


def test_who_shares_a_place_shares_its_prizes_and_the_odd_cent_is_the_winners() -> None:
    rows = (PrizeRow(entrants_min=1, weights=(50, 30, 21)),)
    rules = rules_with(prize_rows=rows, top_prize_above_fee=False, same_hand_rank=SameHandRank.SHARE)
    event = Event(rules, fee_minor=50).begin("a", "b", "c")
    assert event.state.prizes_minor == (59, 36, 25)
    event.hand(a=9000, b=0, c=0)
    assert event.places() == {"a": 1, "b": 2, "c": 2}
    assert event.prizes() == {"a": 60, "b": 30, "c": 30}


def test_a_tournament_whose_first_prize_would_not_exceed_the_fee_does_not_start_where_that_is_refused() -> None:
    rules = rules_with(prize_rows=(PrizeRow(entrants_min=1, weights=(40, 35, 25)),), top_prize_fix=TopPrizeFix.REFUSE)
    with pytest.raises(DomainError) as refused:
        Event(rules).begin("a", "b", "c")
    assert refused.value.reason is Reason.RULES_INVALID
    assert [each.field for each in refused.value.violations] == ["tournament_id"]


def test_prizes_are_fixed_when_nothing_can_be_bought_any_more() -> None:
    event = Event(rules_with(rebuy=RebuyTerms(max_count=1, last_level=2, window_seconds=30))).begin("a", "b", "c")
    assert event.level(2).state.prizes_minor == ()
    assert event.level(3).state.prizes_minor == (2400,)


def test_who_was_placed_before_the_prizes_were_fixed_is_paid_then() -> None:
    rows = (PrizeRow(entrants_min=1, weights=(50, 30, 20)),)
    no_time = RebuyTerms(max_count=1, last_level=2, window_seconds=0)
    event = Event(rules_with(prize_rows=rows, rebuy=no_time, top_prize_above_fee=False)).begin("a", "b", "c")
    event.hand(a=6000, b=0)
    assert (event.places(), event.prizes()) == ({"b": 3}, {})
    event.level(3)
    assert event.prizes() == {"b": 480}


def test_the_prizes_are_fixed_at_the_latest_by_the_hand_that_ends_the_event() -> None:
    rows = (PrizeRow(entrants_min=1, weights=(60, 40)),)
    no_time = RebuyTerms(max_count=1, last_level=2, window_seconds=0)
    event = Event(rules_with(prize_rows=rows, rebuy=no_time, top_prize_above_fee=False)).begin("a", "b")
    drafts = event.hand(a=6000, b=0)
    assert [draft.kind.value for draft in drafts][1] == "PRIZES_FIXED"
    assert event.prizes() == {"a": 960, "b": 640}


def test_three_go_on_until_one_is_left() -> None:
    event = Event(rules_with()).begin("a", "b", "c")
    event.hand(a=6000, b=0)
    assert event.places() == {"b": 3}
    assert not event.is_over()
    event.hand(a=0, c=9000)
    assert event.places() == {"a": 2, "b": 3, "c": 1}
    assert event.prizes() == {"c": 2400}


@given(st.lists(st.integers(1, 5000), min_size=2, max_size=8), st.sampled_from([50, 1050, 24_950]))
def test_a_tournament_cancelled_in_play_gives_back_every_cent_that_was_paid(stacks: list[int], fee: int) -> None:
    players = [f"p{index}" for index in range(len(stacks))]
    event = Event(rules_with(starting_stack_chips=3000), fee).begin(*players)
    event.stacks(**dict(zip(players, stacks, strict=True)))
    steps = event.steps()
    cancel(steps, "storm")
    event.keep(steps)
    balances = changes(posting for draft in event.drafts for posting in draft.postings)
    assert sum(balances.get(f"wallet/{player_id}/EUR", 0) for player_id in players) == 0
    assert not [name for name in balances if name.startswith("tournament/event/") and "chips" not in name]
    back = [balances.get(f"wallet/{player_id}/EUR", 0) for player_id in players]
    by_stack = sorted(zip(stacks, back, strict=True))
    assert all(low[1] <= high[1] + 1 for low, high in pairwise(by_stack))


def test_nobody_registers_in_a_tournament_that_was_cancelled() -> None:
    event = Event(rules_with())
    steps = event.steps()
    cancel(steps, "storm")
    event.keep(steps)
    with pytest.raises(DomainError) as refused:
        register(event.steps(), "late", RICH)
    assert refused.value.reason is Reason.REGISTRATION_CLOSED
