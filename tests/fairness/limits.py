"""The limits of the statistics, computed anew: no constant of a paper is trusted.

Each statistic raises a false alarm once in a thousand million runs: half of that when a fit is too bad, half when it is
too good.
"""

from scipy.stats import chi2, norm

FALSE_ALARM = 1e-9
Limits = tuple[float, float]


def chi_square(degrees: int) -> Limits:
    """Between what a chi-square with so many degrees of freedom must lie."""
    return float(chi2.ppf(FALSE_ALARM / 2, degrees)), float(chi2.isf(FALSE_ALARM / 2, degrees))


def largest_of(count: int) -> float:
    """What the largest of so many deviations must not exceed, in standard deviations, up or down."""
    return float(norm.isf(FALSE_ALARM / 2 / count))


def within(value: float, limits: Limits) -> bool:
    """Neither too far from chance nor too close to it."""
    return limits[0] <= value <= limits[1]
