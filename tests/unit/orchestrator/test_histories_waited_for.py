"""A database that is away while histories are compared says nothing of a backup: nobody is stopped for it."""

import asyncio
from collections.abc import AsyncIterator
from datetime import datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from services.orchestrator.application.apart import HistoriesApart
from services.orchestrator.application.histories import compare_when_there
from services.orchestrator.application.ledger_marks import BookMark, keep_marks
from services.orchestrator.ports import ServiceAway
from shared.storage.database import StoreUnavailable
from tests.support.tournament_floor import VirtualClock

BOOK = BookMark("wallets", 3, b"three")
AWAY = (StoreUnavailable("away"), RuntimeError("a fault of the ledger"), ServiceAway("tournament_ledger"))


class Clock(VirtualClock):
    """Lets others have a turn."""

    async def sleep_until(self, moment: datetime) -> None:
        await super().sleep_until(moment)
        await asyncio.sleep(0)


class Failing:
    """Marks that cannot be read the first times."""

    def __init__(self, *faults: Exception) -> None:
        self.faults = list(faults)
        self.kept: list[BookMark] = []

    async def all(self) -> tuple[BookMark, ...]:
        if self.faults:
            raise self.faults.pop(0)
        return (BOOK,)

    async def keep(self, marks: list[BookMark]) -> None:
        self.kept += marks


class Books:
    """A ledger with one book."""

    def __init__(self, *heads: BookMark) -> None:
        self._heads = heads
        self.looked = asyncio.Event()

    async def heads(self) -> AsyncIterator[BookMark]:
        self.looked.set()
        for head in self._heads:
            yield head

    async def entries(self, marks: list[BookMark]) -> tuple[BookMark, ...]:
        return tuple(marks)


async def _none(*_: object) -> tuple[str, ...]:
    return ()


NO_TABLES = cast("Any", SimpleNamespace(open_tables=_none, closed_last=_none))


@pytest.mark.parametrize("fault", AWAY)
async def test_who_compares_asks_again_until_everybody_is_there(fault: Exception) -> None:
    marks = Failing(fault, fault)
    await compare_when_there(NO_TABLES, cast("Any", marks), cast("Any", Books(BOOK)), Clock())
    assert not marks.faults


async def test_a_ledger_that_is_older_is_found_all_the_same() -> None:
    marks = Failing(*AWAY)
    with pytest.raises(HistoriesApart):
        await compare_when_there(NO_TABLES, cast("Any", marks), cast("Any", Books()), Clock())


async def test_marks_are_kept_once_they_can_be_read() -> None:
    marks, books = Failing(StoreUnavailable("away")), Books(BookMark("cash:one", 1, b"one"), BOOK)
    keeping = asyncio.create_task(keep_marks(cast("Any", marks), cast("Any", books), Clock()))
    async with asyncio.timeout(30):
        while not marks.kept:
            assert not keeping.done()
            await asyncio.sleep(0)
    keeping.cancel()
    await asyncio.gather(keeping, return_exceptions=True)
    assert [each.book for each in marks.kept] == ["cash:one"]
