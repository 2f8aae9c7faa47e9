"""Tournaments start when they are due or full, and what happens at the ledger reaches the tables."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.tournament_log import StoredTournamentLog
from services.orchestrator.domain.booking import (
    ChipsPurchased,
    EntrantState,
    LedgerFact,
    LedgerState,
    NumberedFact,
    PlayerPlaced,
    PlayerRegistered,
    SeatAssignment,
    StartKind,
    TournamentAnnounced,
    TournamentCancelled,
)
from services.orchestrator.domain.tournament_facts import PlayerOut
from services.orchestrator.domain.tournament_view import PlayState
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError
from shared.kernel.rules import LevelTrigger
from shared.kernel.rules.presets import PRESETS
from shared.storage.requests import RequestKey
from shared.storage.sqlite import SqliteStore, open_store
from tests.support.ledger_double import LedgerDouble
from tests.support.lots_double import LotsDouble
from tests.support.tournament_floor import Floor, VirtualClock

PRESET = PRESETS["regulated_tournament"]
RULES = replace(PRESET, tournament=replace(PRESET.tournament, level_trigger=LevelTrigger.HANDS))


class WaitingClock(VirtualClock):
    """Time that stands still until a test moves it, and sleepers that notice."""

    def __init__(self) -> None:
        super().__init__()
        self._moved = asyncio.Event()

    async def sleep_until(self, moment: datetime) -> None:
        while self.moment < moment:
            await self._moved.wait()

    async def pass_by(self, seconds: float) -> None:
        self.moment += timedelta(seconds=seconds)
        moved, self._moved = self._moved, asyncio.Event()
        moved.set()
        await settled()


async def settled() -> None:
    """Let everything that can happen now happen; the log writes in a thread of its own."""
    for _ in range(20):
        await asyncio.sleep(0.005)


class TalkingLedger(LedgerDouble):
    """A ledger that tells its facts, and may be away."""

    def listen(self) -> None:
        self.facts: asyncio.Queue[NumberedFact] = asyncio.Queue()
        self.away = False
        self.enters_late: list[str] = []
        self.cancels_arrive = asyncio.Event()
        self.cancels_arrive.set()

    def tell(self, tournament_id: str, fact: LedgerFact) -> None:
        self.facts.put_nowait(NumberedFact(tournament_id=tournament_id, version=1, fact=fact))

    async def start_play(self, tournament_id: str, seats: Sequence[SeatAssignment], draw_id: str) -> LedgerState:
        if self.enters_late:
            self.register(tournament_id, self.enters_late.pop())
        return await super().start_play(tournament_id, seats, draw_id)

    async def cancel_tournament(self, tournament_id: str, cause: str, version: int) -> None:
        await self.cancels_arrive.wait()
        await super().cancel_tournament(tournament_id, cause, version)

    async def watch(self, tournament_id: str, after_version: int) -> AsyncIterator[NumberedFact]:
        assert (tournament_id, after_version) == ("", 0)
        while True:
            if self.away:
                raise ServiceAway("tournament_ledger")
            yield await self.facts.get()


class Following:
    """A house that follows its ledger."""

    def __init__(self, store: SqliteStore) -> None:
        self.clock = WaitingClock()
        self.floor = Floor(1)
        self.floor.clock = self.clock
        self.ledger = TalkingLedger(self.clock)
        self.ledger.listen()
        self.house = self.floor.open(StoredTournamentLog(store), LotsDouble(1), self.ledger)

    async def state(self, tournament_id: str) -> PlayState | None:
        try:
            return (await self.house.commands.view(tournament_id)).state
        except DomainError:
            return None


@pytest.fixture
async def at(tmp_path: Path) -> AsyncIterator[Following]:
    store = await open_store(str(tmp_path / "orchestrator.db"), "orchestrator", migrations)
    following = Following(store)
    task = asyncio.create_task(following.house.follow.run())
    await settled()
    yield following
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    await store.close()


async def test_a_sit_and_go_starts_with_its_last_place_taken(at: Following) -> None:
    at.ledger.announce("sng", RULES, ["a", "b"], start=StartKind.SIT_AND_GO, entrants_max=3)
    at.ledger.tell("sng", TournamentAnnounced(tournament=await at.ledger.get_tournament("sng")))
    at.ledger.tell("sng", PlayerRegistered(player_id="b", entrants=2))
    await settled()
    assert await at.state("sng") is None
    at.ledger.tell("sng", PlayerRegistered(player_id="c", entrants=at.ledger.register("sng", "c")))
    await settled()
    assert await at.state("sng") is PlayState.PLAYING


async def test_a_scheduled_tournament_starts_at_its_time(at: Following) -> None:
    starts_at = at.clock.now() + timedelta(seconds=90)
    at.ledger.announce("late", RULES, ["a", "b"], start=StartKind.SCHEDULED, starts_at=starts_at)
    at.ledger.tell("late", TournamentAnnounced(tournament=await at.ledger.get_tournament("late")))
    await settled()
    await at.clock.pass_by(89)
    assert await at.state("late") is None
    await at.clock.pass_by(1)
    assert await at.state("late") is PlayState.PLAYING


async def test_a_scheduled_tournament_with_too_few_entrants_is_cancelled_at_its_time(at: Following) -> None:
    starts_at = at.clock.now() + timedelta(seconds=10)
    at.ledger.announce("few", RULES, ["a", "b"], start=StartKind.SCHEDULED, starts_at=starts_at, entrants_min=3)
    at.ledger.tell("few", TournamentAnnounced(tournament=await at.ledger.get_tournament("few")))
    await settled()
    await at.clock.pass_by(11)
    assert at.ledger.tournaments["few"].state is LedgerState.CANCELLED
    assert await at.state("few") is None


async def test_nobody_calls_off_what_began_meanwhile_because_too_few_had_entered_before(at: Following) -> None:
    """The director stands still for a while between its look and its word; another one starts in the meantime."""
    starts_at = at.clock.now() + timedelta(seconds=10)
    at.ledger.announce("few", RULES, ["a", "b"], start=StartKind.SCHEDULED, starts_at=starts_at, entrants_min=3)
    at.ledger.tell("few", TournamentAnnounced(tournament=await at.ledger.get_tournament("few")))
    at.ledger.cancels_arrive.clear()
    await settled()
    await at.clock.pass_by(11)
    at.ledger.register("few", "c")
    await at.house.commands.start("few", RequestKey("T", "start", b"d"))
    at.ledger.cancels_arrive.set()
    await at.clock.pass_by(1)
    assert at.ledger.tournaments["few"].state is LedgerState.RUNNING
    assert await at.state("few") is PlayState.PLAYING


async def test_who_enters_at_the_last_moment_is_enough(at: Following) -> None:
    starts_at = at.clock.now() + timedelta(seconds=10)
    at.ledger.announce("few", RULES, ["a", "b"], start=StartKind.SCHEDULED, starts_at=starts_at, entrants_min=3)
    at.ledger.tell("few", TournamentAnnounced(tournament=await at.ledger.get_tournament("few")))
    at.ledger.cancels_arrive.clear()
    await settled()
    await at.clock.pass_by(11)
    at.ledger.register("few", "c")
    at.ledger.cancels_arrive.set()
    await at.clock.pass_by(1)
    assert await at.state("few") is PlayState.PLAYING


async def test_who_enters_while_the_lots_are_drawn_is_seated_too(at: Following) -> None:
    at.ledger.announce("gala", RULES, ["a", "b"], start=StartKind.ON_COMMAND, entrants_max=9)
    at.ledger.enters_late = ["c", "d"]
    state = await at.house.commands.start("gala", RequestKey("orchestrator", "start", b"digest"))
    assert sorted(seat.player_id for seat in state.seats) == ["a", "b", "c", "d"]
    assert await at.state("gala") is PlayState.PLAYING


async def test_a_tournament_on_command_waits_for_the_command(at: Following) -> None:
    at.ledger.announce("cmd", RULES, ["a", "b"])
    at.ledger.tell("cmd", TournamentAnnounced(tournament=await at.ledger.get_tournament("cmd")))
    await settled()
    await at.clock.pass_by(3600)
    assert await at.state("cmd") is None


async def test_what_was_missed_while_the_ledger_was_away_is_found_in_its_list(at: Following) -> None:
    at.ledger.away = True
    at.ledger.tell("any", TournamentCancelled(cause="wakes the stream, which breaks"))
    await settled()
    at.ledger.announce("sng", RULES, ["a", "b"], start=StartKind.SIT_AND_GO, entrants_max=2)
    at.ledger.away = False
    await at.clock.pass_by(1)
    await at.clock.pass_by(1)
    assert await at.state("sng") is PlayState.PLAYING


async def test_a_purchase_wakes_the_table_that_waits_for_it(at: Following) -> None:
    at.ledger.announce("t", RULES, ["a", "b"], start=StartKind.SIT_AND_GO, entrants_max=2)
    at.ledger.tell("t", TournamentAnnounced(tournament=await at.ledger.get_tournament("t")))
    await settled()
    at.ledger.lines["t"]["a"] = replace(at.ledger.lines["t"]["a"], chips=0)
    while not at.floor.tables["t.1"].waits:
        await at.floor.step()
    at.ledger.tell("t", ChipsPurchased(player_id="a", chips=3000))
    await settled()
    assert [table.table_id for table in at.floor.may_move()] == ["t.1"]


async def test_a_tournament_cancelled_in_play_closes_its_tables(at: Following) -> None:
    at.ledger.announce("t", RULES, ["a", "b", "c"], start=StartKind.SIT_AND_GO, entrants_max=3)
    at.ledger.tell("t", TournamentAnnounced(tournament=await at.ledger.get_tournament("t")))
    await settled()
    await at.ledger.cancel_tournament("t", "the house is on fire", 0)
    at.ledger.tell("t", TournamentCancelled(cause="the house is on fire"))
    async with asyncio.timeout(30):
        while await at.state("t") is not PlayState.FINISHED:
            await settled()
    await at.floor.step()
    assert at.floor.tables["t.1"].closed


async def test_who_is_placed_by_the_end_of_the_decision_window_leaves_the_seat_at_once(at: Following) -> None:
    at.ledger.announce("t", RULES, ["a", "b", "c"], start=StartKind.SIT_AND_GO, entrants_max=3)
    at.ledger.tell("t", TournamentAnnounced(tournament=await at.ledger.get_tournament("t")))
    await settled()
    at.house.books.floor("t").deciding.add("a")
    at.ledger.lines["t"]["a"] = replace(at.ledger.lines["t"]["a"], chips=0, state=EntrantState.OUT, place=3)
    at.floor.tables["t.1"].waits = False
    for player in ("a", "b"):  # b lost all in a hand that is being booked: its table says so itself
        at.ledger.tell("t", PlayerPlaced(player_id=player, place=3, prize_minor=0))
    await settled()
    await at.floor.step()
    assert sorted((await at.house.books.state("t")).players) == ["b", "c"]
    told = [each.event for each in await at.house.books.events("t", 0)]
    assert PlayerOut(player_id="a", place=3, prize_minor=0) in told


async def test_a_cancellation_that_nobody_heard_of_ends_a_tournament_whose_tables_all_wait(at: Following) -> None:
    """The stream broke just then; a paused tournament has nothing else that would ask the ledger."""
    at.ledger.announce("t", RULES, ["a", "b"])
    await at.house.commands.start("t", RequestKey("T", "start", b"d"))
    await at.house.commands.pause("t", 0, RequestKey("T", "pause", b"d"))
    await at.floor.step()
    assert all(table.waits and table.until is None for table in at.floor.tables.values())
    await at.ledger.cancel_tournament("t", "the room burns", 0)
    await at.clock.pass_by(31)
    await settled()
    assert await at.state("t") is PlayState.FINISHED
    assert not any(table.waits for table in at.floor.tables.values())
