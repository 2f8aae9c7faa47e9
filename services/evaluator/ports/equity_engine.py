"""Where the deals of an equity question are played out."""

from collections.abc import Callable
from typing import Protocol

from services.evaluator.domain.equity_question import Layout
from services.evaluator.domain.equity_tally import Tally

DealCounter = Callable[[int], Tally]
"""Plays out the next so many deals of a question; called by one thread at a time, the next call goes on from there."""


class EquityEngine(Protocol):
    """Plays out deals. Plain Python, arrays or a compiled core: the same question and seed give the same tallies."""

    slice_cards: int
    """Cards that it deals and values in a few milliseconds; callers ask for deals of no more at a time."""
    apart: bool
    """Other threads go on while it counts, so that it is best called in one of its own."""

    def sampled(self, layout: Layout, seed: int) -> DealCounter:
        """Deals without end, drawn with the numbers of this seed: `drawn_deals` says how."""
        ...

    def all_counted(self, layout: Layout) -> DealCounter:
        """Every different deal once, in whatever order."""
        ...
