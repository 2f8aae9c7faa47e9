"""Everybody sits out: antes are paid, duties pass on, nobody is waited for, and somebody wins (cases O-43, O-45)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from sevenstud.common.v1.betting_pb2 import ACTION_CAUSE_ABSENT
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import Level, Stakes
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1 import tournament_service_pb2 as tournaments
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent

from tests.support.ledger_house import fresh
from tests.support.tournament_suite import TournamentSuite

PLAYERS = ["ann", "bob", "cid"]
STAKES = Stakes(ante_chips=20, bring_in_chips=25, lower_limit_chips=50, upper_limit_chips=100)
PATIENCE_SECONDS = 60.0
A_MOMENT_SECONDS = 1.5


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TournamentSuite]:
    async with TournamentSuite(tmp_path) as running:
        yield running


def short(all_away_seconds: int = 0) -> RuleSelection:
    """The regulated tournament with stacks of five antes; only in the first hand is anybody waited for."""
    selection = RuleSelection(preset="regulated_tournament")
    clock = selection.overrides.clock
    clock.decision_seconds, clock.time_bank_seconds, clock.showdown_seconds = 1, 0, 0
    clock.all_away_seconds = all_away_seconds
    terms = selection.overrides.tournament
    terms.starting_stack_chips = 100
    terms.levels.append(Level(stakes=STAKES, level_seconds=0, level_hands=50, decision_seconds=0))
    return selection


async def events_of(suite: TournamentSuite, table_id: str) -> list[TableEvent]:
    """Everything that happened at a table, up to its closing."""
    stream = suite.tables.Watch(pb.WatchRequest(table_id=table_id, after_version=0))
    async with asyncio.timeout(PATIENCE_SECONDS):
        return [item.event async for item in stream]


async def test_a_tournament_of_absent_players_plays_itself_to_the_end(suite: TournamentSuite) -> None:
    tournament_id = await suite.announce(short(), PLAYERS)
    began = await suite.start(tournament_id)
    (table_id,) = began.table_ids
    for player_id in PLAYERS:
        await suite.tables.SitOut(pb.SitOutRequest(request_id=fresh(), table_id=table_id, player_id=player_id))
    events = await events_of(suite, table_id)
    view = (
        await suite.tournaments.GetTournament(tournaments.GetTournamentRequest(tournament_id=tournament_id))
    ).tournament
    assert view.state == tournaments.PLAY_STATE_FINISHED
    later = [event for event in events if event.HasField("action_taken") and not event.hand_id.endswith(".1")]
    assert later
    assert {event.action_taken.cause for event in later} == {ACTION_CAUSE_ABSENT}
    first = next(event.hand_ended for event in events if event.HasField("hand_ended"))
    assert sum(each.after_chips for each in first.results) == 300
    assert events[-1].WhichOneof("event") == "table_closed"


async def test_a_table_of_absent_players_waits_before_its_next_hand_and_goes_on_when_one_is_back(
    suite: TournamentSuite,
) -> None:
    """Nobody's stack is gone before he can come back; a restart does not end the wait (rule 145)."""
    began = await suite.start(await suite.announce(short(all_away_seconds=600), PLAYERS))
    (table_id,) = began.table_ids
    for player_id in PLAYERS:
        await suite.tables.SitOut(pb.SitOutRequest(request_id=fresh(), table_id=table_id, player_id=player_id))
    assert await seen(suite, table_id, "hand_ended", 1, PATIENCE_SECONDS)
    assert not await seen(suite, table_id, "hand_started", 2, A_MOMENT_SECONDS)
    await suite.stop_orchestrator()
    await suite.start_orchestrator()
    assert not await seen(suite, table_id, "hand_started", 2, A_MOMENT_SECONDS)
    await suite.tables.Return(pb.ReturnRequest(request_id=fresh(), table_id=table_id, player_id="ann"))
    assert await seen(suite, table_id, "hand_started", 2, PATIENCE_SECONDS)


async def seen(suite: TournamentSuite, table_id: str, kind: str, hand_number: int, within_seconds: float) -> bool:
    """Whether this event of that hand is in the table's log, or comes in time."""
    stream = suite.tables.Watch(pb.WatchRequest(table_id=table_id, after_version=0))
    with suppress(TimeoutError):
        async with asyncio.timeout(within_seconds):
            async for item in stream:
                if item.event.HasField(kind) and item.event.hand_id.endswith(f".{hand_number}"):  # type: ignore[arg-type]  # a name
                    return True
    return False
