"""The ledger's chores: answers are forgotten by the hour, so that one start with a wrong clock forgets nothing."""

import asyncio
from contextlib import suppress
from datetime import timedelta

import pytest

from services.tournament_ledger.adapters.housekeeping import keep_house

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
