"""Watching a table: as it is first, or the events after a version; then every event, once each, in order."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import suppress
from dataclasses import dataclass

from services.orchestrator.application.actor import TableActor
from services.orchestrator.application.history import History
from services.orchestrator.application.pages import Pages
from services.orchestrator.application.reach import Reach
from services.orchestrator.application.tables import Tables
from services.orchestrator.domain.event_views import TableEvent
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.table_views import view_table
from services.orchestrator.domain.views import TableSummary, TableView
from services.orchestrator.domain.visibility import BLIND, Sight, Viewer, sight_of
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError, Reason

CARDS_SECONDS_MAX = 2.0
FRESH_SECONDS_MAX = 0.5
"""How long who looks waits for a table that is busy, before what is known of it will do."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The service ends the stream; resume after this version."""

    reason: Reason
    resume_after_version: int


Watched = TableView | TableEvent | Ended


class Watching:
    """The streams of all watchers of tables and of the lobby."""

    def __init__(self, tables: Tables, history: History, watchers_max: int, reach: Reach | None = None) -> None:
        """Watch these tables, while what others write to them is in reach."""
        self._tables = tables
        self._history = history
        self._pages = Pages(tables.world.log)
        self._watchers_max = watchers_max
        self._watchers = 0
        self._reach = reach or Reach()
        self._draining = False

    @property
    def count(self) -> int:
        """Streams that are open now."""
        return self._watchers

    def end_all(self) -> None:
        """The service stops: every stream ends with its last word."""
        self._draining = True
        self.look_again()

    def look_again(self) -> None:
        """Let every stream see whether it goes on."""
        for actor in self._tables.all_at_hand():
            actor.feed.bell.ring()
        self._tables.lobby.bell.ring()

    async def view(self, table_id: str, viewer: Viewer) -> TableView:
        """A table as it is."""
        self._reach.check()
        actor = await self._tables.actor(table_id)
        await actor.refresh(FRESH_SECONDS_MAX)
        await self._cards(actor, viewer)
        return _view(actor, viewer)

    async def watch(self, table_id: str, after_version: int | None, viewer: Viewer) -> AsyncGenerator[Watched, None]:
        """The stream of one watcher. CURSOR_OUT_OF_RANGE beyond the last event, LIMIT_REACHED with too many."""
        self._reach.check()
        actor = await self._tables.actor(table_id)
        await actor.refresh(FRESH_SECONDS_MAX)
        await self._cards(actor, viewer)
        _refuse_blind(actor, viewer)
        cursor = _cursor(actor, after_version)
        self._enter()
        bell = actor.feed.bell.listen()
        try:
            if after_version is None:
                view = _view(actor, viewer)
                cursor = view.version
                yield view
            async for event in self._missed(actor, cursor, viewer):
                cursor = event.version
                yield event
            async for item in self._live(actor, cursor, viewer, bell):
                yield item
        finally:
            actor.feed.bell.leave(bell)
            self._leave()

    async def _cards(self, actor: TableActor, viewer: Viewer) -> None:
        """Right after a start a player waits for the own cards, but not for long."""
        if not viewer.player_id or actor.cards_at_hand.is_set() or actor.table.closed:
            return
        with suppress(TimeoutError, ServiceAway):
            async with asyncio.timeout(CARDS_SECONDS_MAX):
                if self._tables.driven(actor.table_id):
                    await actor.cards_at_hand.wait()
                else:
                    async with actor.lock:
                        await actor.recall_cards()

    async def _live(
        self, actor: TableActor, cursor: int, viewer: Viewer, bell: asyncio.Event
    ) -> AsyncIterator[TableEvent | Ended]:
        """From the ring of the feed; whoever falls behind it, or is there when the service stops, is told so."""
        while (why := self._end()) is None:
            bell.clear()
            news = actor.feed.after(cursor)
            if news is None or (not news and cursor < actor.table.version):  # what came meanwhile is in the log only
                actor.world.witness.watcher_lost()
                yield Ended(Reason.LIMIT_REACHED, cursor)
                return
            if news:
                actor.world.witness.watcher_told(len(news))
            for happening in news:
                cursor = happening.recorded.version
                yield happening.shown_to(viewer)
            if not news:
                if actor.table.closed:
                    return
                await bell.wait()
        yield Ended(why, cursor)

    async def watch_lobby(self) -> AsyncGenerator[TableSummary | Ended, None]:
        """All open tables, then each one that changes."""
        lobby = self._tables.lobby
        self._enter()
        bell = lobby.bell.listen()
        cursor = 0
        try:
            while (why := self._end()) is None:
                bell.clear()
                news = lobby.after(cursor)
                if news is None:
                    self._tables.world.witness.watcher_lost()
                    yield Ended(Reason.LIMIT_REACHED, 0)
                    return
                for change, line in news:
                    cursor = change
                    yield line
                if not bell.is_set() and self._end() is None:
                    await bell.wait()
            yield Ended(why, 0)
        finally:
            lobby.bell.leave(bell)
            self._leave()

    async def _missed(self, actor: TableActor, cursor: int, viewer: Viewer) -> AsyncIterator[TableEvent]:
        """What the log has after the cursor, until the ring of the feed takes over."""
        sights = _Sights(self._history, actor, viewer)
        while cursor < actor.table.version and not actor.feed.after(cursor):
            for event in await self._pages.after(actor.table_id, cursor):
                cursor = event.recorded.version
                yield event.shown(await sights.of(event.recorded))

    def _end(self) -> Reason | None:
        """Why no stream goes on here; None while they do."""
        if self._draining:
            return Reason.DRAINING
        return Reason.DEPENDENCY_UNAVAILABLE if self._reach.lost else None

    def _enter(self) -> None:
        if self._draining:
            raise DomainError(Reason.DRAINING, "the service is stopping: ask another instance, or again")
        self._reach.check()
        if self._watchers >= self._watchers_max:
            message = f"{self._watchers_max} watchers are all this service takes: try again later"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "watchers_max"})
        self._watchers += 1
        self._tables.world.witness.watchers_changed(1)

    def _leave(self) -> None:
        self._watchers -= 1
        self._tables.world.witness.watchers_changed(-1)


