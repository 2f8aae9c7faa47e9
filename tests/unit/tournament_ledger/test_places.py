"""Places: worked examples 35 and 36, case O-38."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.tournament_ledger.domain.places import Busted, Placing, qualifiers, settle_places
from shared.kernel.rules import SameHandRank
from tests.support.ledger_events import NOON, Event, rules_with

BY_STACK = SameHandRank.START_STACK_THEN_SHARE
OVER, OPEN = NOON - timedelta(seconds=1), NOON + timedelta(seconds=30)


def out(player_id: str, hand: int, chips: int) -> Busted:
    return Busted(player_id, hand, chips, OVER)


def deciding(player_id: str, hand: int, chips: int) -> Busted:
    return Busted(player_id, hand, chips, OPEN)


@pytest.mark.parametrize(
    ("rank", "chips", "expected"),
    [
        (BY_STACK, (900, 400), [Placing(("b",), 6), Placing(("a",), 5)]),
        (BY_STACK, (900, 900), [Placing(("a", "b"), 5)]),
        (SameHandRank.SHARE, (900, 400), [Placing(("a", "b"), 5)]),
    ],
)
def test_two_of_six_bust_in_one_hand(rank: SameHandRank, chips: tuple[int, int], expected: list[Placing]) -> None:
    busted = [out("a", 7, chips[0]), out("b", 7, chips[1])]
    assert list(settle_places(busted, 6, rank, NOON)) == expected


def test_nobody_is_placed_while_somebody_excluded_before_may_still_buy_back() -> None:
    assert settle_places([deciding("a", 3, 100), out("b", 4, 50)], 5, BY_STACK, NOON) == ()


def test_who_was_excluded_first_is_placed_although_later_ones_still_decide() -> None:
    busted = [out("a", 3, 100), deciding("b", 4, 50)]
    assert settle_places(busted, 5, BY_STACK, NOON) == (Placing(("a",), 5),)


def test_players_who_would_share_a_place_wait_for_each_other() -> None:
    assert settle_places([out("a", 3, 100), deciding("b", 3, 100)], 5, BY_STACK, NOON) == ()


@given(st.lists(st.tuples(st.integers(1, 5), st.integers(1, 4)), min_size=1, max_size=20))
def test_every_place_is_given_once_and_later_is_never_worse(exclusions: list[tuple[int, int]]) -> None:
    busted = [out(f"p{index}", hand, chips) for index, (hand, chips) in enumerate(exclusions)]
    placings = settle_places(busted, len(busted) + 1, BY_STACK, NOON)
    taken = sorted(place for each in placings for place in range(each.place, each.place + len(each.player_ids)))
    assert taken == list(range(2, len(busted) + 2))
    place_of = {player_id: each.place for each in placings for player_id in each.player_ids}
    by_rank = sorted(busted, key=lambda each: (each.hand, each.start_chips))
    places = [place_of[each.player_id] for each in by_rank]
    assert places == sorted(places, reverse=True)


def test_the_bigger_stack_at_the_start_of_the_hand_takes_the_better_place() -> None:
    event = Event(rules_with()).begin("a", "b", "c").stacks(a=1000, b=450, c=380)
    event.hand(a=1830, b=0, c=0)
    assert event.places() == {"a": 1, "b": 2, "c": 3}


def test_a_match_that_loses_too_many_keeps_the_best_of_them() -> None:
    groups = qualifiers(["big"], [out("b", 9, 700), out("c", 9, 300)], 2)
    assert groups == (("big",), ("b",))
    assert qualifiers(["big"], [out("b", 9, 300), out("c", 9, 300)], 2) == (("big",), ("b", "c"))
    assert qualifiers(["x", "y"], [out("b", 9, 300)], 2) == (("x", "y"),)
