"""What a ledger of an earlier release answered is answered by this one: nothing is booked again after an upgrade."""

from pathlib import Path
from typing import Any

import pytest
from google.protobuf.duration_pb2 import Duration
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.tournament_ledger.rpc.calls import SERVICE_SCOPE
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.storage.database import Statement
from tests.support.ledger_house import Ledger, euro, fresh, ledger, refused
from tests.support.postgres_server import PostgresServer
from tests.support.servers import calling
from tests.support.stores import STORES

_AS_IT_WAS = "UPDATE answered_requests SET scope = ? WHERE scope = 'house' OR scope LIKE 'player:%'"


@pytest.mark.parametrize("engine", ["sqlite", "postgresql"])
async def test_a_call_that_was_answered_when_all_shared_one_scope_is_not_carried_out_again(
    engine: str, tmp_path: Path, postgres: PostgresServer
) -> None:
    """A back end whose answer was lost asks again when the new release is up: its deposit was booked twice."""
    STORES.use(postgres if engine == "postgresql" else None)
    try:
        async with ledger(tmp_path) as house, calling(house.server.address, Caller(Role.PLAYER, "ann")) as channel:
            await _asked_again(house, TournamentLedgerServiceStub(channel))
    finally:
        STORES.use(None)


async def _asked_again(house: Ledger, ann: Any) -> None:
    tournament_id = (await house.announce()).tournament_id
    await house.player("ann", 10_000)
    asked = _calls(house, ann, tournament_id)
    too_much = pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(1_000_000))
    answered = [await call(request) for call, request in asked]
    await refused(house.backend.Withdraw(too_much), Reason.FUNDS_INSUFFICIENT)
    left = await house.wallet("ann")
    await house.store.write([Statement(_AS_IT_WAS, (SERVICE_SCOPE,))])
    assert [await call(request) for call, request in asked] == answered
    assert await house.wallet("ann") == left
    await house.deposit("ann", 1_000_000)
    await refused(house.backend.Withdraw(too_much), Reason.FUNDS_INSUFFICIENT)
    other_content = await house.deposit("ann", 70, asked[0][1].request_id)
    assert other_content.balance.available.amount_minor == left + 1_000_070
    await house.sound()


def _calls(house: Ledger, ann: Any, tournament_id: str) -> list[tuple[Any, Any]]:
    """What moves money, by a back end and by a player, with the stub that asks it."""
    minute = Duration(seconds=60)
    return [
        (house.backend.Deposit, pb.DepositRequest(request_id=fresh(), player_id="ann", amount=euro(500))),
        (house.backend.Withdraw, pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(300))),
        (
            house.backend.PlaceHold,
            pb.PlaceHoldRequest(request_id=fresh(), player_id="ann", amount=euro(200), lasts=minute),
        ),
        (ann.Register, pb.RegisterRequest(request_id=fresh(), tournament_id=tournament_id, player_id="ann")),
    ]
