"""Splits of prizes: agreed ones, the chip model, rounds and satellites (rules 174, 202, 203)."""

import itertools
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from services.tournament_ledger.domain.icm import icm_equities
from services.tournament_ledger.domain.prizes import prize_table, round_sizes, satellite_table
from shared.kernel.rules import Formula, PrizeMode, PrizeRow
from shared.kernel.rules.presets import PRESETS

CHIPS = st.lists(st.integers(1, 10**9), min_size=2, max_size=7)
FALLING = st.lists(st.integers(0, 10**7), min_size=7, max_size=7).map(lambda each: sorted(each, reverse=True))
BASE = PRESETS["classic"].tournament


@given(CHIPS, FALLING)
def test_the_chip_model_pays_out_all_and_more_chips_are_never_worth_less(chips: list[int], prizes: list[int]) -> None:
    paid = prizes[: len(chips)]
    worth = icm_equities(chips, paid)
    assert sum(worth) == sum(paid)
    assert all(paid[-1] <= each <= paid[0] for each in worth)
    ranked = sorted(zip(chips, worth, strict=True))
    assert all(less[1] <= more[1] for less, more in itertools.pairwise(ranked))


@given(st.integers(2, 400), st.integers(2, 8), st.data())
def test_rounds_always_end_in_one_table_and_pay_everybody_of_a_round_alike(
    entrants: int, seats: int, data: st.DataObject
) -> None:
    qualifiers = data.draw(st.integers(1, max(seats // 2, 1)))
    fund = data.draw(st.integers(1, 10**7))
    row = PrizeRow(entrants_min=2, weights=(50, 10))
    rules = replace(BASE, formula=Formula.ROUNDS, prize_mode=PrizeMode.ROUNDS, qualifiers=qualifiers, prize_rows=(row,))
    sizes = round_sizes(entrants, seats, rules)
    assert sizes[0] == entrants
    assert all(after < before for before, after in itertools.pairwise(sizes))
    assert sizes[-1] <= seats
    prizes = prize_table(fund, entrants, 0, rules, sizes)
    assert sum(prizes) == fund
    assert len(prizes) == sizes[-1]
    assert max(prizes[1:]) - min(prizes[1:]) <= 1


@given(st.integers(1, 10**9), st.integers(2, 500), st.integers(1, 10**6))
def test_a_satellite_pays_whole_seats_and_keeps_no_cent(fund: int, entrants: int, seat: int) -> None:
    prizes = satellite_table(fund, entrants, seat)
    assert sum(prizes) == fund
    assert len(prizes) <= entrants
    assert set(prizes[:-1]) <= {seat}
