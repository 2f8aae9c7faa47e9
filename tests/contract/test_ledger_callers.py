"""Callers of the ledger do not get in one another's way: nobody uses up the request ids of others."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.orchestrator.adapters.remote import request_id
from services.tournament_ledger.rpc.calls import scope_of
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from tests.support.ledger_house import TABLE, Ledger, ledger, refused
from tests.support.servers import calling


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


async def test_a_hand_is_booked_although_a_player_used_its_request_id_first(house: Ledger) -> None:
    """The orchestrator's ids follow from public facts; a refusal for lack of money is remembered under its id."""
    event = await house.event(("ann", "bob"))
    sheet = await house.sheet(event, 1)
    other = (await house.announce()).tournament_id
    await house.player("mal")
    taken = request_id("tournament_ledger", "record_hand", "hand-1")
    async with calling(house.server.address, Caller(Role.PLAYER, "mal")) as channel:
        mallory = TournamentLedgerServiceStub(channel)
        poison = pb.RegisterRequest(request_id=taken, tournament_id=other, player_id="mal")
        await refused(mallory.Register(poison), Reason.FUNDS_INSUFFICIENT)
        await refused(mallory.Register(poison), Reason.FUNDS_INSUFFICIENT)
    results = [
        pb.HandResult(player_id=seat.player_id, before_chips=seat.chips, after_chips=seat.chips) for seat in sheet.seats
    ]
    booking = pb.RecordHandRequest(
        request_id=taken, hand_id="hand-1", tournament_id=event, table_id=TABLE, hand_number=1, results=results
    )
    assert await house.service.RecordHand(booking) == await house.service.RecordHand(booking)
    await house.sound()


def test_no_caller_but_our_services_shares_their_request_ids_and_no_player_anothers() -> None:
    callers = [Caller(role, name) for role in Role for name in ("ann", "house", "request", "bob")]
    scopes = {caller: scope_of(caller) for caller in callers}
    service = {scope for caller, scope in scopes.items() if caller.role is Role.SERVICE}
    players = [scope for caller, scope in scopes.items() if caller.role is Role.PLAYER]
    others = {scope for caller, scope in scopes.items() if caller.role not in {Role.SERVICE, Role.PLAYER}}
    assert len(service) == 1
    assert len(set(players)) == len(players)
    assert not service & others
    assert not (service | others) & set(players)
