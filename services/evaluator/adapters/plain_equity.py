"""Deals played out in plain Python: some hundred thousand a second, nothing to install."""

from collections.abc import Iterator
from itertools import islice
from random import Random

from services.evaluator.domain.equity_deals import Deal, all_deals, drawn_deals
from services.evaluator.domain.equity_question import Layout
from services.evaluator.domain.equity_tally import Tally, count_deals
from services.evaluator.ports.equity_engine import DealCounter


class PlainEquity:
    """The equity engine that is always there, and the reference for the others.

    Its numbers come from Python's generator, whose `random()` is promised to stay the same from version to version.
    """

    slice_cards = 4_500
    apart = False

    def sampled(self, layout: Layout, seed: int) -> DealCounter:
        """See EquityEngine.sampled."""
        draw = Random(seed).random  # noqa: S311 - a sample that can be repeated, no deck of a game
        return _counter(drawn_deals(layout, draw), len(layout.known))

    def all_counted(self, layout: Layout) -> DealCounter:
        """See EquityEngine.all_counted."""
        return _counter(all_deals(layout), len(layout.known))


def _counter(deals: Iterator[Deal], hands: int) -> DealCounter:
    def count(wanted: int) -> Tally:
        return count_deals(islice(deals, wanted), hands)

    return count
