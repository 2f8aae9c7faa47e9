"""Players who enter, or enter again, while an answer is on its way: all of them get a seat, and play begins once."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest

from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.tournament_log import StoredTournamentLog
from services.orchestrator.domain.booking import (
    EntrantState,
    LedgerState,
    NumberedFact,
    PlayerEnteredLate,
    PlayerPlaced,
)
from shared.kernel.errors import DomainError
from shared.kernel.rules import Formula, LevelTrigger, NoShow, RebuyTerms, RuleSet
from shared.kernel.rules.presets import PRESETS
from shared.storage.requests import RequestKey
from shared.storage.sqlite import SqliteStore, open_store
from tests.support.faults import Killed
from tests.support.ledger_double import LedgerDouble
from tests.support.lots_double import LotsDouble
from tests.support.tournament_floor import Floor

PRESET = PRESETS["regulated_tournament"]
STACK = 1000
RULES = RuleSet(
    hand=PRESET.hand,
    clock=PRESET.clock,
    cash=PRESET.cash,
    tournament=replace(
        PRESET.tournament,
        formula=Formula.MULTI_TABLE,
        level_trigger=LevelTrigger.HANDS,
        starting_stack_chips=STACK,
        late_registration_last_level=3,
        re_entry_max_count=1,
        rebuy=RebuyTerms(max_count=1, last_level=2, window_seconds=30),
    ),
)


class LateLedger(LedgerDouble):
    """A ledger at which players enter after play began."""

    def enter(self, tournament_id: str, player_id: str) -> None:
        """With a full stack, and no seat yet."""
        self.register(tournament_id, player_id)
        line = self.lines[tournament_id][player_id]
        self.lines[tournament_id][player_id] = replace(line, state=EntrantState.PLAYING, chips=STACK)
        running = replace(self.tournaments[tournament_id], late_entries_open=True)
        self.tournaments[tournament_id] = running
        self._refresh(tournament_id)

    def place(self, tournament_id: str, player_id: str) -> PlayerPlaced:
        """The window of a player ended unused."""
        line = self.lines[tournament_id][player_id]
        placed = self._place(tournament_id, line, self.tournaments[tournament_id].players_left)
        self._refresh(tournament_id)
        return PlayerPlaced(player_id=player_id, place=placed.place, prize_minor=placed.prize_minor)


class House:
    """A director, its log and its ledger."""

    def __init__(self, store: SqliteStore, rules: RuleSet, players: list[str]) -> None:
        self.floor = Floor(1)
        self.log = StoredTournamentLog(store)
        self.lots = LotsDouble(1)
        self.ledger = LateLedger(self.floor.clock)
        self.ledger.announce("t", rules, players, seats_per_table=4)
        self.open()

    def open(self) -> None:
        """As after a start of the process."""
        self.house = self.floor.open(self.log, self.lots, self.ledger)

    async def start(self, number: int = 1) -> None:
        await self.house.commands.start("t", RequestKey("T", f"start {number}", b"d"))

    async def tell(self, fact: PlayerPlaced | PlayerEnteredLate) -> None:
        await self.house.follow.heard(NumberedFact(tournament_id="t", version=1, fact=fact))

    async def play_until_seated(self, player_id: str) -> None:
        for _ in range(12):
            await self.floor.step()
            if self.ledger.lines["t"][player_id].table_id:
                return
        raise AssertionError(f"{player_id} has paid and has no seat: {self.floor.picture()}")


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await open_store(str(tmp_path / "orchestrator.db"), "orchestrator", migrations)
    yield opened
    await opened.close()


async def test_a_start_that_was_cut_off_is_finished_though_somebody_entered_late_meanwhile(
    store: SqliteStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    at = House(store, RULES, ["ann", "bob", "cid"])

    async def dies(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patched:
        patched.setattr(StoredTournamentLog, "append", dies)
        with pytest.raises(Killed):
            await at.start()
    assert at.ledger.tournaments["t"].state is LedgerState.RUNNING
    at.ledger.enter("t", "dan")
    at.open()
    await at.start()
    seats = {each.player_id for each in (await at.house.commands.view("t")).seats}
    assert seats == {"ann", "bob", "cid"}
    await at.play_until_seated("dan")


async def test_who_enters_again_before_any_table_heard_of_the_exclusion_is_seated(store: SqliteStore) -> None:
    """The window for a rebuy ends unused while the table plays, and the player enters again at once."""
    at = House(store, RULES, ["ann", "bob", "cid", "dan"])
    await at.start()
    busted = await _bust(at)
    await at.tell(at.ledger.place("t", busted))
    at.ledger.enter("t", busted)
    await at.tell(PlayerEnteredLate(player_id=busted))
    await at.play_until_seated(busted)
    line = at.ledger.lines["t"][busted]
    seats = {each.player_id: (each.table_id, each.seat) for each in (await at.house.commands.view("t")).seats}
    assert seats[busted] == (line.table_id, line.seat)


async def _bust(at: House) -> str:
    """Play until somebody decides on a rebuy."""
    for _ in range(400):
        await at.floor.step()
        deciding = [each for each in at.ledger.lines["t"].values() if each.state is EntrantState.DECIDING]
        if deciding and all(table.booking is None for table in at.floor.tables.values()):
            return deciding[0].player_id
    raise AssertionError("nobody was excluded")


async def test_who_is_not_there_is_removed_at_each_attempt_to_start(store: SqliteStore) -> None:
    """Also who was removed by an attempt before, which found too few, and registered again."""
    at = House(store, replace(RULES, clock=replace(RULES.clock, no_show=NoShow.REMOVE)), ["ann", "bob"])
    gone = RequestKey("T", "gone", b"d")
    await at.house.commands.note_connection("t", "ann", gone, connected=False)
    with pytest.raises(DomainError, match="1 entrants"):
        await at.start()
    assert set(at.ledger.lines["t"]) == {"bob"}
    at.ledger.register("t", "ann")
    at.ledger.register("t", "cid")
    await at.start(2)
    assert set(at.ledger.lines["t"]) == {"bob", "cid"}
    assert {each.player_id for each in (await at.house.commands.view("t")).seats} == {"bob", "cid"}
