"""A watch held to the steps of a handler changes nothing about them."""

import asyncio
from contextlib import suppress
from time import thread_time

import pytest

from shared.rpc.work_time import WorkTime


def compute(seconds: float) -> None:
    until = thread_time() + seconds
    while thread_time() < until:
        pass


async def test_what_is_computed_is_counted_and_what_is_waited_for_is_not() -> None:
    async def work() -> str:
        compute(0.02)
        await asyncio.sleep(0.2)
        compute(0.03)
        return "done"

    timed = WorkTime(work())
    beside = asyncio.create_task(asyncio.to_thread(compute, 0.1))
    assert await timed == "done"
    await beside
    assert 0.05 <= timed.seconds < 0.15


async def test_an_error_comes_out_of_it_and_the_time_until_then_is_known() -> None:
    async def work() -> None:
        await asyncio.sleep(0)
        compute(0.01)
        raise ValueError("wrong")

    timed = WorkTime(work())
    with pytest.raises(ValueError, match="wrong"):
        await timed
    assert timed.seconds >= 0.01


async def test_who_is_cancelled_may_still_put_things_in_order() -> None:
    order: list[str] = []

    async def work() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            order.append("in order")
            raise
        return ""

    async def call() -> str:
        return await WorkTime(work())

    task = asyncio.create_task(call())
    await asyncio.sleep(0.01)
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    assert task.cancelled()
    assert order == ["in order"]


async def test_a_limit_of_time_ends_it_as_any_other_work() -> None:
    timed = WorkTime(asyncio.sleep(60))
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.01):
            await timed
