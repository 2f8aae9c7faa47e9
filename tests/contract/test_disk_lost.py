"""A service whose disk failed answers nobody any more: its process ends, and a new one has all that was kept (L5)."""

import asyncio
from pathlib import Path

import grpc
import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from tests.support.ledger_house import euro, fresh
from tests.support.servers import calling, running
from tests.support.tournament_lobby import BACKEND

pytestmark = pytest.mark.process
END_SECONDS = 10.0


def deposit(request_id: str) -> pb.DepositRequest:
    return pb.DepositRequest(request_id=request_id, player_id="ann", amount=euro(7))


async def test_the_process_ends_when_its_disk_fails_and_a_new_one_has_all_that_was_acknowledged(tmp_path: Path) -> None:
    database, kept, doubtful = tmp_path / "ledger.sqlite", fresh(), fresh()
    settings = {"DATABASE": str(database)}
    async with (
        running("tournament_ledger", tmp_path, settings, "tests.support.failing_ledger") as process,
        calling(process.address, BACKEND) as channel,
    ):
        ledger = TournamentLedgerServiceStub(channel)
        await ledger.OpenAccount(pb.OpenAccountRequest(request_id=fresh(), player_id="ann", currency="EUR"))
        first = await ledger.Deposit(deposit(kept))
        database.with_name(database.name + ".fails").touch()
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await ledger.Deposit(deposit(doubtful))
        assert refused.value.code() is grpc.StatusCode.UNAVAILABLE
        assert await asyncio.to_thread(process.process.wait, END_SECONDS) == 1
        assert '"store_lost"' in process.log.read_text()
    async with running("tournament_ledger", tmp_path, settings) as again, calling(again.address, BACKEND) as channel:
        ledger = TournamentLedgerServiceStub(channel)
        assert await ledger.Deposit(deposit(kept)) == first
        last = await ledger.Deposit(deposit(doubtful))
        assert last.balance.available.amount_minor == 14
