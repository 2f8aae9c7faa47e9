"""Equity: how much of the pot each hand wins on average, counted exactly or narrowed by sampling."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import aclosing
from dataclasses import dataclass
from typing import NamedTuple

from services.evaluator.application.slots import Slots
from services.evaluator.domain.equity_question import EquityHand, Layout, lay_out
from services.evaluator.domain.equity_tally import HandEquity, Tally, deals_for, no_deals
from services.evaluator.ports.equity_engine import DealCounter, EquityEngine
from shared.kernel.cards import Card

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
    """Counts all deals where that is no more work than a sample, else samples; in slices that callers take in turn.

    A caller who leaves stops the work after the slice it is in. Slices of an engine that works apart run in one
    thread, the others on the event loop, a few milliseconds each.
    """

    USUAL_ERROR_MILLIONTHS = 1_000
    USUAL_DEALS = 200_000

    def __init__(self, engine: EquityEngine, slots: Slots, counted: Callable[[int], None] | None = None) -> None:
        """Play deals out with this, at most as many questions at once as slots; ``counted`` hears their deals."""
        self._engine = engine
        self._slots = slots
        self._counted = counted
        self._thread = ThreadPoolExecutor(1, "equity") if engine.apart else None

    async def estimates(self, question: EquityQuestion, caller: str = "") -> AsyncGenerator[EquityEstimate]:
        """Estimates that narrow, after 1,000, 2,000, 4,000 ... deals; where all deals are counted only the result."""
        layout = lay_out(question.hands, question.dead_cards)
        deals = 0
        with self._slots.taken(caller):
            try:
                async with aclosing(self._narrowing(layout, question)) as estimates:
                    async for estimate in estimates:
                        deals = estimate.deals_count
                        yield estimate
            finally:
                if self._counted is not None:
                    self._counted(deals)

    async def _narrowing(self, layout: Layout, question: EquityQuestion) -> AsyncGenerator[EquityEstimate]:
        most = question.deals_max or self.USUAL_DEALS
        if layout.deals_count <= min(most, _deals_of_a_sample(question.error_millionths, most)):
            yield await self._exact(layout)
            return
        async with aclosing(self._sampled(layout, question, most)) as estimates:
            async for estimate in estimates:
                yield estimate

    async def _exact(self, layout: Layout) -> EquityEstimate:
        counting = _Counting(self._engine.all_counted(layout), self._slice_deals(layout))
        tally = await self._counted_to(layout.deals_count, no_deals(len(layout.known)), counting)
        return _estimate(tally, exact=True, final=True)

    async def _sampled(self, layout: Layout, question: EquityQuestion, most: int) -> AsyncGenerator[EquityEstimate]:
        counting = _Counting(self._engine.sampled(layout, question.seed), self._slice_deals(layout))
        goal = question.error_millionths or self.USUAL_ERROR_MILLIONTHS
        tally, report_at = no_deals(len(layout.known)), FIRST_REPORT_DEALS
        while True:
            tally = await self._counted_to(min(report_at, most), tally, counting)
            estimate = _estimate(tally, exact=False, final=False)
            if tally.deals >= most or _narrow_enough(estimate.equities, goal):
                yield _estimate(tally, exact=False, final=True)
                return
            yield estimate
            report_at *= 2

    def _slice_deals(self, layout: Layout) -> int:
        """So many that questions about many cards take no longer turns than those about few."""
        return max(1, self._engine.slice_cards // max(1, layout.drawn))

    async def _counted_to(self, deals: int, tally: Tally, counting: "_Counting") -> Tally:
        while tally.deals < deals:
            tally = tally.plus(await self._slice(counting.counter, min(counting.slice_deals, deals - tally.deals)))
        return tally

    async def _slice(self, counter: DealCounter, deals: int) -> Tally:
        if self._thread is not None:
            return await asyncio.get_running_loop().run_in_executor(self._thread, counter, deals)
        more = counter(deals)
        await asyncio.sleep(0)
        return more


class _Counting(NamedTuple):
    """A question being counted."""

    counter: DealCounter
    slice_deals: int
    """Deals of one turn."""


def _deals_of_a_sample(error_millionths: int, most: int) -> int:
    """Deals that a sample may need: as many as are allowed where no error is asked for, else up to a report."""
    if not error_millionths:
        return most
    needed, report_at = deals_for(error_millionths), FIRST_REPORT_DEALS
    while report_at < min(needed, most):
        report_at *= 2
    return report_at


def _narrow_enough(equities: Sequence[HandEquity], goal: int) -> bool:
    return all(equity.error_millionths < goal for equity in equities)


def _estimate(tally: Tally, *, exact: bool, final: bool) -> EquityEstimate:
    return EquityEstimate(equities=tally.equities(exact=exact), deals_count=tally.deals, exact=exact, final=final)
