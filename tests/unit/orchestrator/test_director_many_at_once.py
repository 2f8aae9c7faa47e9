"""Tables ask the director all at once, each in a task of its own, as they do in the process."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.tournament_log import StoredTournamentLog
from services.orchestrator.domain.booking import EntrantState
from services.orchestrator.domain.tournament_view import PlayState
from shared.kernel.rules import Break, Formula, LevelTrigger, RebuyTerms
from shared.kernel.rules.presets import PRESETS
from shared.storage.requests import RequestKey
from shared.storage.sqlite import SqliteStore, open_store
from tests.support.ledger_double import LedgerDouble
from tests.support.lots_double import LotsDouble
from tests.support.tournament_floor import Floor, FloorTable

PRESET = PRESETS["regulated_tournament"]
COMMAND = RequestKey("TournamentService", "00000000-0000-4000-8000-000000000001", b"d")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await open_store(str(tmp_path / "orchestrator.db"), "orchestrator", migrations)
    yield opened
    await opened.close()


class Slow:
    """Lets others run before and after every call, as the network does."""

    def __init__(self, port: object, chance: random.Random) -> None:
        self._port = port
        self._chance = chance

    def __getattr__(self, name: str) -> Any:
        method = getattr(self._port, name)

        async def call(*args: Any, **kwargs: Any) -> Any:
            for _ in range(self._chance.randint(0, 3)):
                await asyncio.sleep(0)
            answer = await method(*args, **kwargs)
            for _ in range(self._chance.randint(0, 3)):
                await asyncio.sleep(0)
            return answer

        return call


class BusyFloor(Floor):
    """A task for each table; time passes only where nobody has anything to do."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.busy: set[str] = set()

    async def drive(self) -> None:
        while not (self.tables and all(table.closed for table in self.tables.values())):
            for table in self.may_move():
                if table.table_id not in self.busy:
                    self.busy.add(table.table_id)
                    asyncio.get_running_loop().create_task(self._turn(table))
            if self.busy:
                await asyncio.sleep(0)
            elif not self.may_move():
                await self.step()

    async def _turn(self, table: FloorTable) -> None:
        try:
            await self._play(table)
        finally:
            self.busy.discard(table.table_id)


@pytest.mark.parametrize("seed", range(8))
async def test_tables_that_ask_at_once_play_one_tournament_to_its_end(store: SqliteStore, seed: int) -> None:
    chance = random.Random(seed)
    floor = BusyFloor(seed)
    ledger = LedgerDouble(floor.clock)
    rules = replace(
        PRESET,
        tournament=replace(
            PRESET.tournament,
            formula=Formula.MULTI_TABLE,
            level_trigger=LevelTrigger.HANDS,
            breaks=(Break(after_level=1, length_seconds=60), Break(after_level=2, length_seconds=60)),
            rebuy=RebuyTerms(max_count=1, last_level=2, window_seconds=30),
        ),
    )
    count = 10 + 7 * seed
    ledger.announce("t", rules, [f"p{each:03d}" for each in range(count)], seats_per_table=chance.choice([4, 6, 8]))
    house = floor.open(StoredTournamentLog(store), Slow(LotsDouble(seed), chance), Slow(ledger, chance))
    await house.commands.start("t", COMMAND)
    async with asyncio.timeout(60):
        await floor.drive()
    view = await house.commands.view("t")
    assert view.state is PlayState.FINISHED
    lines = ledger.lines["t"]
    assert lines[view.winner_player_id].state is EntrantState.WINNER
    assert lines[view.winner_player_id].chips == count * PRESET.tournament.starting_stack_chips
    assert ledger.hands == {table.table_id: table.hand_number for table in floor.tables.values() if table.hand_number}
