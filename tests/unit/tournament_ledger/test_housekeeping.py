"""The ledger's chores: answers are forgotten by the hour, so that one start with a wrong clock forgets nothing."""

import asyncio
from contextlib import suppress
from datetime import timedelta

import pytest

from services.tournament_ledger.adapters.housekeeping import keep_house
from services.tournament_ledger.application.chores import HOLDS_A_LOOK

KEPT = timedelta(days=90)


class Chores:
    """Counts; the test is over after so many turns."""

    def __init__(self, turns: int) -> None:
        self.left = turns
        self.turns = 0
        self.forgot_after: list[int] = []

    async def expire_holds(self) -> int:
        if not self.left:
            raise asyncio.CancelledError
        self.left -= 1
        self.turns += 1
        return 0

    async def close_windows(self) -> int:
        return 0

    async def forget_answers(self, kept: timedelta) -> None:
        assert kept == KEPT
        self.forgot_after.append(self.turns)

    async def sum_up(self) -> int:
        return 0


@pytest.mark.parametrize(("every_seconds", "turns_an_hour"), [(1.0, 3600), (600.0, 6), (3600.0, 1)])
async def test_answers_are_forgotten_every_hour_and_not_before_the_first_is_over(
    monkeypatch: pytest.MonkeyPatch, every_seconds: float, turns_an_hour: int
) -> None:
    async def at_once(_: float) -> None:
        return

    monkeypatch.setattr(asyncio, "sleep", at_once)
    chores = Chores(2 * turns_an_hour + turns_an_hour // 2)
    with suppress(asyncio.CancelledError):
        await keep_house(chores, every_seconds, KEPT)
    assert chores.forgot_after == [turns_an_hour, 2 * turns_an_hour]


class ManyHolds(Chores):
    """So many are due at the start."""

    def __init__(self, due: int) -> None:
        super().__init__(turns=10)
        self.due = due
        self.given_back_by_turn: list[int] = []

    async def expire_holds(self) -> int:
        looked_at = min(self.due, HOLDS_A_LOOK)
        self.due -= looked_at
        return looked_at

    async def close_windows(self) -> int:
        self.given_back_by_turn.append(self.due)
        if len(self.given_back_by_turn) == 2:
            raise asyncio.CancelledError
        return 0


@pytest.mark.parametrize("due", [1, HOLDS_A_LOOK, 50 * HOLDS_A_LOOK + 1])
async def test_holds_that_are_due_are_not_left_for_the_next_turn_while_there_is_time_in_this_one(due: int) -> None:
    """However many one back end had due at once, those of others waited a second for each two hundred of them."""
    chores = ManyHolds(due)
    with suppress(asyncio.CancelledError):
        await keep_house(chores, 0.2, KEPT)
    assert chores.given_back_by_turn == [0, 0]


async def test_holds_that_are_due_without_end_keep_no_other_chore_waiting_for_long() -> None:
    chores = ManyHolds(10**9)
    with suppress(asyncio.CancelledError):
        async with asyncio.timeout(5):
            await keep_house(chores, 0.05, KEPT)
    assert len(chores.given_back_by_turn) == 2
