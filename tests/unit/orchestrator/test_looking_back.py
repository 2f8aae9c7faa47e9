"""A table as it was, for requests that are asked again: never many events at once, and never twice from the first."""

import asyncio
from dataclasses import replace
from typing import Any, cast

from services.orchestrator.application.looking_back import KEPT_MAX, STEP_EVENTS, LookingBack
from services.orchestrator.application.pages import PAGE_EVENTS
from services.orchestrator.application.table_log import TableLog
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.fold import fold
from services.orchestrator.domain.hand_facts import HandStarted
from services.orchestrator.domain.table import BareTable, bare
from services.orchestrator.domain.table_facts import Presence, PresenceChanged
from services.orchestrator.domain.wagering import ActionCause
from tests.support.table_facts import ended, opened, recorded, started

LENGTH, NEAR = 2 * STEP_EVENTS + 70, 60


def _long_log() -> tuple[Recorded, ...]:
    """A hand is over, much happens, and near the end the next one begins."""
    begun = (*opened(), *started(), *ended(101, 99))
    change = {"seat": 1, "cause": ActionCause.PLAYER, "at_once": True}
    both: tuple[Any, ...] = tuple(
        PresenceChanged(**change, presence=each)  # type: ignore[arg-type]  # names of the fact
        for each in (Presence.SITTING_OUT, Presence.PLAYING)
    )
    first, *antes = started()
    second = (replace(cast("HandStarted", first), hand_number=2), *antes)
    between = LENGTH - NEAR - len(begun)
    toggled = [both[number % 2] for number in range(between + NEAR)]
    return recorded((*begun, *toggled[:between], *second, *toggled[between:]))[:LENGTH]


EVENTS = _long_log()


class CountedLog:
    """A log that counts what is read of it."""

    def __init__(self, kept_at: int = 0) -> None:
        self.most = self.read = self.inside = self.together = 0
        self._kept_at = kept_at

    async def kept(self, table_id: str) -> BareTable | None:
        del table_id
        return bare(fold(None, EVENTS[: self._kept_at])) if self._kept_at else None

    async def events(self, table_id: str, after_version: int, limit: int) -> tuple[Recorded, ...]:
        del table_id
        self.inside += 1
        self.together = max(self.together, self.inside)
        await asyncio.sleep(0)
        self.inside -= 1
        self.most, self.read = max(self.most, limit), self.read + limit
        return EVENTS[after_version : after_version + limit]


def looking(log: CountedLog) -> LookingBack:
    return LookingBack(cast("TableLog", log))


async def test_every_version_is_found_as_it_was() -> None:
    back = looking(CountedLog())
    for version in (LENGTH, 5, STEP_EVENTS, STEP_EVENTS + 1, LENGTH - 1, 5):
        assert await back.table_at("t", version) == fold(None, EVENTS[:version])


async def test_a_long_way_back_is_read_in_small_pieces_and_not_by_two_at_once_nor_twice() -> None:
    log = CountedLog()
    back = looking(log)
    asked = [back.table_at("t", LENGTH - number) for number in range(8)]
    found = await asyncio.gather(*asked)
    assert [table.version for table in found] == [LENGTH - number for number in range(8)]
    assert (log.most, log.together) == (PAGE_EVENTS, 1)
    assert log.read <= LENGTH + 8 * STEP_EVENTS
    before = log.read
    await back.table_at("t", LENGTH)
    assert log.read == before


async def test_the_hand_in_play_is_near_and_waits_for_nobody() -> None:
    log = CountedLog(kept_at=LENGTH - NEAR - 2)
    back = looking(log)
    far = asyncio.create_task(back.table_at("t", 3 * PAGE_EVENTS))
    await asyncio.sleep(0)
    assert await back.table_at("t", LENGTH - 1) == fold(None, EVENTS[: LENGTH - 1])
    assert not far.done()
    await far


async def test_just_before_a_hand_the_one_before_it_is_still_the_tables() -> None:
    """It is not in what is kept, but in the answer of a request of that moment."""
    kept_at = LENGTH - NEAR - 2
    back = looking(CountedLog(kept_at=kept_at))
    for version in range(kept_at - 1, kept_at + 6):
        assert await back.table_at("t", version) == fold(None, EVENTS[:version])


async def test_what_is_remembered_does_not_grow() -> None:
    back = looking(CountedLog())
    for version in range(1, KEPT_MAX + 20):
        await back.table_at("t", version)
    assert len(back._known) <= KEPT_MAX
