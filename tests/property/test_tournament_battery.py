"""Random whole tournaments on the checked floor: a small `make tournaments`."""

import pytest

from tests.batteries.tournaments.plans import Formula, plan_of
from tests.batteries.tournaments.play import play_plan

CASES = [
    (Formula.SINGLE_MATCH, 2),
    (Formula.SINGLE_MATCH, 5),
    (Formula.SINGLE_MATCH, 8),
    (Formula.MULTI_TABLE, 9),
    (Formula.MULTI_TABLE, 16),
    (Formula.MULTI_TABLE, 23),
    (Formula.MULTI_TABLE, 40),
    (Formula.ROUNDS, 12),
    (Formula.ROUNDS, 30),
]


@pytest.mark.slow
@pytest.mark.parametrize(("number", "case"), list(enumerate(CASES, start=1_000)))
def test_a_whole_tournament_is_right_to_the_last_chip_and_cent(number: int, case: tuple[Formula, int]) -> None:
    formula, entrants = case
    assert play_plan(plan_of(number, formula, entrants)).fault == ""


def test_plans_are_the_same_for_the_same_number_and_cover_the_sizes() -> None:
    assert plan_of(7) == plan_of(7)
    sizes = [plan_of(number).entrants for number in range(200)]
    assert min(sizes) == 2
    assert max(sizes) == 300
    assert {plan_of(number).formula for number in range(200)} == set(Formula)
