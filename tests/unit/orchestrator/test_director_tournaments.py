"""The director runs whole tournaments: real domain, real log on disk, the ledger and the dealer's lots in memory."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.tournament_log import StoredTournamentLog
from services.orchestrator.domain.booking import EntrantState, LedgerState
from services.orchestrator.domain.sheet import SheetState, WaitReason
from services.orchestrator.domain.tournament_view import PlayState
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import Break, Formula, LevelTrigger, RebuyTerms, RuleSet, TournamentRules
from shared.kernel.rules.presets import PRESETS
from shared.storage.requests import RequestKey
from shared.storage.sqlite import SqliteStore, open_store
from tests.support.ledger_double import LedgerDouble
from tests.support.lots_double import LotsDouble
from tests.support.tournament_floor import Floor, VirtualClock

PRESET = PRESETS["regulated_tournament"]
STEPS_MAX = 60_000


def rules(**changes: object) -> RuleSet:
    by_hands: dict[str, object] = {"level_trigger": LevelTrigger.HANDS}
    return replace(PRESET, tournament=_changed(PRESET.tournament, by_hands | changes))


def _changed(base: TournamentRules, changes: dict[str, object]) -> TournamentRules:
    return replace(base, **changes)  # type: ignore[arg-type]  # names are those of the rules


def command(number: int = 1, digest: bytes = b"d") -> RequestKey:
    return RequestKey("TournamentService", f"00000000-0000-4000-8000-{number:012d}", digest)


class House:
    """A floor, a ledger and a log; the director may be killed and started again."""

    def __init__(self, store: SqliteStore, seed: int) -> None:
        self.store = store
        self.floor = Floor(seed)
        self.ledger = LedgerDouble(self.floor.clock)
        self.lots = LotsDouble(seed)
        self.restart()

    def restart(self) -> None:
        self.house = self.floor.open(StoredTournamentLog(self.store), self.lots, self.ledger)
        for table in self.floor.tables.values():
            table.waits = False  # tables that come up again ask at once

    async def play(self, tournament_id: str, steps: int = STEPS_MAX) -> None:
        for _ in range(steps):
            if all(table.closed for table in self.floor.tables.values()):
                break
            await self.floor.step()
        view = await self.house.commands.view(tournament_id)
        assert view.state is PlayState.FINISHED, self.floor.picture()


class Behind(VirtualClock):
    """The clock of another machine."""

    def __init__(self, clock: VirtualClock) -> None:
        self._clock = clock

    def now(self) -> datetime:
        return self._clock.now() - timedelta(seconds=0.2)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[SqliteStore]:
    opened = await open_store(str(tmp_path / "orchestrator.db"), "orchestrator", migrations)
    yield opened
    await opened.close()


def players(count: int) -> list[str]:
    return [f"p{number:03d}" for number in range(count)]


async def test_eight_players_play_at_one_table_until_one_has_all_chips(store: SqliteStore) -> None:
    at = House(store, 1)
    at.ledger.announce("t", rules(), players(8))
    view = await at.house.commands.start("t", command())
    assert (view.state, view.level, view.players_left, view.table_ids) == (PlayState.PLAYING, 1, 8, ("t.1",))
    assert sorted(seat.seat for seat in view.seats) == list(range(1, 9))
    await at.play("t")
    view = await at.house.commands.view("t")
    lines = at.ledger.lines["t"]
    assert view.winner_player_id == next(each for each in lines if lines[each].state is EntrantState.WINNER)
    assert lines[view.winner_player_id].chips == 8 * PRESET.tournament.starting_stack_chips
    assert view.players_left == 0
    assert [table.closed for table in at.floor.tables.values()] == [True]


async def test_levels_rise_after_eight_hands_and_hold_from_the_next_hand(store: SqliteStore) -> None:
    at = House(store, 2)
    at.ledger.announce("t", rules(), players(6))
    await at.house.commands.start("t", command())
    await at.play("t")
    sheets = at.floor.tables["t.1"].sheets
    levels = PRESET.tournament.levels
    for number, sheet in enumerate(sheets):
        level = min(number // 8 + 1, len(levels))
        assert sheet.level == level
        assert sheet.stakes == levels[level - 1].stakes
    assert at.ledger.levels["t"] == list(range(1, sheets[-1].level + 1))


async def test_levels_rise_by_time_where_time_ends_them(store: SqliteStore) -> None:
    at = House(store, 3)
    at.floor.hand_seconds = 100
    at.ledger.announce("t", rules(level_trigger=LevelTrigger.TIME), players(4))
    await at.house.commands.start("t", command())
    await at.play("t")
    sheets = at.floor.tables["t.1"].sheets
    assert [sheet.level for sheet in sheets[:13]] == [1] * 6 + [2] * 6 + [3]


@pytest.mark.parametrize(
    ("trigger", "hands_of_level_one"), [(LevelTrigger.FIRST_OF_BOTH, 6), (LevelTrigger.LAST_OF_BOTH, 8)]
)
async def test_both_triggers_mean_the_first_or_the_last_of_them(
    store: SqliteStore, trigger: LevelTrigger, hands_of_level_one: int
) -> None:
    at = House(store, 4)
    at.floor.hand_seconds = 100
    at.ledger.announce("t", rules(level_trigger=trigger), players(8))
    await at.house.commands.start("t", command())
    await at.play("t")
    sheets = at.floor.tables["t.1"].sheets
    assert [sheet.level for sheet in sheets].index(2) == hands_of_level_one


async def test_a_break_follows_its_level_and_the_next_level_begins_after_it(store: SqliteStore) -> None:
    at = House(store, 5)
    at.ledger.announce("t", rules(breaks=(Break(after_level=1, length_seconds=300),)), players(5))
    await at.house.commands.start("t", command())
    while not at.floor.tables["t.1"].waits:
        await at.floor.step()
    view = await at.house.commands.view("t")
    assert (view.state, view.level) == (PlayState.BREAK, 1)
    assert view.break_ends_at == at.floor.tables["t.1"].until
    began = at.floor.clock.now()
    hands = at.floor.tables["t.1"].hand_number
    await at.floor.step()
    assert (at.floor.clock.now() - began).total_seconds() == 300
    await at.floor.step()
    view = await at.house.commands.view("t")
    assert (view.state, view.level) == (PlayState.PLAYING, 2)
    assert at.floor.tables["t.1"].hand_number == hands + 1


async def test_the_last_two_of_the_event_are_named_on_the_sheet(store: SqliteStore) -> None:
    at = House(store, 6)
    at.ledger.announce("t", rules(), players(3))
    await at.house.commands.start("t", command())
    await at.play("t")
    for sheet in at.floor.tables["t.1"].sheets:
        assert sheet.last_two_of_event is (len(sheet.seats) == 2)


async def test_a_busted_player_may_decide_while_the_others_play_on(store: SqliteStore) -> None:
    at = House(store, 7)
    terms = RebuyTerms(max_count=1, last_level=99, window_seconds=3600)
    at.ledger.announce("t", rules(rebuy=terms), players(4))
    await at.house.commands.start("t", command())
    lines = at.ledger.lines["t"]
    while not (busted := [each for each in lines if lines[each].state is EntrantState.DECIDING]):
        await at.floor.step()
    at.ledger.rebuy("t", busted[0])
    while at.floor.tables["t.1"].sheet is None or at.floor.tables["t.1"].booking:
        await at.floor.step()
    sheet = at.floor.tables["t.1"].sheet
    assert sheet is not None
    assert busted[0] in {seat.player_id for seat in sheet.seats if seat.stack_chips}
    await at.play("t")
    assert sorted(line.place for line in lines.values()) == [1, 2, 3, 4]


async def test_two_players_wait_for_the_one_who_decides_and_the_window_ends_the_event(store: SqliteStore) -> None:
    at = House(store, 8)
    terms = RebuyTerms(max_count=1, last_level=99, window_seconds=30)
    at.ledger.announce("t", rules(rebuy=terms), players(2))
    await at.house.commands.start("t", command())
    while not at.floor.tables["t.1"].waits:
        await at.floor.step()
    director = at.house.director
    sheet = await director.open_sheet("t", "t.1", at.floor.tables["t.1"].hand_number + 1)
    assert sheet.wait is not None
    assert sheet.wait.reason is WaitReason.DECIDING
    assert sheet.wait.until == at.floor.tables["t.1"].until
    await at.play("t")
    assert at.ledger.tournaments["t"].state is LedgerState.FINISHED


async def test_a_ledger_whose_clock_is_a_moment_behind_is_asked_again(store: SqliteStore) -> None:
    """What it says when the window is over for it, too, may be missed: the table waits for no word."""
    at = House(store, 8)
    at.ledger.clock = Behind(at.floor.clock)
    terms = RebuyTerms(max_count=1, last_level=99, window_seconds=30)
    at.ledger.announce("t", rules(rebuy=terms), players(2))
    await at.house.commands.start("t", command())
    await at.play("t")
    assert at.ledger.tournaments["t"].state is LedgerState.FINISHED


async def test_a_paused_tournament_deals_no_hand_and_its_clock_stands_still(store: SqliteStore) -> None:
    at = House(store, 9)
    at.ledger.announce("t", rules(level_trigger=LevelTrigger.TIME), players(4))
    view = await at.house.commands.start("t", command())
    ends_at = view.level_ends_at
    assert ends_at is not None
    await at.floor.step()
    paused = await at.house.commands.pause("t", 0, command(2))
    assert (paused.state, paused.level_ends_at) == (PlayState.PAUSED, None)
    while not at.floor.tables["t.1"].waits:
        await at.floor.step()
    hands = at.floor.tables["t.1"].hand_number
    before = at.floor.clock.moment
    await at.floor.clock.sleep_until(before.replace(hour=9))
    assert not at.floor.may_move()
    resumed = await at.house.commands.resume("t", 0, command(3))
    assert resumed.state is PlayState.PLAYING
    assert resumed.level == 1
    assert resumed.level_ends_at is not None
    assert [table.table_id for table in at.floor.may_move()] == ["t.1"]
    await at.play("t")
    assert at.floor.tables["t.1"].hand_number > hands


async def test_a_command_asked_again_has_its_first_answer_and_no_second_effect(store: SqliteStore) -> None:
    at = House(store, 10)
    at.ledger.announce("t", rules(), players(4))
    first = await at.house.commands.start("t", command())
    await at.house.commands.pause("t", 0, command(2))
    at.restart()
    assert await at.house.commands.start("t", command()) == first
    with pytest.raises(DomainError) as refused:
        await at.house.commands.start("t", command(1, b"other content"))
    assert refused.value.reason is Reason.REQUEST_ID_REUSED
    with pytest.raises(DomainError) as refused:
        await at.house.commands.start("t", command(5))
    assert refused.value.reason is Reason.TOURNAMENT_STATE
    with pytest.raises(DomainError) as refused:
        await at.house.commands.pause("t", 0, command(6))
    assert refused.value.reason is Reason.TOURNAMENT_STATE
    with pytest.raises(DomainError) as refused:
        await at.house.commands.resume("t", 1, command(7))
    assert refused.value.reason is Reason.VERSION_CONFLICT


async def test_the_same_command_twice_at_the_same_time_has_one_effect_and_one_answer(store: SqliteStore) -> None:
    at = House(store, 17)
    at.ledger.announce("t", rules(), players(4))
    commands = at.house.commands
    first, again = await asyncio.gather(commands.start("t", command()), commands.start("t", command()))
    assert first == again
    first, again = await asyncio.gather(commands.pause("t", 0, command(2)), commands.pause("t", 0, command(2)))
    assert first == again
    assert (await commands.view("t")).version == first.version == 3


async def test_a_command_whose_caller_goes_away_is_finished_all_the_same(store: SqliteStore) -> None:
    at = House(store, 18)
    at.ledger.announce("t", rules(), players(4))
    caller = asyncio.create_task(at.house.commands.start("t", command()))
    await asyncio.sleep(0)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    async with asyncio.timeout(5):
        while "t.1" not in at.floor.tables:  # noqa: ASYNC110  # nobody is left who could tell
            await asyncio.sleep(0.01)
    assert (await at.house.commands.view("t")).state is PlayState.PLAYING


async def test_too_few_entrants_and_too_many_for_one_table_are_refused_and_nothing_changes(store: SqliteStore) -> None:
    at = House(store, 11)
    at.ledger.announce("few", rules(), players(2), entrants_min=3)
    at.ledger.announce("many", rules(), players(9))
    for number, (tournament_id, reason) in enumerate(
        (("few", Reason.TOURNAMENT_STATE), ("many", Reason.RULES_INVALID))
    ):
        with pytest.raises(DomainError) as refused:
            await at.house.commands.start(tournament_id, command(number))
        assert refused.value.reason is reason
        assert at.ledger.tournaments[tournament_id].state is LedgerState.REGISTERING
    with pytest.raises(DomainError) as refused:
        await at.house.commands.start("nobody", command(3))
    assert refused.value.reason is Reason.NOT_FOUND


@pytest.mark.parametrize(("count", "seats_per_table"), [(9, 8), (17, 8), (40, 8), (13, 3), (24, 6)])
async def test_many_tables_stay_even_are_broken_and_end_at_a_final_table(
    store: SqliteStore, count: int, seats_per_table: int
) -> None:
    at = House(store, count)
    at.ledger.announce("t", rules(formula=Formula.MULTI_TABLE), players(count), seats_per_table=seats_per_table)
    view = await at.house.commands.start("t", command())
    sizes = [sum(seat.table_id == table_id for seat in view.seats) for table_id in view.table_ids]
    assert max(sizes) - min(sizes) <= 1
    await at.play("t")
    lines = at.ledger.lines["t"]
    assert sum(line.chips for line in lines.values()) == count * PRESET.tournament.starting_stack_chips
    assert [line.place for line in lines.values()].count(1) == 1
    final = at.floor.tables["t.final"]
    assert len(final.sheets[0].seats) <= seats_per_table
    assert {purpose for purpose, _ in at.lots.draws} >= {"seats", "final-table"}


async def test_a_table_deals_only_while_tables_are_even_within_two_and_moves_make_them_so(store: SqliteStore) -> None:
    at = House(store, 12)
    at.ledger.announce("t", rules(formula=Formula.MULTI_TABLE), players(24))
    await at.house.commands.start("t", command())
    while at.ledger.tournaments["t"].state is LedgerState.RUNNING:
        hands = {table.table_id: table.hand_number for table in at.floor.tables.values()}
        await at.floor.step()
        counts = (await at.house.books.state("t")).counts()
        for table in at.floor.tables.values():
            if table.sheet is not None and table.hand_number > hands.get(table.table_id, 0) and len(counts) > 1:
                assert counts[table.table_id] - min(counts.values()) <= 1, "nobody is dealt in before moving away"
                assert max(counts.values()) - counts[table.table_id] < 3, "too short a table waits"
    await at.play("t")


async def test_a_moved_player_brings_the_time_bank_and_sits_out_as_before(store: SqliteStore) -> None:
    at = House(store, 13)
    at.ledger.announce("t", rules(formula=Formula.MULTI_TABLE), players(16))
    await at.house.commands.start("t", command())
    await at.play("t")
    sheet = at.floor.tables["t.final"].sheets[0]
    assert {seat.time_bank_seconds for seat in sheet.seats} == {50}
    later = at.floor.tables["t.final"].sheets[1]
    assert {seat.time_bank_seconds for seat in later.seats} == {None}


async def test_a_table_that_is_over_is_told_so_for_ever(store: SqliteStore) -> None:
    at = House(store, 14)
    at.ledger.announce("t", rules(), players(2))
    await at.house.commands.start("t", command())
    await at.play("t")
    at.restart()
    table = at.floor.tables["t.1"]
    sheet = await at.house.director.open_sheet("t", "t.1", table.hand_number + 1)
    assert sheet.state is SheetState.TABLE_OVER


async def test_tournaments_and_their_events_are_counted(store: SqliteStore) -> None:
    at = House(store, 15)
    at.ledger.announce("t", rules(), players(3))
    await at.house.commands.start("t", command())
    value = at.floor.registry.get_sample_value
    assert (value("sevenstud_tournaments_playing"), value("sevenstud_tournament_players")) == (1, 3)
    await at.play("t")
    assert (value("sevenstud_tournaments_playing"), value("sevenstud_tournament_players")) == (0, 0)
    assert value("sevenstud_tournament_events_total", {"kind": "PlayerOut"}) == 3
    hands = at.floor.tables["t.1"].hand_number
    assert value("sevenstud_tournament_events_total", {"kind": "HandPlayed"}) == hands


async def test_a_start_that_the_ledger_turned_into_a_cancellation_begins_no_play(store: SqliteStore) -> None:
    at = House(store, 16)
    at.ledger.announce("t", rules(), players(3))

    async def cancelled(*_: object) -> LedgerState:
        return LedgerState.CANCELLED

    at.ledger.start_play = cancelled  # type: ignore[method-assign, assignment]  # somebody left while the seats were drawn
    with pytest.raises(DomainError) as refused:
        await at.house.commands.start("t", command())
    assert refused.value.metadata == {"state": "CANCELLED", "needed": "RUNNING"}
    assert await at.house.books.find("t") is None
    assert not at.floor.tables


@pytest.mark.parametrize("seed", range(4))
async def test_nobody_is_moved_from_a_hand_whose_deck_is_bound_to_the_seats(store: SqliteStore, seed: int) -> None:
    """It comes as if it were running: before moves, breaks and the end of a round of hand for hand."""
    at = House(store, 70 + seed)
    at.floor.binding_rate = 0.9
    at.ledger.announce("t", rules(formula=Formula.MULTI_TABLE), players(40))
    await at.house.commands.start("t", command())
    await at.play("t")
    assert at.ledger.tournaments["t"].state is LedgerState.FINISHED
