"""Several orchestrators on one database: each takes the tables that should be its own, and hears what others wrote.

Hints come at once and may be lost; a look at all open tables comes every second and misses nothing.
"""

import asyncio
from collections.abc import Awaitable, Collection, Iterable
from typing import Final, Protocol

from services.orchestrator.application.shares import Shares, subject_of
from services.orchestrator.application.table_log import TableLine
from services.orchestrator.application.tables import Tables
from services.orchestrator.domain.table_views import summarise

LOOK_SECONDS: Final = 1.0
TABLE: Final = "table/"
TOURNAMENT: Final = "tournament/"
MEETINGS_MAX: Final = 1000
AT_ONCE: Final = 16


def subject_of_line(line: TableLine) -> str:
    """What the table is owned with."""
    summary = line.summary
    return f"{TOURNAMENT}{summary.tournament_id}" if summary.tournament_id else f"{TABLE}{line.table_id}"


class Tournaments(Protocol):
    """What tournaments do about other processes; see tournament_follow.py."""

    async def wrote(self, tournament_id: str) -> None:
        """Another process may have written to it."""
        ...

    def in_play(self) -> Collection[str]:
        """Those at hand that are not over, as far as is known here."""
        ...

    def look_again(self) -> None:
        """Another process came or went."""
        ...


class Replication:
    """Keeps the tables of this process in step with those of the others."""

    def __init__(self, tables: Tables, changed: asyncio.Event, tournaments: Tournaments) -> None:
        """Of these tables and tournaments; ``changed`` is set when another process came or went."""
        self._tables = tables
        self._shares: Shares = tables.world.shares
        self._changed = changed
        self._tournaments = tournaments
        self._running: set[str] = set()
        self._meeting: dict[str, asyncio.Task[None]] = {}
        self._hinted: set[str] = set()
        self._missing: set[str] = set()
        """Tables of ours that were not open at the last look."""
        self._strangers: set[str] = set()
        """Open tables that are in the lobby and not at hand."""

    def hint(self, topic: str) -> None:
        """Another process, or this one, wrote to something; "" where that may have been missed."""
        if len(self._hinted) >= MEETINGS_MAX:
            return
        self._hinted.add(topic)
        if topic not in self._meeting:
            task = asyncio.create_task(self._heard(topic), name=f"hint {topic}")
            self._meeting[topic] = task
            task.add_done_callback(lambda _: self._meeting.pop(topic, None))

    async def run(self) -> None:
        """Look for ever; at once when somebody came or went. Cancel it to stop."""
        while True:
            self._changed.clear()
            try:
                await self.look()
            except Exception as fault:  # noqa: BLE001  # the next look finds what this one missed
                self._tables.world.witness.step_failed("Look", "", fault)
            try:
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._changed.wait()
            except TimeoutError:
                continue
            self._tournaments.look_again()

    async def look(self) -> None:
        """Every open table once."""
        self._strangers |= set(self._tables.let_go())
        lines = await self._tables.world.log.lines()
        subjects = {subject_of_line(line) for line in lines}
        await self._own(subjects)
        await self._forget_closed(subjects)
        await _some_at_once(self._look_at(line) for line in lines)
        open_now = {line.table_id for line in lines}
        for actor in self._tables.all_at_hand():
            if actor.table_id not in open_now and not actor.table.closed:
                await self._tables.meet(actor.table_id)
        await _some_at_once(self._show_closed(gone) for gone in sorted(self._strangers - open_now))
        self._strangers &= open_now
        for tournament_id in sorted(self._running.union(self._tournaments.in_play())):
            await self._follow(f"{TOURNAMENT}{tournament_id}")  # its last event too, when it has no open table any more

    async def _own(self, subjects: set[str]) -> None:
        """Take what should be ours and let go of what should not, once none of its tables is driven here any more."""
        self._running = {each.removeprefix(TOURNAMENT) for each in subjects if each.startswith(TOURNAMENT)}
        everything = self._tables.all_at_hand()
        driven = {subject_of(actor.table) for actor in everything if self._tables.driven(actor.table_id)}
        await _some_at_once(self._own_one(subject, driven=subject in driven) for subject in sorted(subjects))

    async def _own_one(self, subject: str, *, driven: bool) -> None:
        if not self._shares.mine(subject) and not driven:
            await self._shares.leave_to_others(subject)
            await self._shares.take(subject)

    async def _forget_closed(self, subjects: set[str]) -> None:
        """Whose a closed cash table was is not kept: one that is missing twice was not opened while we looked."""
        missing = {each for each in self._shares.owned if each.startswith(TABLE)} - subjects
        await _some_at_once(self._shares.over(each) for each in sorted(missing & self._missing))
        self._missing = missing

    async def _look_at(self, line: TableLine) -> None:
        try:
            await self._meet(line)
        except Exception as fault:  # noqa: BLE001  # one table that cannot be read holds up no other
            self._tables.world.witness.step_failed("Look", line.table_id, fault)

    async def _meet(self, line: TableLine) -> None:
        tables, mine = self._tables, self._shares.mine(subject_of_line(line))
        actor = tables.at_hand(line.table_id)
        if actor is None and not mine:
            self._strangers.add(line.table_id)
            tables.lobby.put(line.summary)
            return
        self._strangers.discard(line.table_id)
        actor = actor or await tables.actor(line.table_id)
        if actor.table.version != line.version:  # where it is less, the database may have gone back
            await tables.meet(line.table_id)
        if mine and not tables.driven(line.table_id):
            await tables.take(line.table_id)
        elif not mine or line.chips_under_way:
            actor.poke()  # its task ends between two steps; or finds out what became of a purchase begun elsewhere

    async def _show_closed(self, table_id: str) -> None:
        """Who watches the lobby here is shown that a table was closed elsewhere."""
        try:
            actor = await self._tables.actor(table_id)
        except Exception as fault:  # noqa: BLE001  # as in _look_at
            self._tables.world.witness.step_failed("Look", table_id, fault)
        else:
            self._tables.lobby.put(summarise(actor.table))
        self._tables.lobby.forget(table_id)

    async def _heard(self, topic: str) -> None:
        while topic in self._hinted:  # one that comes while the last one is looked at counts too
            self._hinted.discard(topic)
            await self._follow(topic)

    async def _follow(self, topic: str) -> None:
        try:
            if not topic:
                self._changed.set()
            elif topic.startswith(TABLE):
                table_id = topic.removeprefix(TABLE)
                if self._tables.at_hand(table_id) is None and table_id not in self._strangers:
                    self._changed.set()  # a new one
                await self._tables.meet(table_id)
            elif topic.startswith(TOURNAMENT):
                await self._tournaments.wrote(topic.removeprefix(TOURNAMENT))
        except Exception as fault:  # noqa: BLE001  # the next look finds it
            self._tables.world.witness.step_failed("Hint", "", fault)


async def _some_at_once(works: Iterable[Awaitable[None]]) -> None:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(work: Awaitable[None]) -> None:
        async with gate:
            await work

    await asyncio.gather(*(one(each) for each in works))
