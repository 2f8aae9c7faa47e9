"""What was counted so far in an equity question, and the shares it says."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, lcm, sqrt

from services.evaluator.domain.equity_deals import Deal
from services.evaluator.domain.strength import strengths_of

MILLION = 1_000_000
WHOLE_POT = lcm(*range(1, 9))
"""A pot in parts that two to eight winners can share evenly."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HandEquity:
    """Share of one hand."""

    share_millionths: int
    """Average share of the pot."""
    win_millionths: int
    """Deals won alone."""
    tie_millionths: int
    """Deals tied."""
    error_millionths: int
    """Standard error of the share; 0 where exact."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Deals counted, and for each hand what it got out of them."""

    deals: int
    """Deals counted."""
    wins: tuple[int, ...]
    """Deals won alone."""
    ties: tuple[int, ...]
    """Deals tied."""
    parts: tuple[int, ...]
    """Parts of pots, see WHOLE_POT."""
    squares: tuple[int, ...]
    """Sum of the squares of the parts of each pot, for the error."""

    def plus(self, other: "Tally") -> "Tally":
        """Both together."""
        return Tally(
            self.deals + other.deals,
            _sums(self.wins, other.wins),
            _sums(self.ties, other.ties),
            _sums(self.parts, other.parts),
            _sums(self.squares, other.squares),
        )

    def equities(self, *, exact: bool) -> tuple[HandEquity, ...]:
        """The share of each hand as far as it was counted."""
        return tuple(
            HandEquity(
                share_millionths=round(parts * MILLION / (self.deals * WHOLE_POT)),
                win_millionths=round(wins * MILLION / self.deals),
                tie_millionths=round(ties * MILLION / self.deals),
                error_millionths=0 if exact else self._error_millionths(parts, squares),
            )
            for wins, ties, parts, squares in zip(self.wins, self.ties, self.parts, self.squares, strict=True)
        )

    def _error_millionths(self, parts: int, squares: int) -> int:
        mean = parts / (self.deals * WHOLE_POT)
        variance = squares / (self.deals * WHOLE_POT**2) - mean * mean
        # a sample without any spread proves nothing yet: one deal in the whole sample might have gone otherwise
        return ceil(MILLION * sqrt(max(variance, 1 / self.deals) / self.deals))


def no_deals(hands: int) -> Tally:
    """Nothing counted yet."""
    none = (0,) * hands
    return Tally(0, none, none, none, none)


def tally_of(deals: int, counts: Sequence[Sequence[int]]) -> Tally:
    """What was counted; ``counts[hand][others]`` says in how many deals a hand won beside so many others."""
    return Tally(
        deals,
        tuple(alone for alone, *_ in counts),
        tuple(sum(tied) for _, *tied in counts),
        tuple(_in_all(row, 1) for row in counts),
        tuple(_in_all(row, 2) for row in counts),
    )


def _in_all(row: Sequence[int], power: int) -> int:
    """Parts of the pots that a hand won, or their squares."""
    return sum(count * (WHOLE_POT // winners) ** power for winners, count in enumerate(row, start=1))


def count_deals(deals: Iterable[Deal], hands: int) -> Tally:
    """Play these deals out and count."""
    counts = [[0] * hands for _ in range(hands)]
    count = 0
    for count, deal in enumerate(deals, start=1):  # noqa: B007 - the last count is the number of deals
        strengths = strengths_of(deal)
        best = max(strengths)
        others = strengths.count(best) - 1
        if not others:
            counts[strengths.index(best)][0] += 1
            continue
        for place, strength in enumerate(strengths):
            if strength == best:
                counts[place][others] += 1
    return tally_of(count, counts)


def deals_for(error_millionths: int) -> int:
    """Deals after which no share is less certain than this standard error, however the pots fall.

    A share lies between nothing and all, so that it spreads by half a pot at most.
    """
    return ceil(MILLION**2 / (4 * error_millionths**2))


def _sums(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(one + other for one, other in zip(first, second, strict=True))
