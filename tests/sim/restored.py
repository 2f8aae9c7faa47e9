"""Backups of one moment and databases of a later one, of a whole world: what does an orchestrator say at its start?"""

import asyncio
import sqlite3
from collections.abc import Mapping
from contextlib import closing, suppress
from dataclasses import dataclass, field
from itertools import combinations
from random import Random
from typing import Any, Final

from services.orchestrator.adapters.histories import RemoteHistories
from services.orchestrator.adapters.stored_marks import StoredMarks
from services.orchestrator.adapters.table_log import StoredTableLog
from services.orchestrator.application.apart import HistoriesApart
from services.orchestrator.application.histories import compare_all
from services.orchestrator.application.ledger_marks import keep_new
from services.orchestrator.ports import ServiceAway
from shared.kernel.caller import Caller, Role
from tests.sim.lines import open_line
from tests.sim.lives import whole
from tests.sim.nodes import DEALER, LEDGER, ORCHESTRATOR
from tests.sim.store import DiskHabits, SimDisk, SimStore
from tests.sim.world import World

STORED: Final = (ORCHESTRATOR, LEDGER, DEALER)
_BETWEEN_SECONDS: Final = 25.0
_SINCE_THE_LOOK_SECONDS: Final = (0.0, 0.3, 3.0, 10.0)
"""An orchestrator looks at the heads of the ledger's books every ten seconds."""
_CALL_SECONDS: Final = 5.0
Disks = Mapping[str, bytes]


@dataclass(frozen=True, slots=True)
class Restored:
    """One service at an earlier moment, the others at a later one; nobody, and both moments are one."""

    older: str
    told: str
    """What the orchestrator says; empty: nothing."""
    missing: bool
    """The older one lacks a hand that another has as dealt, played or booked."""


@dataclass(slots=True)
class Backups:
    """Takes them while a world lives, and restores them when it is over."""

    count: int
    restored: list[Restored] = field(default_factory=list[Restored])
    _taken: list[Disks] = field(default_factory=list[Disks])

    async def live(self, world: World) -> None:
        """The course of a world, to be given to ``live``."""
        world.spawn(self._take(world))
        await whole(world)
        world.directed = False
        world.judge.tables.clear()
        for node in world.nodes.values():
            node._nature.committed = lambda *_: None
        for backup in self._taken:
            await self._restore(world, "", backup, backup)
        for earlier, later in combinations(self._taken, 2):
            for older in STORED:
                await self._restore(world, older, earlier, later)

    async def _take(self, world: World) -> None:
        random = Random(f"backups {world.plan.seed}")
        while len(self._taken) < self.count:
            await asyncio.sleep(random.expovariate(1 / _BETWEEN_SECONDS))
            marks = StoredMarks(_store(world))
            with suppress(ServiceAway, HistoriesApart):
                await keep_new({each.book: each for each in await marks.all()}, marks, _others(world))
            await asyncio.sleep(random.choice(_SINCE_THE_LOOK_SECONDS))
            self._taken.append({name: _disk(world, name).connection.serialize() for name in STORED})

    async def _restore(self, world: World, older: str, earlier: Disks, later: Disks) -> None:
        for name in STORED:
            world.nodes[name].crash()
            _disk(world, name).connection.deserialize((earlier if name == older else later)[name])
        for name in (LEDGER, DEALER):
            world.nodes[name].start()
        await world.until(lambda: world.nodes[LEDGER].up and world.nodes[DEALER].up, "the restored start")
        store, told = _store(world), ""
        try:
            await compare_all(StoredTableLog(store), StoredMarks(store), _others(world))
        except HistoriesApart as apart:
            told = str(apart)
        self.restored.append(Restored(older, told, _is_missing(older, earlier, later)))


def _is_missing(older: str, earlier: Disks, later: Disks) -> bool:
    played, booked = (
        "SELECT hand_id FROM hands WHERE voided = 0",
        "SELECT 1 FROM ledger_journal WHERE kind = 'HAND_RECORDED'",
    )
    match older:
        case "dealer":
            return bool(_rows(later[ORCHESTRATOR], played) - _rows(earlier[DEALER], "SELECT hand_id FROM dealer_hands"))
        case "tournament_ledger":
            told = "SELECT 1 FROM events WHERE kind = 'HandBooked'"
            begun = "SELECT 1 FROM events WHERE kind = 'HandStarted'"
            sheets = "SELECT 1 FROM ledger_journal WHERE kind = 'SHEET_OPENED'"
            return _count(later[ORCHESTRATOR], told) > _count(earlier[LEDGER], booked) or (
                _count(later[ORCHESTRATOR], begun) > _count(earlier[LEDGER], sheets)
            )
        case "orchestrator":
            return _count(later[LEDGER], booked) > _count(earlier[ORCHESTRATOR], "SELECT 1 FROM hands")
        case _:
            return False


def _rows(disk: bytes, sql: str) -> set[tuple[Any, ...]]:
    return set(_all(disk, sql))


def _count(disk: bytes, sql: str) -> int:
    return len(_all(disk, sql))


def _all(disk: bytes, sql: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.deserialize(disk)
        return connection.execute(sql).fetchall()


def _disk(world: World, name: str) -> SimDisk:
    disk = world.nodes[name].disk
    assert disk is not None
    return disk


def _store(world: World) -> SimStore:
    return SimStore(_disk(world, ORCHESTRATOR), Random(1), DiskHabits())


def _others(world: World) -> RemoteHistories:
    def to(name: str) -> Any:
        return open_line(world.network, ORCHESTRATOR, name, Caller(Role.SERVICE, "orchestrator"), _CALL_SECONDS)

    return RemoteHistories(to(DEALER), to(LEDGER))
