"""Callers of the ledger do not get in one another's way: nobody uses up the request ids of others."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.protobuf.duration_pb2 import Duration
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.orchestrator.adapters.remote import request_id
from services.tournament_ledger.adapters.ledger_store import StoredBooks
from services.tournament_ledger.application.bookkeeper import Bookkeeper
from services.tournament_ledger.rpc.calls import SERVICE_SCOPE, scope_of
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.client import unpack_error
from shared.storage.requests import RequestKey
from tests.support.ledger_house import TABLE, Ledger, euro, fresh, ledger, refused
from tests.support.servers import calling
from tests.support.waiting import until

ASKED = 40
PLACES = 500
"""WATCHERS_MAX, unless it is set."""
A_MOMENT_SECONDS = 0.5


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


async def test_what_was_played_is_booked_after_one_of_those_who_ask_and_not_after_all(
    house: Ledger, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = (await house.announce()).tournament_id
    let_go, begun, looked = asyncio.Event(), [0], list[str]()
    look, run = StoredBooks.answered, Bookkeeper.run

    async def held(books: StoredBooks, key: RequestKey) -> bytes | None:
        looked.append(key.scope)
        await let_go.wait()
        return await look(books, key)

    async def counted(keeper: Bookkeeper, *given: Any) -> bytes:
        begun[0] += 1
        return await run(keeper, *given)

    monkeypatch.setattr(StoredBooks, "answered", held)
    monkeypatch.setattr(Bookkeeper, "run", counted)

    async def asked(number: int) -> None:
        request = pb.RegisterRequest(request_id=fresh(), tournament_id=event, player_id=f"eve{number % 4}")
        await refused(house.backend.Register(request), Reason.NOT_FOUND)

    outside = [asyncio.create_task(asked(number)) for number in range(ASKED)]
    await until(lambda: begun[0] == ASKED)
    played = pb.RecordLevelRequest(request_id=fresh(), tournament_id=event, level=1)
    told = asyncio.create_task(refused(house.service.RecordLevel(played), Reason.TOURNAMENT_STATE))
    await until(lambda: begun[0] == ASKED + 1)
    let_go.set()
    await told
    assert looked.index(SERVICE_SCOPE) <= 2
    await asyncio.gather(*outside)


async def test_the_id_of_a_request_that_placed_a_hold_places_no_other_one_in_capitals_either(house: Ledger) -> None:
    """It was tried eight times and refused as if somebody else had been first, with a stack in the log each time."""
    await house.player("ann", 1000)
    await house.player("bob", 1000)
    request = pb.PlaceHoldRequest(request_id=fresh(), player_id="ann", amount=euro(400), lasts=Duration(seconds=60))
    await house.backend.PlaceHold(request)
    for player_id in ("ann", "bob"):
        again = pb.PlaceHoldRequest(request_id=request.request_id.upper(), player_id=player_id, lasts=request.lasts)
        again.amount.CopyFrom(euro(100))
        await refused(house.backend.PlaceHold(again), Reason.REQUEST_ID_REUSED)
    assert (await house.wallet("ann"), await house.wallet("bob")) == (600, 1000)
    await house.sound()


async def test_one_back_end_that_follows_the_books_as_often_as_it_may_leaves_places_to_others(house: Ledger) -> None:
    """It took all there were, and the orchestrator, which connects anew each hour, heard of nothing any more."""
    following = [asyncio.ensure_future(first_fact(house.backend)) for _ in range(PLACES)]
    await until(lambda: sum(each.done() for each in following) >= PLACES // 2)
    others = [asyncio.ensure_future(first_fact(stub)) for stub in (house.service, house.auditor)]
    await asyncio.sleep(A_MOMENT_SECONDS)
    tournament_id = (await house.announce()).tournament_id
    assert await asyncio.gather(*others) == [tournament_id] * 2
    told = Counter(await asyncio.gather(*following))
    assert told == {tournament_id: PLACES // 2, Reason.LIMIT_REACHED: PLACES // 2}


async def first_fact(stub: TournamentLedgerServiceStub) -> str | Reason | None:
    """Of which tournament the first fact is, or why there is none."""
    try:
        return (await anext(aiter(stub.Watch(pb.WatchRequest())))).fact.tournament_id
    except grpc.aio.AioRpcError as refused:
        return unpack_error(refused).reason
