"""Equity over arrays: millions of deals a second, where numpy is installed (the extra ``evaluator``).

Deals come from the numbers of a seed, or from their own numbers where all are counted; `numpy_deals` plays them out.
"""

from collections.abc import Callable
from math import comb
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from services.evaluator.adapters.array_tables import ArrayTables
from services.evaluator.adapters.numpy_deals import ArrayDeals, Places
from services.evaluator.domain.equity_question import Layout
from services.evaluator.domain.equity_tally import Tally, no_deals
from services.evaluator.ports.equity_engine import DealCounter

_BLOCK_DEALS: Final = 8_192
"""Deals whose arrays stay in the processor's own memory."""


class NumpyEquity:
    """The equity engine over arrays."""

    slice_cards = 150_000
    apart = True

    def __init__(self, tables: ArrayTables) -> None:
        """Look up in these tables."""
        self._tables = tables

    def sampled(self, layout: Layout, seed: int) -> DealCounter:
        """See EquityEngine.sampled."""
        numbers = generator(seed)
        firsts = np.arange(layout.drawn, dtype=np.uint8)
        widths = len(layout.deck) - firsts.astype(np.float64)

        def drawn(count: int) -> Places:
            others = numbers.random((count, layout.drawn)) * widths
            return np.ascontiguousarray((others.astype(np.uint8) + firsts).T)

        return self._counter(layout, drawn)

    def all_counted(self, layout: Layout) -> DealCounter:
        """See EquityEngine.all_counted."""
        done = 0

        def numbered(count: int) -> Places:
            nonlocal done
            done += count
            return _numbered(layout, np.arange(done - count, done, dtype=np.uint64))

        return self._counter(layout, numbered)

    def _counter(self, layout: Layout, places_of: Callable[[int], Places]) -> DealCounter:
        deals = ArrayDeals(self._tables, layout)

        def count(wanted: int) -> Tally:
            tally = no_deals(len(layout.known))
            while tally.deals < wanted:
                tally = tally.plus(deals.count(places_of(min(_BLOCK_DEALS, wanted - tally.deals))))
            return tally

        return count


def generator(seed: int) -> np.random.Generator:
    """The numbers that Python's generator gives for a seed: both are the Mersenne Twister."""
    _, words, _ = Random(seed).getstate()  # noqa: S311 - a sample that can be repeated, no deck of a game
    twister = np.random.MT19937()
    twister.state = {
        "bit_generator": "MT19937",
        "state": {"key": np.array(words[:-1], np.uint32), "pos": words[-1]},
    }
    return np.random.Generator(twister)


def _numbered(layout: Layout, numbers: NDArray[np.uint64]) -> Places:
    """The deals of these numbers: digits, the last portion's first, each the number of a set of places."""
    places = np.empty((layout.drawn, numbers.size), np.uint8)
    for start, count in reversed(tuple(zip(layout.starts, layout.portions, strict=False))):
        left = len(layout.deck) - start
        ways = np.uint64(comb(left, count))
        rest = numbers // ways
        _spread(numbers - rest * ways, left, places[start : start + count])
        places[start : start + count] += np.uint8(start)
        numbers = rest
    return places


def _spread(numbers: NDArray[np.uint64], left: int, places: Places) -> None:
    """The sets of these numbers, out of so many places: the highest place first, by binomial coefficients."""
    for chosen in range(len(places), 1, -1):
        sets_below = np.array([comb(place, chosen) for place in range(left)], np.uint64)
        highest = np.searchsorted(sets_below, numbers, side="right") - 1
        places[chosen - 1] = highest
        numbers = numbers - sets_below[highest]
    if len(places):
        places[0] = numbers
