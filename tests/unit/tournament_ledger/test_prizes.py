"""Prizes to the cent: worked examples 34 and 35, cases O-39 and O-52."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.tournament_ledger.domain.prizes import fund_share, prize_table, shared_prize, split, top_prize_holds
from shared.kernel.rules import PrizeMode, PrizeRest, PrizeRow, TopPrizeFix
from tests.support.ledger_events import rules_with

THREE = (50, 30, 20)


@pytest.mark.parametrize(
    ("amount", "weights", "rest", "expected"),
    [
        (1001, THREE, PrizeRest.LARGEST_REMAINDER, (501, 300, 200)),
        (280, THREE, PrizeRest.LARGEST_REMAINDER, (140, 84, 56)),
        (10003, THREE, PrizeRest.LARGEST_REMAINDER, (5001, 3001, 2001)),
        (10003, THREE, PrizeRest.SPREAD_FROM_TOP, (5002, 3001, 2000)),
        (10003, THREE, PrizeRest.WINNER, (5003, 3000, 2000)),
        (100, (1, 1, 1), PrizeRest.LARGEST_REMAINDER, (34, 33, 33)),
        (3, (1, 1), PrizeRest.LARGEST_REMAINDER, (2, 1)),
        (2**63 - 1, (2, 1), PrizeRest.LARGEST_REMAINDER, (6148914691236517205, 3074457345618258602)),
    ],
)
def test_cents_that_do_not_divide_go_where_the_rules_say(
    amount: int, weights: tuple[int, ...], rest: PrizeRest, expected: tuple[int, ...]
) -> None:
    assert split(amount, weights, rest) == expected


def falling() -> st.SearchStrategy[tuple[int, ...]]:
    return st.lists(st.integers(1, 10_000), min_size=1, max_size=100).map(lambda each: tuple(sorted(each)[::-1]))


@given(st.integers(0, 2**63 - 1), falling())
def test_largest_remainder_keeps_the_total_the_order_and_every_share_within_a_cent(
    fund: int, weights: tuple[int, ...]
) -> None:
    prizes = split(fund, weights, PrizeRest.LARGEST_REMAINDER)
    assert sum(prizes) == fund
    assert list(prizes) == sorted(prizes, reverse=True)
    total = sum(weights)
    for prize, weight in zip(prizes, weights, strict=True):
        assert abs(prize * total - fund * weight) < total


@given(st.integers(0, 2**63 - 1), falling(), st.sampled_from(PrizeRest))
def test_no_rest_policy_makes_or_loses_a_cent(fund: int, weights: tuple[int, ...], rest: PrizeRest) -> None:
    prizes = split(fund, weights, rest)
    assert sum(prizes) == fund
    assert all(prize >= fund * weight // sum(weights) for prize, weight in zip(prizes, weights, strict=True))


@pytest.mark.parametrize(("price", "share"), [(50, 40), (51, 41), (1, 1), (1000, 800), (0, 0)])
def test_the_share_of_each_purchase_is_rounded_up_to_the_cent(price: int, share: int) -> None:
    assert fund_share(price, 8000) == share


def test_seven_entrants_at_half_a_euro_make_a_fund_of_two_eighty() -> None:
    rules = rules_with(prize_rows=(PrizeRow(entrants_min=1, weights=(50,)), PrizeRow(entrants_min=7, weights=THREE)))
    assert prize_table(7 * fund_share(50, 8000), 7, 50, rules) == (140, 84, 56)


def test_fewer_places_are_paid_until_the_first_prize_exceeds_the_fee() -> None:
    rules = rules_with(prize_rows=(PrizeRow(entrants_min=1, weights=(40, 35, 25)),))
    assert prize_table(2400, 3, 1000, rules) == (1280, 1120)


def test_a_table_whose_first_prize_does_not_exceed_the_fee_is_refused_where_the_rules_say_so() -> None:
    rules = rules_with(prize_rows=(PrizeRow(entrants_min=1, weights=(40, 35, 25)),), top_prize_fix=TopPrizeFix.REFUSE)
    prizes = prize_table(2400, 3, 1000, rules)
    assert prizes == (960, 840, 600)
    assert not top_prize_holds(prizes, 1000, rules)


def test_the_row_of_the_largest_field_reached_counts_and_never_more_places_than_entrants() -> None:
    rows = (PrizeRow(entrants_min=2, weights=(1,)), PrizeRow(entrants_min=9, weights=THREE))
    rules = rules_with(prize_rows=rows, top_prize_above_fee=False)
    assert len(prize_table(1000, 8, 0, rules)) == 1
    assert len(prize_table(1000, 9, 0, rules)) == 3
    assert prize_table(1000, 9, 0, rules_with(prize_rows=rows, prize_mode=PrizeMode.WINNER)) == (1000,)


def test_no_fund_means_no_prizes() -> None:
    assert prize_table(0, 8, 0, rules_with()) == ()


def test_two_who_share_fifth_place_get_half_of_both_prizes_and_leave_the_odd_cent() -> None:
    prizes = (0, 0, 0, 0, 2000, 1499)
    assert shared_prize(prizes, 5, 2) == 1749
