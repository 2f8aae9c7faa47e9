"""The limits are computed; here they are held against those of the fairness plan, so that both are checked."""

import pytest

from tests.fairness.limits import chi_square, largest_of, within


@pytest.mark.parametrize(
    ("degrees", "low", "high"),
    [
        (5, 0.0, 52.2),
        (8, 0.0, 59.8),
        (23, 1.7, 90.9),
        (119, 47.4, 238.6),
        (719, 511.0, 975.4),
        (1325, 1034.3, 1664.1),
        (2601, 2184.3, 3066.1),
        (2651, 2230.1, 3120.3),
        (2703, 2277.7, 3176.7),
    ],
)
def test_chi_square_limits_are_those_of_the_plan(degrees: int, low: float, high: float) -> None:
    assert chi_square(degrees) == pytest.approx((low, high), abs=0.06)


@pytest.mark.parametrize(("count", "limit"), [(2704, 7.27), (1326, 7.17)])
def test_limits_of_the_largest_deviation_are_those_of_the_plan(count: int, limit: float) -> None:
    assert largest_of(count) == pytest.approx(limit, abs=0.005)


def test_a_fit_that_is_too_good_fails_too() -> None:
    assert within(2601, chi_square(2601))
    assert not within(2100, chi_square(2601))
    assert not within(3100, chi_square(2601))
