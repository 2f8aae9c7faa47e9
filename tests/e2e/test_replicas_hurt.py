"""A tournament through two orchestrators, ledgers and dealers on one PostgreSQL, each killed or stopped in turn."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import cast

import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.caller import Caller, Role
from tests.support.postgres_server import PostgresServer
from tests.support.replica_processes import ReplicaProcesses, either
from tests.support.servers import calling
from tests.support.tournament_lobby import BACKEND, STACK_CHIPS, TournamentLobby, quick
from tests.support.tournament_sound import all_is_sound

pytestmark = [pytest.mark.process, pytest.mark.slow]
PLAY_SECONDS = 240.0
AUDITOR = Caller(Role.AUDITOR, "auditor")


@pytest.fixture
async def processes(tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[ReplicaProcesses]:
    async with ReplicaProcesses(tmp_path, postgres) as running:
        yield running


@pytest.fixture
async def lobby(processes: ReplicaProcesses) -> AsyncIterator[TournamentLobby]:
    found = TournamentLobby()
    async with AsyncExitStack() as stack:
        money = await either(stack, processes, "tournament_ledger", BACKEND, TournamentLedgerServiceStub)
        tables = await either(stack, processes, "orchestrator", BACKEND, TableServiceStub)
        tournaments = await either(stack, processes, "orchestrator", BACKEND, TournamentServiceStub)
        found.ledger = cast("TournamentLedgerServiceStub", money)
        found.tables, found.tournaments = cast("TableServiceStub", tables), cast("TournamentServiceStub", tournaments)
        yield found


async def hurt(processes: ReplicaProcesses) -> None:
    """Each kind of harm once, with a little play in between."""
    await asyncio.sleep(2)
    await processes.kill("orchestrator", "a")
    await asyncio.sleep(6)  # longer than it takes the other one to go on alone
    await processes.start("orchestrator", "a")
    await asyncio.sleep(3)
    processes.stop("orchestrator", "b")
    await asyncio.sleep(6)
    processes.go_on("orchestrator", "b")
    for service in ("tournament_ledger", "dealer"):
        await processes.kill(service, "a")
        await asyncio.sleep(1)
        await processes.start(service, "a")


async def test_a_tournament_is_played_as_if_nobody_had_been_hurt(
    processes: ReplicaProcesses, lobby: TournamentLobby
) -> None:
    players = [f"p{number}" for number in range(1, 7)]
    rules = quick(option.FORMULA_MULTI_TABLE, stack_chips=4 * STACK_CHIPS)
    tournament_id = await lobby.announce(rules, players, seats_per_table=3, entrants_max=6)
    await lobby.start(tournament_id)
    hurting = asyncio.create_task(hurt(processes))
    await lobby.play(tournament_id, PLAY_SECONDS)
    await hurting
    async with calling(processes.address("tournament_ledger", "b"), AUDITOR) as audit:
        auditor = TournamentLedgerServiceStub(audit)
        assert await all_is_sound(lobby, auditor, tournament_id, players, 4 * STACK_CHIPS)
