"""Questions about equity side by side: who waits for whom, and what stops when a caller leaves."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from services.evaluator.adapters.plain_equity import PlainEquity
from services.evaluator.application.equity import EquityEstimate, EquityQuestion, EstimateEquity
from services.evaluator.application.slots import Slots
from services.evaluator.domain.equity_question import EquityHand, Layout
from services.evaluator.domain.equity_tally import Tally
from services.evaluator.ports.equity_engine import DealCounter
from shared.kernel.cards import parse_cards
from tests.support.evaluator_engines import EVERY, FAST, engines

WAIT_SECONDS = 60.0


def question(seed: int = 7, most: int = 10_000_000) -> EquityQuestion:
    hands = (EquityHand(cards=parse_cards("AsKdQh")), EquityHand(cards=()))
    return EquityQuestion(hands=hands, dead_cards=(), error_millionths=1, deals_max=most, seed=seed)


def estimator(name: str, places: int = 1) -> EstimateEquity:
    return EstimateEquity(engines(name).equity, Slots("equity_streams_max", places))


async def last_of(estimates: AsyncIterator[EquityEstimate]) -> EquityEstimate:
    last = None
    async for last in estimates:  # noqa: B007 - the last one is wanted
        pass
    assert last is not None
    return last


class ByTurns(PlainEquity):
    """Works apart, and notes whose slice it is; each is begun only when the test lets it."""

    slice_cards = 100 * 11  # eleven cards are drawn for a deal of the question
    apart = True

    def __init__(self) -> None:
        self.turns: list[int] = []
        self.threads: set[int] = set()
        self.begun, self.go_on = threading.Event(), threading.Event()

    def sampled(self, layout: Layout, seed: int) -> DealCounter:
        counter = super().sampled(layout, seed)

        def count(deals: int) -> Tally:
            self.turns.append(seed)
            self.threads.add(threading.get_ident())
            self.begun.set()
            assert self.go_on.wait(WAIT_SECONDS)
            return counter(deals)

        return count


async def begun(engine: ByTurns) -> None:
    async with asyncio.timeout(WAIT_SECONDS):
        while not engine.begun.is_set():  # noqa: ASYNC110 - another thread sets it
            await asyncio.sleep(0.001)


async def test_the_event_loop_goes_on_while_an_engine_works_apart() -> None:
    engine = ByTurns()
    task = asyncio.create_task(
        last_of(EstimateEquity(engine, Slots("equity_streams_max", 1)).estimates(question(1, 500)))
    )
    await begun(engine)  # on the loop itself nobody could let it go on
    engine.go_on.set()
    assert (await task).deals_count == 500
    assert threading.get_ident() not in engine.threads


async def test_callers_take_turns_slice_by_slice() -> None:
    engine = ByTurns()
    equity = EstimateEquity(engine, Slots("equity_streams_max", 3))
    tasks = [asyncio.create_task(last_of(equity.estimates(question(seed, 2_000), f"{seed}"))) for seed in (1, 2, 3)]
    await begun(engine)
    await asyncio.sleep(0.01)  # the others ask meanwhile
    engine.go_on.set()
    assert [(await task).deals_count for task in tasks] == [2_000] * 3
    turns = engine.turns
    assert len(turns) == 60
    done = {seed: [turns[: place + 1].count(seed) for place in range(30)] for seed in (1, 2, 3)}
    assert all(max(counts) - min(counts) <= 3 for counts in zip(*done.values(), strict=True))


async def test_a_caller_who_leaves_in_the_middle_of_a_slice_gives_the_place_back_at_once() -> None:
    engine = ByTurns()
    equity = EstimateEquity(engine, Slots("equity_streams_max", 1))
    task = asyncio.create_task(last_of(equity.estimates(question(1))))
    await begun(engine)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    waiting = asyncio.create_task(last_of(equity.estimates(question(2, 300))))  # its place is free, its turn is next
    engine.go_on.set()
    assert (await waiting).deals_count == 300
    assert engine.turns == [1, 2, 2, 2]


@pytest.mark.parametrize("name", EVERY)
async def test_a_stream_that_is_left_stops_and_gives_its_place_back(name: str) -> None:
    equity = estimator(name)
    for _ in range(3):
        async with aclosing(equity.estimates(question())) as estimates:
            assert not (await anext(estimates)).final
    assert (await last_of(equity.estimates(question(most=3_000)))).deals_count == 3_000


@pytest.mark.parametrize("name", FAST)
async def test_every_engine_tells_the_same_stream_for_a_seed(name: str) -> None:
    asked = question(seed=5, most=5_500)
    plain = [estimate async for estimate in estimator("plain").estimates(asked)]
    assert [estimate async for estimate in estimator(name).estimates(asked)] == plain
    assert [estimate.deals_count for estimate in plain] == [1_000, 2_000, 4_000, 5_500]
