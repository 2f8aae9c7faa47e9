"""Killed anywhere, or left without an answer anywhere, the director goes on and nothing is lost or done twice."""

import random
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest

from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.tournament_log import StoredTournamentLog
from services.orchestrator.domain.booking import EntrantState, LedgerState
from services.orchestrator.domain.tournament_facts import HandPlayed, PlayerOut, TournamentEnded
from services.orchestrator.domain.tournament_view import PlayState
from services.orchestrator.ports import ServiceAway, TournamentLog
from shared.kernel.errors import DomainError
from shared.kernel.rules import Break, Formula, LevelTrigger, RebuyTerms, RuleSet
from shared.kernel.rules.presets import PRESETS
from shared.storage.requests import RequestKey
from shared.storage.sqlite import SqliteStore, open_store
from tests.support.faults import Faulty, Killed, away, killed
from tests.support.ledger_double import LedgerDouble
from tests.support.lots_double import LotsDouble
from tests.support.tournament_floor import Floor

PRESET = PRESETS["regulated_tournament"]
COMMAND = RequestKey("TournamentService", "00000000-0000-4000-8000-000000000001", b"d")
RULES = RuleSet(
    hand=PRESET.hand,
    clock=PRESET.clock,
    cash=PRESET.cash,
    tournament=replace(
        PRESET.tournament,
        level_trigger=LevelTrigger.FIRST_OF_BOTH,
        formula=Formula.MULTI_TABLE,
        breaks=(Break(after_level=1, length_seconds=60), Break(after_level=3, length_seconds=60)),
        rebuy=RebuyTerms(max_count=1, last_level=2, window_seconds=30),
    ),
)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await open_store(str(tmp_path / "orchestrator.db"), "orchestrator", migrations)
    yield opened
    await opened.close()


class Ordeal:
    """A tournament whose director has a hard time."""

    def __init__(self, store: SqliteStore, seed: int, entrants: int) -> None:
        self.chance = random.Random(seed)
        self.entrants = entrants
        self.store = store
        self.floor = Floor(seed)
        self.ledger = LedgerDouble(self.floor.clock)
        self.lots = LotsDouble(seed)
        self.ledger.announce("t", RULES, [f"p{each:03d}" for each in range(entrants)])

    def open(self, share: float, fault: Callable[[], BaseException]) -> tuple[Faulty, ...]:
        """A director whose ports fail."""
        ports = tuple(
            Faulty(port, self.chance, share, fault)
            for port in (StoredTournamentLog(self.store), self.lots, self.ledger)
        )
        self.floor.open(cast("TournamentLog", ports[0]), ports[1], ports[2])
        for table in self.floor.tables.values():
            table.waits = False
        return ports

    async def start(self) -> None:
        assert self.floor.house is not None
        await self.floor.house.commands.start("t", COMMAND)

    async def recover(self) -> None:
        assert self.floor.house is not None
        await self.floor.house.follow.look()

    def over(self) -> bool:
        tables = self.floor.tables.values()
        return bool(tables) and all(table.closed for table in tables)

    async def check(self) -> None:
        """What must be true at the end of every tournament."""
        lines = self.ledger.lines["t"]
        self.floor.open(StoredTournamentLog(self.store), self.lots, self.ledger)
        assert self.floor.house is not None
        view = await self.floor.house.commands.view("t")
        assert view.state is PlayState.FINISHED
        assert self.ledger.tournaments["t"].state is LedgerState.FINISHED
        assert lines[view.winner_player_id].state is EntrantState.WINNER
        assert sum(line.chips for line in lines.values()) == self.entrants * RULES.tournament.starting_stack_chips
        events = [each.event for each in await StoredTournamentLog(self.store).read("t")]
        placed = {each.player_id: each.place for each in events if isinstance(each, PlayerOut)}
        assert placed == {player_id: line.place for player_id, line in lines.items()}
        assert max(Counter(each.player_id for each in events if isinstance(each, PlayerOut)).values()) == 1
        assert sum(isinstance(each, TournamentEnded) for each in events) == 1
        hands = Counter(each.table_id for each in events if isinstance(each, HandPlayed))
        numbers = {table.table_id: table.hand_number for table in self.floor.tables.values()}
        assert all(hands[table_id] <= number for table_id, number in numbers.items())
        assert self.ledger.hands == {table_id: number for table_id, number in numbers.items() if number}


@pytest.mark.parametrize("seed", range(12))
async def test_a_director_killed_again_and_again_finishes_the_tournament(store: SqliteStore, seed: int) -> None:
    ordeal = Ordeal(store, seed, 9 + seed * 2)
    kills = 0
    ports = ordeal.open(0.06, killed)
    started = False
    for _ in range(30_000):
        try:
            if not started:
                await ordeal.start()
                started = True
            elif ordeal.over():
                break
            else:
                await ordeal.floor.step()
        except Killed:
            kills += 1
            ports = await _restart(ordeal)  # whoever asked for the start and got no answer asks again
    assert kills > 3
    assert ports
    assert ordeal.over(), ordeal.floor.picture()
    await ordeal.check()


@pytest.mark.parametrize("dies_after", ["note_start", "start_play"])
async def test_a_start_that_was_cut_off_and_finished_by_itself_is_answered_when_it_is_asked_for_again(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch, dies_after: str
) -> None:
    ordeal = Ordeal(store, 1, 9)
    ordeal.open(0, killed)
    port = StoredTournamentLog if dies_after == "note_start" else LedgerDouble
    real = getattr(port, dies_after)

    async def dies(*arguments: object) -> None:
        await real(*arguments)
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(port, dies_after, dies)
        with pytest.raises(Killed):
            await ordeal.start()
    ordeal.open(0, killed)
    await ordeal.recover()
    await ordeal.start()
    assert ordeal.floor.tables
    assert ordeal.floor.house is not None
    other = RequestKey("TournamentService", "00000000-0000-4000-8000-000000000002", b"d")
    with pytest.raises(DomainError, match="RUNNING"):
        await ordeal.floor.house.commands.start("t", other)


async def _restart(ordeal: Ordeal) -> tuple[Faulty, ...]:
    """Up again, and killed again while coming up, until it holds."""
    while True:
        ports = ordeal.open(0.06, killed)
        try:
            await ordeal.recover()
        except Killed:
            continue
        return ports


@pytest.mark.parametrize("seed", range(12))
async def test_answers_that_are_lost_are_asked_for_again(store: SqliteStore, seed: int) -> None:
    ordeal = Ordeal(store, 100 + seed, 9 + seed * 2)
    ports = ordeal.open(0.15, away)
    for _ in range(100):
        try:
            await ordeal.start()
            break
        except ServiceAway:
            continue
    for _ in range(30_000):
        if ordeal.over():
            break
        await ordeal.floor.step()
    assert sum(port.faults for port in ports) > 3
    assert ordeal.over(), ordeal.floor.picture()
    await ordeal.check()
