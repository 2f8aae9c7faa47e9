"""Many who resume at once are told the same, which is read once."""

import asyncio
from datetime import UTC, datetime
from typing import cast

import pytest

from services.orchestrator.application.pages import PAGE_EVENTS, PAGES_KEPT, Pages
from services.orchestrator.application.table_log import TableLog
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.table_facts import TableClosed
from services.orchestrator.domain.visibility import BLIND


class CountedLog:
    """A log with so many events; counts how often it is read."""

    def __init__(self, events: int) -> None:
        self.reads = 0
        self._events = events
        self.gate = asyncio.Event()

    async def events(self, table_id: str, after_version: int, limit: int) -> tuple[Recorded, ...]:
        self.reads += 1
        await self.gate.wait()
        last = min(after_version + limit, self._events)
        at = datetime(2026, 1, 1, tzinfo=UTC)
        return tuple(
            Recorded(table_id=table_id, version=version, at=at, hand_id="", fact=TableClosed())
            for version in range(after_version + 1, last + 1)
        )


def pages_of(log: CountedLog) -> Pages:
    return Pages(cast("TableLog", log))


async def test_a_page_that_many_ask_for_is_read_once_and_shown_as_one() -> None:
    log = CountedLog(PAGE_EVENTS * 2)
    pages = pages_of(log)
    asked = [asyncio.ensure_future(pages.after("t", 0)) for _ in range(500)]
    await asyncio.sleep(0)
    asked[0].cancel()
    log.gate.set()
    told = await asyncio.gather(*asked[1:])
    assert log.reads == 1
    assert await pages.after("t", 0) is told[0]
    assert log.reads == 1
    assert {id(page[7].shown(BLIND)) for page in told} == {id(told[0][7].shown(BLIND))}
    assert [event.recorded.version for event in told[0]] == list(range(1, PAGE_EVENTS + 1))


async def test_a_page_at_the_end_of_the_log_is_read_anew_for_more_may_have_come() -> None:
    log = CountedLog(PAGE_EVENTS - 1)
    log.gate.set()
    pages = pages_of(log)
    assert len(await pages.after("t", 0)) == PAGE_EVENTS - 1
    log._events += 5
    assert len(await pages.after("t", 0)) == PAGE_EVENTS


async def test_the_pages_kept_are_few() -> None:
    log = CountedLog(10**6)
    log.gate.set()
    pages = pages_of(log)
    for version in range(PAGES_KEPT * 2):
        await pages.after("t", version)
    assert len(pages._lately) == PAGES_KEPT


async def test_a_read_that_fails_is_told_to_all_who_wait_and_tried_again_by_the_next() -> None:
    class Broken(CountedLog):
        async def events(self, table_id: str, after_version: int, limit: int) -> tuple[Recorded, ...]:
            await super().events(table_id, after_version, limit)
            raise OSError("the disk")

    log = Broken(PAGE_EVENTS)
    pages = pages_of(log)
    asked = [asyncio.ensure_future(pages.after("t", 0)) for _ in range(3)]
    await asyncio.sleep(0)
    log.gate.set()
    assert all(isinstance(each, OSError) for each in await asyncio.gather(*asked, return_exceptions=True))
    with pytest.raises(OSError, match="the disk"):
        await pages.after("t", 0)
    assert log.reads == 2
