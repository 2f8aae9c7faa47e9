"""A hand of every structure under every preset, played by the console's robots over gRPC, each with its own token."""

import asyncio
import random
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from sevenstud.common.v1.game_pb2 import Structure as WireStructure
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import Stakes
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.console.adapters.calls import connect
from services.console.adapters.robot_player import RobotPlayer
from services.console.adapters.robot_troupe import Troupe
from services.console.adapters.tables import Tables
from services.console.adapters.tournaments import Tournaments
from shared.kernel.caller import Role
from shared.kernel.game import Mode, Structure
from shared.kernel.rules.presets import PRESETS
from tests.support.ledger_house import euro, fresh
from tests.support.tournament_lobby import quick
from tests.support.tournament_suite import TournamentSuite

PLAYERS = ("ada", "bruno", "carla")
PATIENCE_SECONDS = 60.0
STAKES = Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=5, upper_limit_chips=10)
BUY_IN_CHIPS = 200
TABLES = [
    pytest.param(name, mode, structure, id=f"{name}-{mode}-{structure}".lower())
    for name, preset in PRESETS.items()
    for mode in preset.hand.modes_allowed
    for structure in preset.hand.structures_allowed
]


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TournamentSuite]:
    async with TournamentSuite(tmp_path) as running:
        yield running


def chosen(preset: str, structure: Structure) -> RuleSelection:
    """The preset with this structure."""
    rules = RuleSelection(preset=preset)
    rules.overrides.hand.structure = WireStructure.Value(f"STRUCTURE_{structure.name}")
    rules.overrides.clock.showdown_seconds = 0
    return rules


async def cash_table(suite: TournamentSuite, rules: RuleSelection) -> str:
    """A table for one hand, with money on it; the robots sit down themselves."""
    rules.overrides.cash.buy_in_min_chips = rules.overrides.cash.buy_in_max_chips = BUY_IN_CHIPS
    opening = pb.OpenTableRequest(
        request_id=fresh(), name="Robots", rules=rules, stakes=STAKES, chip_value=euro(1), hands_max=1
    )
    opening.start_paused = True
    table_id = (await suite.tables.OpenTable(opening)).table.table_id
    for player_id in PLAYERS:
        account = ledger_pb.OpenAccountRequest(request_id=fresh(), player_id=player_id, currency="EUR")
        await suite.ledger.OpenAccount(account)
        deposit = ledger_pb.DepositRequest(request_id=fresh(), player_id=player_id, amount=euro(1000))
        await suite.ledger.Deposit(deposit)
        sit = pb.SitRequest(request_id=fresh(), table_id=table_id, player_id=player_id, buy_in_chips=BUY_IN_CHIPS)
        await suite.tables.Sit(sit)
    await suite.tables.ResumeTable(pb.ResumeTableRequest(request_id=fresh(), table_id=table_id))
    return table_id


async def tournament_table(suite: TournamentSuite, rules: RuleSelection) -> tuple[str, str]:
    """A tournament that began, and its table."""
    rules.overrides.tournament.CopyFrom(quick().overrides.tournament)
    tournament_id = await suite.announce(rules, list(PLAYERS))
    return tournament_id, (await suite.start(tournament_id)).table_ids[0]


async def first_hand(suite: TournamentSuite, table_id: str) -> list[TableEvent]:
    """The events of a table up to the booking of its first hand."""
    found: list[TableEvent] = []
    async for item in suite.tables.Watch(pb.WatchRequest(table_id=table_id, after_version=0)):
        found.append(item.event)
        if item.event.HasField("hand_booked"):
            return found
    raise AssertionError("the stream ended before the hand did")


@pytest.mark.parametrize(("preset", "mode", "structure"), TABLES)
async def test_robots_play_a_hand(suite: TournamentSuite, preset: str, mode: Mode, structure: Structure) -> None:
    rules = chosen(preset, structure)
    tournament_id = ""
    if mode is Mode.CASH:
        table_id = await cash_table(suite, rules)
    else:
        tournament_id, table_id = await tournament_table(suite, rules)
    async with asyncio.timeout(PATIENCE_SECONDS), AsyncExitStack() as stack:
        robots: list[RobotPlayer] = []
        playing: list[asyncio.Task[None]] = []
        for player_id in PLAYERS:
            line = await stack.enter_async_context(connect(suite.address, Role.PLAYER, player_id))
            moods = random.Random(f"{preset} {structure} {player_id}")
            robot = RobotPlayer(player_id, Tables(line), moods)
            robots.append(robot)
            troupe = Troupe([robot], Tournaments(line))
            work = troupe.play(tournament_id, PATIENCE_SECONDS) if tournament_id else robot.play_at(table_id)
            playing.append(asyncio.create_task(work))
        events = await first_hand(suite, table_id)
        for each in playing:
            each.cancel()
        await asyncio.gather(*playing, return_exceptions=True)
    ended = next(event.hand_ended for event in events if event.HasField("hand_ended"))
    assert (
        sum(each.before_chips for each in ended.results)
        == sum(each.after_chips for each in ended.results) + ended.rake_chips
    )
    started = next(event.hand_started for event in events if event.HasField("hand_started"))
    assert started.rules.structure == WireStructure.Value(f"STRUCTURE_{structure.name}")
    assert len(started.seats) == len(PLAYERS)
    assert sum(robot.tally.refused_count for robot in robots) == 0
    assert any(event.HasField("action_taken") for event in events)
