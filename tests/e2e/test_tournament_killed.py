"""A tournament in five processes, services killed in the middle of it: it ends as if nothing had happened (S1, S6)."""

import asyncio
import os
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.console.adapters.suite import Suite
from shared.kernel.caller import Caller, Role
from tests.support.servers import calling
from tests.support.tournament_lobby import BACKEND, STACK_CHIPS, TournamentLobby, quick
from tests.support.tournament_sound import all_is_sound

pytestmark = [pytest.mark.process, pytest.mark.slow]
PLAY_SECONDS = 240.0
AUDITOR = Caller(Role.AUDITOR, "auditor")


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[Suite]:
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")}
    async with Suite(tmp_path, environ) as running:
        yield running


async def _kill_now_and_then(suite: Suite, services: list[str], chance: random.Random) -> None:
    for service in services:
        await asyncio.sleep(chance.uniform(0.2, 1.2))
        await suite.kill(service)
        await suite.start(service)


@pytest.mark.parametrize(
    "killed", [["orchestrator"] * 5, ["tournament_ledger", "dealer", "orchestrator", "evaluator", "betting"]]
)
async def test_a_tournament_survives_the_death_of_its_services(suite: Suite, killed: list[str]) -> None:
    async with (
        calling(suite.address("orchestrator"), BACKEND) as play,
        calling(suite.address("tournament_ledger"), BACKEND) as money,
        calling(suite.address("tournament_ledger"), AUDITOR) as audit,
    ):
        lobby = TournamentLobby()
        lobby.ledger = TournamentLedgerServiceStub(money)
        lobby.tables, lobby.tournaments = TableServiceStub(play), TournamentServiceStub(play)
        players = [f"p{number}" for number in range(1, 7)]
        rules = quick(option.FORMULA_MULTI_TABLE)
        tournament_id = await lobby.announce(rules, players, seats_per_table=3, entrants_max=6)
        await lobby.start(tournament_id)
        killer = asyncio.create_task(_kill_now_and_then(suite, killed, random.Random(len(killed))))
        await lobby.play(tournament_id, PLAY_SECONDS)
        await killer
        async with asyncio.timeout(PLAY_SECONDS):
            for channel in (play, money, audit):
                await channel.channel_ready()  # what was killed last is up, but its callers may not have tried again
        auditor = TournamentLedgerServiceStub(audit)
        assert await all_is_sound(lobby, auditor, tournament_id, players, STACK_CHIPS)
