"""Telling watchers: a ring of the newest events a table, and a place in it for every watcher.

Watchers never hold up a table: a publication only rings a bell. Who was away for longer than the ring is long, while
watching, is told where to resume; who resumes reads the log first.
"""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from itertools import takewhile

from services.orchestrator.application.shown import ShownEvent
from services.orchestrator.domain.event_views import TableEvent
from services.orchestrator.domain.hand import Hand
from services.orchestrator.domain.views import TableSummary
from services.orchestrator.domain.visibility import DownCards, Viewer, no_cards, sight_of

RING_EVENTS = 512
CLOSED_LINES = 256
"""Closed tables that the lobby remembers for watchers who have not been told yet."""


@dataclass(slots=True)
class Happening(ShownEvent):
    """An event with what is needed to show it to anybody: the hand it belongs to, as it began, and its down cards."""

    hand: Hand | None = None
    down_cards: DownCards = field(default_factory=no_cards)

    def shown_to(self, viewer: Viewer) -> TableEvent:
        """The event as a viewer may see it."""
        return self.shown(sight_of(viewer, self.hand, self.down_cards))


class Bell:
    """Rung for everybody who waits; a ring between two waits is not missed."""

    def __init__(self) -> None:
        """Nobody waits."""
        self._waiting: dict[asyncio.Event, None] = {}
        """In the order in which they came, so that a simulated world runs the same every time."""

    @property
    def heard(self) -> bool:
        """Does anybody wait for it?"""
        return bool(self._waiting)

    def ring(self) -> None:
        """Wake everybody."""
        for event in self._waiting:
            event.set()

    def listen(self) -> asyncio.Event:
        """Hear it from now on; give the event back with ``leave``."""
        event = asyncio.Event()
        self._waiting[event] = None
        return event

    def leave(self, event: asyncio.Event) -> None:
        """Hear it no more."""
        self._waiting.pop(event, None)


class Feed:
    """The newest events of one table."""

    def __init__(self) -> None:
        """Start with none."""
        self.bell = Bell()
        self._ring: deque[Happening] = deque(maxlen=RING_EVENTS)

    def publish(self, happenings: tuple[Happening, ...]) -> None:
        """These events are in the log: tell whoever watches."""
        self._ring.extend(happenings)
        self.bell.ring()

    def skip(self) -> None:
        """What came meanwhile is in the log only: whoever is behind resumes there."""
        self._ring.clear()
        self.bell.ring()

    def after(self, version: int) -> tuple[Happening, ...] | None:
        """What came after a version; None where the ring does not reach back that far."""
        if not self._ring or self._ring[-1].recorded.version <= version:
            return ()
        first = self._ring[0].recorded.version
        if first > version + 1:
            return None
        return tuple(self._ring[at] for at in range(version + 1 - first, len(self._ring)))


class Lobby:
    """The line of every table with the number of its last change: a slow reader sees the newest line only."""

    def __init__(self) -> None:
        """Start with none."""
        self.bell = Bell()
        self._changes = 0
        self._lines: dict[str, tuple[int, TableSummary]] = {}
        self._closed: deque[tuple[int, TableSummary]] = deque()
        self._forgotten = 0
        """The newest change that is not remembered any more."""

    def put(self, line: TableSummary) -> None:
        """A table is new or has changed; nothing happens where the line is the same."""
        known = self._lines.get(line.table_id)
        if known is not None:
            if known[1] == line:
                return
            del self._lines[line.table_id]  # so that they stand in the order of their changes
        self._changes += 1
        self._lines[line.table_id] = (self._changes, line)
        self.bell.ring()

    def forget(self, table_id: str) -> None:
        """The table is closed: who watches is shown so, who comes later is not."""
        line = self._lines.pop(table_id, None)
        if line is not None:
            self._closed.append(line)
        if len(self._closed) > CLOSED_LINES:
            self._forgotten = max(self._forgotten, self._closed.popleft()[0])

    def after(self, change: int) -> list[tuple[int, TableSummary]] | None:
        """Lines that changed after this change, in the order of their changes; 0: those of all open tables.

        None where one of them is not remembered any more: whoever is so far behind begins anew.
        """
        if change and change < self._forgotten:
            return None
        news = list(takewhile(lambda entry: entry[0] > change, reversed(self._lines.values())))  # looks at no others
        news += [entry for entry in self._closed if change and entry[0] > change]
        return sorted(news, key=lambda entry: entry[0])
