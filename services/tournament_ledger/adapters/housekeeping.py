"""Runs the chores again and again until the service stops."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Protocol, TypeVar

from services.tournament_ledger.application.chores import HOLDS_A_LOOK
from shared.observability.logging import get_log

SUMS_EVERY = 15
FORGET_EVERY_SECONDS = 3600
CHORE_SECONDS_MAX = 30.0
Done = TypeVar("Done")


class ChoreList(Protocol):
    """See services.tournament_ledger.application.chores.Chores."""

    async def expire_holds(self) -> int:
        """Some of the holds whose time is over; how many, HOLDS_A_LOOK where there may be more."""
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
    now = asyncio.get_running_loop().time
    while True:
        next_turn = now() + every_seconds
        while await _attempt(chores.expire_holds) == HOLDS_A_LOOK and now() < next_turn:
            pass  # somebody's thousands keep nobody else's waiting for longer than it takes
        await _attempt(chores.close_windows)
        if turn % SUMS_EVERY == 0:
            await _attempt(chores.sum_up)
        turn += 1
        if turn % forget_every == 0:
            await _attempt(lambda: chores.forget_answers(answers_kept))
        await asyncio.sleep(next_turn - now())


async def _attempt(chore: Callable[[], Awaitable[Done]]) -> Done | None:
    try:
        async with asyncio.timeout(CHORE_SECONDS_MAX):
            return await chore()
    except Exception as fault:  # noqa: BLE001  # the next turn tries again, whatever it was
        get_log().error("chore_failed", exc_info=fault)
        return None
