"""Answers are forgotten by the hour: a start with a clock that is months ahead forgets nothing."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any, cast

from services.orchestrator.application.forgetting import EVERY, forget_for_ever
from services.orchestrator.application.world import World

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
KEPT = timedelta(days=90)


@dataclass
class Clock:
    """Time that passes while somebody sleeps; the test is over after some hours."""

    at: datetime = BEGAN
    hours: int = 3
    log: list[tuple[datetime, datetime]] = field(default_factory=list[tuple[datetime, datetime]])

    def now(self) -> datetime:
        return self.at

    async def sleep_until(self, moment: datetime) -> None:
        if self.at >= BEGAN + self.hours * EVERY:
            raise asyncio.CancelledError
        self.at = moment

    async def forget_answers(self, before: datetime) -> None:
        self.log.append((self.at, before))


async def test_answers_are_looked_through_every_hour_and_not_before_the_first_is_over() -> None:
    clock = Clock()
    world = cast("World", cast("Any", SimpleNamespace(clock=clock, log=clock)))
    with suppress(asyncio.CancelledError):
        await forget_for_ever(world, KEPT)
    assert clock.log == [(BEGAN + hour * EVERY, BEGAN + hour * EVERY - KEPT) for hour in (1, 2, 3)]
