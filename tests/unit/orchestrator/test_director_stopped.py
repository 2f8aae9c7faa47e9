"""A director that is stopped (SIGSTOP) in the middle of a step, and wakes when another process directs."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.tournament_log import StoredTournamentLog
from services.orchestrator.application.shares import Alone
from services.orchestrator.domain.sheet import SheetState
from shared.kernel.rules import Formula, RuleSet
from shared.kernel.rules.presets import PRESETS
from shared.storage.database import WriteConflict
from shared.storage.requests import RequestKey
from shared.storage.sqlite import SqliteStore, open_store
from tests.support.ledger_double import LedgerDouble
from tests.support.lots_double import LotsDouble
from tests.support.tournament_floor import Floor

PRESET = PRESETS["regulated_tournament"]
COMMAND = RequestKey("TournamentService", "00000000-0000-4000-8000-000000000001", b"d")
RULES = RuleSet(
    hand=PRESET.hand,
    clock=PRESET.clock,
    cash=PRESET.cash,
    tournament=replace(PRESET.tournament, formula=Formula.MULTI_TABLE),
)
STOPPED_BEFORE = ("record_move", "open_sheet", "record_director")
ENTRANTS = 16


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await open_store(str(tmp_path / "orchestrator.db"), "orchestrator", migrations)
    yield opened
    await opened.close()


class Owner:
    """Who owns the tournament by now, and for the how manyth time."""

    name, epoch = "one", 1

    def taken_by(self, name: str) -> None:
        self.name, self.epoch = name, self.epoch + 1


class Process(Alone):
    """What one of several processes knows of it."""

    shared = True
    alone = False

    def __init__(self, name: str, owner: Owner) -> None:
        self._name = name
        self._owner = owner

    def term(self, subject: str) -> str | None:
        return f"{self._name}.{self._owner.epoch}" if subject and self._owner.name == self._name else None

    def mine(self, subject: str) -> bool:
        return self.term(subject) is not None


class Stopped:
    """The ledger as a process asks it that is stopped right before one of its calls, once it has made so many."""

    def __init__(self, ledger: LedgerDouble, call: str, after: int = 0) -> None:
        self._ledger = ledger
        self._call = call
        self._left = after
        self.stands_still, self.goes_on = asyncio.Event(), asyncio.Event()

    def __getattr__(self, name: str) -> Any:
        return self._asked if name == self._call else getattr(self._ledger, name)

    async def _asked(self, *args: Any) -> Any:
        self._left -= 1
        if self._left < 0 and not self.goes_on.is_set():
            self.stands_still.set()
            await self.goes_on.wait()
        return await getattr(self._ledger, self._call)(*args)


class TwoProcesses:
    """Two directors of one tournament, on one log and one ledger; ``floor`` plays with whoever owns it."""

    def __init__(self, store: SqliteStore, seed: int, call: str, after: int) -> None:
        self.owner = Owner()
        self.floor = Floor(seed)
        self.ledger = LedgerDouble(self.floor.clock)
        self.log, self.lots = StoredTournamentLog(store), LotsDouble(seed)
        self.ledger.announce("t", RULES, [f"p{each:02d}" for each in range(ENTRANTS)], seats_per_table=4)
        self.stopped = Stopped(self.ledger, call, after)
        self.first = self.floor.open(self.log, self.lots, self.stopped, Process("one", self.owner))
        self.second = self.floor.open(self.log, self.lots, self.ledger, Process("two", self.owner))

    async def until_the_first_stands_still(self) -> "asyncio.Task[None] | None":
        """Its last step, which goes on when it wakes; None where it never came to the call."""
        self.floor.house = self.first
        await self.first.commands.start("t", COMMAND)
        for _ in range(2000):
            if self.over():
                return None
            step = asyncio.ensure_future(self.floor.step())
            still = asyncio.ensure_future(self.stopped.stands_still.wait())
            await asyncio.wait({step, still}, return_when=asyncio.FIRST_COMPLETED)
            still.cancel()
            if not step.done():
                return step
            step.result()
        raise AssertionError("the tournament never ends")

    def taken_over(self, name: str) -> None:
        self.owner.taken_by(name)
        self.floor.house = self.first if name == "one" else self.second
        for table in self.floor.tables.values():
            table.waits = False

    async def the_first_wakes(self, step: "asyncio.Task[None]") -> None:
        self.stopped.goes_on.set()
        with suppress(WriteConflict):
            await step

    def over(self) -> bool:
        return all(table.closed for table in self.floor.tables.values())

    async def seats_agree(self) -> None:
        """Whoever sits somewhere for the log sits there for the ledger."""
        state = await self.second.books.state("t")
        lines = self.ledger.lines["t"]
        for player in state.players.values():
            assert (player.table_id, player.seat) == (lines[player.player_id].table_id, lines[player.player_id].seat)


@pytest.mark.parametrize("call", STOPPED_BEFORE)
@pytest.mark.parametrize("seed", [3, 5, 7])
async def test_what_a_stopped_director_was_about_to_do_is_not_done_after_another_took_over(
    store: SqliteStore, seed: int, call: str
) -> None:
    both = TwoProcesses(store, seed, call, after=0 if call == "record_move" else seed % 3)
    step = await both.until_the_first_stands_still()
    assert step is not None or call == "record_director"  # which is not asked a third time
    both.taken_over("two")
    for _ in range(both.floor.random.randint(1, 12)):  # some hands are begun, some are booked
        if not both.over():
            await both.floor.step()
    moves, hands = list(both.ledger.moves), dict(both.ledger.hands)
    if step is not None:
        await both.the_first_wakes(step)
    assert (both.ledger.moves, both.ledger.hands) == (moves, hands)
    await both.seats_agree()
    while not both.over():
        await both.floor.step()
    assert (
        sum(line.chips for line in both.ledger.lines["t"].values()) == ENTRANTS * RULES.tournament.starting_stack_chips
    )


@pytest.mark.parametrize("seed", range(3))
async def test_who_directs_again_asks_the_tables_anew_which_of_them_play(store: SqliteStore, seed: int) -> None:
    """A hand that it knew of was booked by another process, and others were begun there."""
    both = TwoProcesses(store, seed, "nothing", 0)
    both.floor.house = both.first
    await both.first.commands.start("t", COMMAND)
    for name in ("two", "one", "two", "one"):
        for _ in range(both.floor.random.randint(5, 15)):
            await both.floor.step()
        both.taken_over(name)
    while not (asking := [each for each in both.floor.may_move() if each.sheet is None and each.booking is None]):
        await both.floor.step()
    director = both.first.director
    sheet = await director.open_sheet("t", asking[0].table_id, asking[0].hand_number + 1)
    dealt = {asking[0].table_id} if sheet.state is SheetState.GO_ON else set[str]()
    busy = {each for each in both.floor.tables if await both.floor.hand_in_progress(each)}
    assert both.first.books.floor("t").playing == busy | dealt
