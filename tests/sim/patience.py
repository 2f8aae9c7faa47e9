"""Nothing stands still for long while everything is up, everybody can be reached and every answer is a sound one."""

import asyncio
from collections.abc import Hashable, Iterator
from typing import TYPE_CHECKING, Any, Final

from sevenstud.tournament_ledger.stored.v1 import records_pb2 as stored

from services.tournament_ledger.domain.tournament import EntrantState, TournamentState
from tests.sim.nodes import ORCHESTRATOR

if TYPE_CHECKING:
    from tests.sim.world import World

_LOOKS_SECONDS: Final = 5.0
_STILL_SECONDS: Final = 90.0
"""Of a table at which the server is to act, and of chips on their way to it."""
_TOURNAMENT_SECONDS: Final = 150.0
"""Without an event at any of its tables; a decision takes some 30."""
_UNSEATED_SECONDS: Final = 300.0
"""Of a player who has paid, and for whom the hands in play may have to end."""


class Patience:
    """Looks every few seconds at what waits, and for how long it has."""

    def __init__(self, world: "World") -> None:
        """Of this world."""
        self._world = world
        self._since: dict[Hashable, float] = {}

    async def watch(self) -> None:
        """Until the world ends."""
        sound_since = self._world.loop.time()
        while True:
            await asyncio.sleep(_LOOKS_SECONDS)
            if not self._sound():
                sound_since = self._world.loop.time()
                self._since.clear()
                continue
            self._tables(sound_since)
            self._waits(dict((*self._purchases(), *self._tournaments(), *self._unseated())))

    def _sound(self) -> bool:
        world = self._world
        return not (world.network.cut or world.network.sick) and all(node.up for node in world.nodes.values())

    def _tables(self, sound_since: float) -> None:
        world = self._world
        if world.loop.time() - sound_since <= _STILL_SECONDS:
            return
        for truth in world.judge.tables.values():
            idle = (world.loop.moment() - truth.events[-1].at).total_seconds()
            if truth.server_is_to_act and idle > _STILL_SECONDS:
                world.fail(f"{truth.table_id} stands still: the server is to act and does not")

    def _waits(self, waiting: dict[Hashable, tuple[float, str]]) -> None:
        """Each of these goes on in time; who does not wait any more, or waits for something new, waits anew."""
        now = self._world.loop.time()
        self._since = {each: self._since.get(each, now) for each in waiting}
        for each, (longest, what) in waiting.items():
            if now - self._since[each] > longest:
                self._world.fail(what)

    def _purchases(self) -> Iterator[tuple[Hashable, tuple[float, str]]]:
        """Chips on their way to a table that is between hands."""
        for table_id, request_id, player_id in self._rows(
            ORCHESTRATOR, "SELECT table_id, request_id, player_id FROM purchases ORDER BY 1, 2"
        ):
            truth = self._world.judge.tables.get(str(table_id))
            if truth is None or truth.table is None or not truth.table.busy:
                what = f"chips of {player_id} are on their way to {table_id} and do not arrive"
                yield ("purchase", request_id), (_STILL_SECONDS, what)

    def _tournaments(self) -> Iterator[tuple[Hashable, tuple[float, str]]]:
        """Tournaments that are played."""
        for (tournament_id,) in self._running():
            tables = [each.table for each in self._world.judge.tables.values() if each.table is not None]
            version = sum(each.version for each in tables if each.tournament_id == tournament_id)
            yield (tournament_id, version), (_TOURNAMENT_SECONDS, f"{tournament_id} stands still, and is not over")

    def _unseated(self) -> Iterator[tuple[Hashable, tuple[float, str]]]:
        """Players of a running tournament who have no seat."""
        for (tournament_id,) in self._running():
            entrants = "SELECT record FROM ledger_entrants WHERE tournament_id = ? ORDER BY player_id"
            for (record,) in self._world.judge.ledger.disk.read(entrants, (tournament_id,)):
                assert isinstance(record, bytes)
                entrant = stored.Entrant.FromString(record)
                if entrant.state == EntrantState.PLAYING.name and not entrant.table_id:
                    what = f"{entrant.player_id} has paid for {tournament_id} and gets no seat"
                    yield (tournament_id, entrant.player_id), (_UNSEATED_SECONDS, what)

    def _running(self) -> Any:
        if not self._world.directed:
            return ()
        running = "SELECT tournament_id FROM ledger_tournaments WHERE state = ? ORDER BY 1"
        return self._world.judge.ledger.disk.read(running, (TournamentState.RUNNING.name,))

    def _rows(self, node: str, sql: str) -> Any:
        disk = self._world.nodes[node].disk
        assert disk is not None
        return disk.read(sql)
