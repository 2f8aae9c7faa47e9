"""Clock options that only a tournament shows: who is away is dealt in, banks last, levels have their own seconds."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.betting_pb2 import ACTION_CAUSE_ABSENT, ActionKind
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1 import tournament_service_pb2 as tournaments
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent

from shared.kernel.errors import Reason
from shared.kernel.rules import AbsentBringIn, ReturnWhen, SitOutPays, TimeBankRefill
from tests.support.driven_options import drives, set_options
from tests.support.ledger_house import fresh, refused
from tests.support.tournament_lobby import quick
from tests.support.tournament_suite import TournamentSuite

PLAYERS = ["ann", "bob", "cid"]
PATIENCE_SECONDS = 30.0
BANK_SECONDS = 600
SETTLED_SECONDS = 0.3


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TournamentSuite]:
    async with TournamentSuite(tmp_path) as running:
        yield running


def under(formula: option.Formula.ValueType = option.FORMULA_SINGLE_MATCH, **options: object) -> RuleSelection:
    rules = quick(formula)
    set_options(rules.overrides.clock, **options)
    return rules


async def begun(suite: TournamentSuite, rules: RuleSelection, gone: list[str]) -> str:
    """A tournament of three whose players are not all there; its table."""
    tournament_id = await suite.announce(rules, PLAYERS)
    for player_id in gone:
        said = tournaments.SetEntrantConnectionRequest(
            request_id=fresh(), tournament_id=tournament_id, player_id=player_id, connected=False
        )
        await suite.tournaments.SetEntrantConnection(said)
    return (await suite.start(tournament_id)).table_ids[0]


async def events_until(suite: TournamentSuite, table_id: str, kind: str) -> list[TableEvent]:
    """Everything at a table up to the first event of a kind."""
    found: list[TableEvent] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for item in suite.tables.Watch(pb.WatchRequest(table_id=table_id, after_version=0)):
            found.append(item.event)
            if item.event.WhichOneof("event") == kind:
                return found
    raise AssertionError(f"the stream ended before {kind}")


async def view_of(suite: TournamentSuite, table_id: str) -> table_pb2.TableView:
    return (await suite.tables.GetTable(pb.GetTableRequest(table_id=table_id))).table


async def is_open(suite: TournamentSuite, table_id: str) -> bool:
    """A table is listed as soon as it can be watched; the tournament names it a moment earlier."""
    listed = await suite.tables.ListTables(pb.ListTablesRequest(page_size=100))
    return any(table.table_id == table_id for table in listed.tables)


async def turn_of(suite: TournamentSuite, table_id: str) -> table_pb2.TableView:
    """The table as soon as somebody is to act, or all is over."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (view := await view_of(suite, table_id)).HasField("turn"):  # noqa: ASYNC110  # as a client would look
            await asyncio.sleep(0.005)
    return view


async def act(suite: TournamentSuite, view: table_pb2.TableView, *wanted: str) -> None:
    """The first of these actions that is legal."""
    legal = {ActionKind.Name(each.kind).removeprefix("ACTION_KIND_").lower() for each in view.turn.legal.actions}
    kind = next(each for each in wanted if each in legal)
    request = pb.ActRequest(
        request_id=fresh(), table_id=view.table_id, player_id=view.turn.player_id, turn_id=view.turn.turn_id
    )
    request.kind = ActionKind.Value(f"ACTION_KIND_{kind.upper()}")
    await suite.tables.Act(request)


def first_actions(events: list[TableEvent], count: int) -> list[tuple[int, str]]:
    """Who did what first, for the players who are away."""
    taken = [event.action_taken for event in events if event.HasField("action_taken")][:count]
    assert {each.cause for each in taken} == {ACTION_CAUSE_ABSENT}
    return [(each.seat, ActionKind.Name(each.kind).removeprefix("ACTION_KIND_").lower()) for each in taken]


# --- who is away ----------------------------------------------------------------------------------


@drives("sit_out_pays", SitOutPays.ANTE, SitOutPays.ANTE_AND_BRING_IN)
async def test_who_is_away_pays_the_ante_and_perhaps_the_bring_in(
    suite: TournamentSuite, sit_out_pays: SitOutPays
) -> None:
    table_id = await begun(suite, under(sit_out_pays=sit_out_pays), PLAYERS)
    events = await events_until(suite, table_id, "hand_ended")
    assert sum(event.HasField("ante_posted") for event in events) == len(PLAYERS)
    ((_, kind),) = first_actions(events, 1)
    assert kind == {SitOutPays.ANTE: "fold", SitOutPays.ANTE_AND_BRING_IN: "bring_in"}[sit_out_pays]


async def test_a_tournament_in_which_the_absent_pay_nothing_is_not_announced(suite: TournamentSuite) -> None:
    rules = under(sit_out_pays=SitOutPays.NOTHING)
    await refused(suite.announce(rules, PLAYERS), Reason.RULES_INVALID)


