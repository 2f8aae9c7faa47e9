"""Watching a tournament: as it is first, then every event, once each, in order, resumable by its number."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass

from services.orchestrator.application.reach import Reach
from services.orchestrator.application.tournament_books import TournamentBooks
from services.orchestrator.domain.tournament_facts import NumberedEvent, TournamentEnded
from services.orchestrator.domain.tournament_view import TournamentView, view_of
from shared.kernel.errors import DomainError, Reason
from shared.rpc.drain import Drain


@dataclass(frozen=True, slots=True)
class Ended:
    """The last word: the service is stopping, or hears nothing of what others write."""

    reason: Reason


class TournamentFeed:
    """The streams of all watchers."""

    def __init__(self, books: TournamentBooks, drain: Drain, watchers_max: int, reach: Reach | None = None) -> None:
        """Follow these books until the service stops, while what others write to them is in reach."""
        self._books = books
        self._drain = drain
        self._watchers_max = watchers_max
        self._watchers = 0
        self._reach = reach or Reach()

    async def watch(
        self, tournament_id: str, after_version: int | None
    ) -> AsyncIterator[TournamentView | NumberedEvent | Ended]:
        """The stream of one watcher; it ends after the tournament's last event, or when the service stops."""
        self._reach.check()
        state = await self._books.state(tournament_id)
        _check_cursor(after_version, state.version)
        if self._watchers >= self._watchers_max:
            message = f"{self._watchers_max} watchers are all this service takes: try again later"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "watchers_max"})
        self._watchers += 1
        try:
            if after_version is None:
                yield view_of(state)
            version = state.version if after_version is None else after_version
            async for item in self._follow(tournament_id, version):
                yield item
        finally:
            self._watchers -= 1

    async def _follow(self, tournament_id: str, version: int) -> AsyncIterator[NumberedEvent | Ended]:
        while not (self._drain.begun or self._reach.lost):
            change = self._books.change(tournament_id)
            events = await self._books.events(tournament_id, version)
            for event in events:
                yield event
                version = event.version
                if isinstance(event.event, TournamentEnded):
                    return
            if events:
                continue
            if await self._over(tournament_id, version, at_hand=change is not None):
                return
            if change is not None:
                await self._next(change)
        yield Ended(Reason.DRAINING if self._drain.begun else Reason.DEPENDENCY_UNAVAILABLE)

    async def _over(self, tournament_id: str, version: int, *, at_hand: bool) -> bool:
        """Was the last event told before this stream began? One that is not at hand any more is brought to hand."""
        state = self._books.at_hand(tournament_id) if at_hand else await self._books.state(tournament_id)
        return state is not None and state.ended and state.version <= version

    async def _next(self, change: asyncio.Event) -> None:
        """Until something changes, or the stream ends for one of these reasons."""
        waits = (change.wait(), self._drain.wait(), self._reach.wait_lost())
        tasks = [asyncio.ensure_future(each) for each in waits]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()


def _check_cursor(after_version: int | None, last: int) -> None:
    if after_version is not None and after_version > last:
        message = f"the tournament is at version {last}: resume from there or before"
        raise DomainError(Reason.CURSOR_OUT_OF_RANGE, message, {"last": str(last)})
