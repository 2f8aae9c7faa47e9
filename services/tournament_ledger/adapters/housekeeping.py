"""Runs the chores again and again until the service stops."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Protocol

from shared.observability.logging import get_log

SUMS_EVERY = 15
FORGET_EVERY_SECONDS = 3600
CHORE_SECONDS_MAX = 30.0


class ChoreList(Protocol):
    """See services.tournament_ledger.application.chores.Chores."""

    async def expire_holds(self) -> int:
        """Holds whose time is over."""
        ...

    async def close_windows(self) -> int:
        """Decisions whose time is over."""
        ...

    async def forget_answers(self, kept: timedelta) -> None:
        """Answers kept long enough."""
        ...

    async def sum_up(self) -> int:
        """Sums of all accounts."""
        ...


async def keep_house(chores: ChoreList, every_seconds: float, answers_kept: timedelta) -> None:
    """Work until cancelled; a chore that fails is logged and tried again the next time.

    Answers are forgotten every hour, not before the first is over: each time some hours of the oldest ones at most, so
    that one start with a clock that is months ahead forgets nothing.
    """
    turn, forget_every = 0, max(1, round(FORGET_EVERY_SECONDS / every_seconds))
    while True:
        await _attempt(chores.expire_holds)
        await _attempt(chores.close_windows)
        if turn % SUMS_EVERY == 0:
            await _attempt(chores.sum_up)
        turn += 1
        if turn % forget_every == 0:
            await _attempt(lambda: chores.forget_answers(answers_kept))
        await asyncio.sleep(every_seconds)


async def _attempt(chore: Callable[[], Awaitable[object]]) -> None:
    try:
        async with asyncio.timeout(CHORE_SECONDS_MAX):
            await chore()
    except Exception as fault:  # noqa: BLE001  # the next turn tries again, whatever it was
        get_log().error("chore_failed", exc_info=fault)