class _Sights:
    """What one watcher sees of the hands that go by in the log, each looked up once."""

    def __init__(self, history: History, actor: TableActor, viewer: Viewer) -> None:
        self._history = history
        self._actor = actor
        self._viewer = viewer
        self._hand_id = ""
        self._sight = BLIND

    async def of(self, event: Recorded) -> Sight:
        """The sight of the hand that the event belongs to."""
        if not event.hand_id or not self._viewer.player_id:
            return BLIND
        hand = self._actor.table.hand
        cards = self._actor.down_cards
        if hand is not None and hand.hand_id == event.hand_id and (hand.in_play or cards):
            return sight_of(self._viewer, hand, cards)  # of a hand that was over when we started, none are at hand
        if event.hand_id != self._hand_id:
            played = await self._history.hand(event.hand_id)
            self._hand_id, self._sight = event.hand_id, await self._history.own_sight(played, self._viewer)
        return self._sight


def _refuse_blind(actor: TableActor, viewer: Viewer) -> None:
    """Refuse a stream to a player whose own cards are not known yet: it would hide them to its end."""
    hand = actor.table.hand
    if not actor.cards_at_hand.is_set() and hand is not None and hand.in_play and hand.has(viewer.player_id):
        raise ServiceAway("dealer")


def _view(actor: TableActor, viewer: Viewer) -> TableView:
    return view_table(actor.table, sight_of(viewer, actor.table.hand, actor.down_cards))


def _cursor(actor: TableActor, after_version: int | None) -> int:
    last = actor.table.version
    if after_version is not None and after_version > last:
        message = f"the table is at version {last}: resume from there or before"
        raise DomainError(Reason.CURSOR_OUT_OF_RANGE, message, {"last": str(last)})
    return last if after_version is None else after_version