@drives("absent_bring_in", *AbsentBringIn)
async def test_an_absent_low_card_passes_the_duty_on_or_posts_and_is_out(
    suite: TournamentSuite, absent_bring_in: AbsentBringIn
) -> None:
    table_id = await begun(suite, under(absent_bring_in=absent_bring_in), PLAYERS)
    (first, kind), (second, then) = first_actions(await events_until(suite, table_id, "hand_ended"), 2)
    if absent_bring_in is AbsentBringIn.FOLD_PASS_ON:
        assert kind == "fold"
        assert second != first
    else:
        assert (kind, then) == ("bring_in", "fold")
        assert second == first


@drives("return_voluntary", *ReturnWhen)
async def test_who_comes_back_by_choice_acts_at_once_or_with_the_next_hand(
    suite: TournamentSuite, return_voluntary: ReturnWhen
) -> None:
    table_id = await begun(suite, under(return_voluntary=return_voluntary), [])
    await suite.tables.SitOut(pb.SitOutRequest(request_id=fresh(), table_id=table_id, player_id="ann"))
    while True:
        view = await turn_of(suite, table_id)
        all_in_hand = all(seat.in_hand and not seat.folded for seat in view.seats)
        if view.hand_number > 1 and all_in_hand and view.turn.player_id != "ann":
            break
        await asyncio.sleep(SETTLED_SECONDS)  # a turn of who is away is answered meanwhile
        if (await view_of(suite, table_id)).turn.turn_id == view.turn.turn_id:
            await act(suite, view, "fold", "check", "bring_in")
    await suite.tables.Return(pb.ReturnRequest(request_id=fresh(), table_id=table_id, player_id="ann"))
    while view.turn.player_id != "ann":
        await act(suite, view, "bring_in", "call")
        await asyncio.sleep(SETTLED_SECONDS)  # a turn of who is away is answered meanwhile
        view = await turn_of(suite, table_id)
        if next(seat.folded for seat in view.seats if seat.player_id == "ann"):
            break
    assert (view.turn.player_id == "ann") == (return_voluntary is ReturnWhen.AT_ONCE)


@drives("all_away_seconds", 0, 30)
async def test_a_table_of_absent_players_takes_its_time(suite: TournamentSuite, all_away_seconds: int) -> None:
    table_id = await begun(suite, under(all_away_seconds=all_away_seconds), PLAYERS)
    await events_until(suite, table_id, "hand_booked")
    if all_away_seconds:
        suite.clock.move(all_away_seconds / 2)
        await asyncio.sleep(0.05)
        assert (await view_of(suite, table_id)).hand_number == 1
        suite.clock.move(all_away_seconds)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (await view_of(suite, table_id)).hand_number < 2:  # noqa: ASYNC110  # as a client would look
            await asyncio.sleep(0.01)


# --- banks and levels -----------------------------------------------------------------------------


@drives("time_bank_refill", TimeBankRefill.NONE, TimeBankRefill.FINAL_TABLE)
async def test_a_bank_is_full_again_at_the_final_table(
    suite: TournamentSuite, time_bank_refill: TimeBankRefill
) -> None:
    rules = under(
        option.FORMULA_MULTI_TABLE,
        decision_seconds=60,
        time_bank_seconds=BANK_SECONDS,
        time_bank_refill=time_bank_refill,
    )
    tournament_id = await suite.announce(rules, ["p1", "p2", "p3", "p4"], seats_per_table=2, entrants_max=4)
    table_ids = (await suite.start(tournament_id)).table_ids
    for _ in range(8):
        views = [await turn_of(suite, table_id) for table_id in table_ids]
        if all(seat.time_bank_seconds < BANK_SECONDS for view in views for seat in view.seats):
            break
        suite.clock.move(63)
        for view in views:
            async with asyncio.timeout(PATIENCE_SECONDS):
                while not (await view_of(suite, view.table_id)).turn.in_time_bank:  # noqa: ASYNC110  # as above
                    await asyncio.sleep(0.005)
            await act(suite, view, "bring_in", "call", "check")
    else:
        raise AssertionError("not everybody used the bank")
    playing = asyncio.create_task(suite.play(tournament_id))
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await is_open(suite, f"{tournament_id}.final"):  # noqa: ASYNC110  # as above
            await asyncio.sleep(0.01)
    events = await events_until(suite, f"{tournament_id}.final", "hand_started")
    full = await banks_at(suite, f"{tournament_id}.final")
    await playing
    assert len([event for event in events if event.HasField("player_seated")]) == 2
    assert full == (time_bank_refill is TimeBankRefill.FINAL_TABLE)


async def banks_at(suite: TournamentSuite, table_id: str) -> bool:
    """Whether every bank of a table is full."""
    return all(seat.time_bank_seconds == BANK_SECONDS for seat in (await view_of(suite, table_id)).seats)


async def test_each_level_has_its_own_seconds_for_a_decision(suite: TournamentSuite) -> None:
    rules = under(decision_seconds=50)
    for level, seconds in zip(rules.overrides.tournament.levels, (0, 20, 20, 20), strict=True):
        level.decision_seconds = seconds
    table_id = await begun(suite, rules, [])
    found: dict[int, float] = {}
    while len(found) < 2:
        view = await turn_of(suite, table_id)
        left = view.turn.deadline.ToDatetime() - suite.clock.now().replace(tzinfo=None)
        found.setdefault(view.level, left.total_seconds())
        await act(suite, view, "fold", "check", "bring_in")
    assert 40 < found[1] <= 50
    assert 10 < found[2] <= 20
