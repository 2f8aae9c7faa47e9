"""Equity: how much of the pot each hand wins on average, counted exactly or narrowed by sampling."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import islice

from services.evaluator.application.slots import Slots
from services.evaluator.domain.equity_deals import Deal, all_deals, drawn_deals
from services.evaluator.domain.equity_question import EquityHand, Layout, lay_out
from services.evaluator.domain.equity_tally import HandEquity, Tally, count_deals, no_deals
from services.evaluator.ports.draws import Draws
from shared.kernel.cards import Card

SLICE_DEALS = 500
"""Deals that take about two milliseconds."""
FIRST_REPORT_DEALS = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class EquityQuestion:
    """What is asked, and how precisely."""

    hands: tuple[EquityHand, ...]
    """The hands, 2 to 8."""
    dead_cards: tuple[Card, ...]
    """Cards that nobody can get any more."""
    error_millionths: int
    """Stop when the standard error of every share is below this; 0 = the usual one."""
    deals_max: int
    """Most deals to sample, or to count where that is exact; 0 = the usual number."""
    seed: int
    """Seed of the sample."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EquityEstimate:
    """An estimate."""

    equities: tuple[HandEquity, ...]
    """Shares in the order of the hands."""
    deals_count: int
    """Deals counted so far."""
    exact: bool
    """All possible deals were counted."""
    final: bool
    """The last estimate of the stream."""


class EstimateEquity:
    """Counts all deals where they are few, else samples; in slices, so that it can be stopped at any moment."""

    USUAL_ERROR_MILLIONTHS = 1_000
    USUAL_DEALS = 200_000

    def __init__(self, draws: Draws, slots: Slots, counted: Callable[[int], None] | None = None) -> None:
        """Sample with these numbers, at most as many questions at once as slots; ``counted`` hears their deals."""
        self._draws = draws
        self._slots = slots
        self._counted = counted

    async def estimates(self, question: EquityQuestion, caller: str = "") -> AsyncGenerator[EquityEstimate]:
        """Estimates that narrow, after 1,000, 2,000, 4,000 ... deals; where all deals are counted only the result."""
        layout = lay_out(question.hands, question.dead_cards)
        most = question.deals_max or self.USUAL_DEALS
        deals = 0
        with self._slots.taken(caller):
            try:
                async with aclosing(self._narrowing(layout, question, most)) as estimates:
                    async for estimate in estimates:
                        deals = estimate.deals_count
                        yield estimate
            finally:
                if self._counted is not None:
                    self._counted(deals)

    async def _narrowing(self, layout: Layout, question: EquityQuestion, most: int) -> AsyncGenerator[EquityEstimate]:
        if layout.deals_count <= most:
            yield await self._exact(layout)
            return
        async with aclosing(self._sampled(layout, question, most)) as estimates:
            async for estimate in estimates:
                yield estimate

    async def _exact(self, layout: Layout) -> EquityEstimate:
        deals, hands = all_deals(layout), len(layout.known)
        tally = no_deals(hands)
        while tally.deals < layout.deals_count:
            tally = await _slice_more(tally, deals, SLICE_DEALS)
        return _estimate(tally, exact=True, final=True)

    async def _sampled(self, layout: Layout, question: EquityQuestion, most: int) -> AsyncGenerator[EquityEstimate]:
        deals = drawn_deals(layout, self._draws.from_seed(question.seed))
        goal = question.error_millionths or self.USUAL_ERROR_MILLIONTHS
        tally, report_at = no_deals(len(layout.known)), FIRST_REPORT_DEALS
        while True:
            tally = await _slice_more(tally, deals, min(SLICE_DEALS, most - tally.deals))
            if tally.deals < min(report_at, most):
                continue
            estimate = _estimate(tally, exact=False, final=False)
            if tally.deals >= most or _narrow_enough(estimate.equities, goal):
                yield _estimate(tally, exact=False, final=True)
                return
            yield estimate
            report_at *= 2


async def _slice_more(tally: Tally, deals: Iterator[Deal], count: int) -> Tally:
    more = count_deals(islice(deals, count), len(tally.wins))
    await asyncio.sleep(0)
    return tally.plus(more)


def _narrow_enough(equities: Sequence[HandEquity], goal: int) -> bool:
    return all(equity.error_millionths < goal for equity in equities)


def _estimate(tally: Tally, *, exact: bool, final: bool) -> EquityEstimate:
    return EquityEstimate(equities=tally.equities(exact=exact), deals_count=tally.deals, exact=exact, final=final)
