"""Every RPC that changes something, tried one request at a time: a small ``make once``."""

import asyncio
from typing import Any

import pytest

from tests.batteries.once.s03_stale import stale_changes_nothing
from tests.batteries.once.s04_answers import ALL, GAMES, mutating, tried
from tests.batteries.report import Verdict
from tests.sim.exam import Marks, Way, cut_at


def test_stale_requests_change_nothing_and_are_told_what_is_current() -> None:
    (row,) = stale_changes_nothing(160)
    assert row.verdict is Verdict.PASSED, row


def test_every_request_asked_again_has_its_first_answer_and_other_content_is_refused() -> None:
    marks = Marks()
    tried(marks, ALL, Way.LOST, everything=True)
    for seed in GAMES:
        tried(marks, seed, Way.LOST)
    assert not marks.faults
    assert set(marks.again) == mutating()
    assert len(marks.other) > 50
    assert marks.remembered.total() > 400


@pytest.mark.parametrize("nth", [1, 2])
def test_who_hangs_up_while_a_handler_waits_leaves_no_half_state(nth: int) -> None:
    marks = Marks()
    tried(marks, ALL, Way.CUT, nth, everything=True)
    tried(marks, GAMES[1], Way.CUT, nth)
    assert not marks.faults
    assert marks.cut.total() > 100


def test_a_handler_is_cut_short_at_exactly_the_wait_that_was_asked_for() -> None:
    passed: list[int] = []

    async def handler() -> Any:
        for number in range(1, 6):
            await asyncio.sleep(0)
            passed.append(number)

    async def run(work: Any) -> None:
        with pytest.raises(asyncio.CancelledError):
            await asyncio.ensure_future(_awaited(work))

    told: list[int] = []
    asyncio.run(run(cut_at(handler(), 3, told.append)))
    assert (passed, told) == ([1, 2], [3])


async def _awaited(work: Any) -> Any:
    return await work
