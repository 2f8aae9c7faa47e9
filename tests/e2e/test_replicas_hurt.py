"""A tournament through two orchestrators, ledgers and dealers on one PostgreSQL, each killed or stopped in turn."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path
from typing import cast

import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.orchestrator.v1 import table_service_pb2 as table_pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.caller import Caller, Role
from tests.support.postgres_server import PostgresServer
from tests.support.replica_processes import ReplicaProcesses, either
from tests.support.servers import calling
from tests.support.tournament_lobby import BACKEND, STACK_CHIPS, TournamentLobby, quick

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
    began = await lobby.start(tournament_id)
    hurting = asyncio.create_task(hurt(processes))
    await lobby.play(tournament_id, PLAY_SECONDS)
    await hurting
    await the_end_is_sound(lobby, tournament_id, players)
    for table_id in (*began.table_ids, f"{tournament_id}.final"):
        await the_history_is_whole(lobby, table_id)
    async with calling(processes.address("tournament_ledger", "b"), AUDITOR) as audit:
        verdict = await TournamentLedgerServiceStub(audit).VerifyJournal(ledger_pb.VerifyJournalRequest())
    assert verdict.sound, verdict.faults


async def the_end_is_sound(lobby: TournamentLobby, tournament_id: str, players: list[str]) -> None:
    standings, view = await lobby.standings(tournament_id), await lobby.view(tournament_id)
    assert standings[view.winner_player_id].chips == len(players) * 4 * STACK_CHIPS
    events = await lobby.events(tournament_id)
    assert [event.version for event in events] == list(range(1, view.version + 1))
    outs = [event.player_out for event in events if event.HasField("player_out")]
    assert {each.player_id: each.place for each in outs} == {key: each.place for key, each in standings.items()}
    assert len(outs) == len(players)


async def the_history_is_whole(lobby: TournamentLobby, table_id: str) -> None:
    """Every hand was played once, to its end, none was voided, and the log has neither a gap nor a double."""
    hands = (await lobby.tables.ListHands(table_pb.ListHandsRequest(table_id=table_id))).hands
    numbers = [hand.hand_number for hand in hands]
    assert numbers == list(range(len(numbers), 0, -1))
    assert not any(hand.voided for hand in hands)
    versions, booked = list[int](), list[int]()
    async for item in lobby.tables.Watch(table_pb.WatchRequest(table_id=table_id, after_version=0)):
        versions.append(item.event.version)
        if item.event.HasField("hand_booked"):
            booked.append(item.event.hand_booked.hand_number)
        if item.event.HasField("table_closed"):
            break
    assert versions == list(range(1, len(versions) + 1))
    assert booked == sorted(numbers)
