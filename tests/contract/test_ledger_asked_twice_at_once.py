"""A request told to two ledgers at the same moment has one effect and one answer, whichever of them comes second.

The second one has looked for an answer when there was none yet, and decides when the first one has carried it out.
"""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.message import Message
from sevenstud.common.v1.rules_pb2 import AddOnTerms, RebuyTerms
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.tournament_ledger.adapters.ledger_store import StoredBooks
from shared.storage.requests import RequestKey
from tests.support.ledger_house import (
    TABLE,
    Ledger,
    announcement,
    card_room_cash,
    euro,
    fresh,
    tournament_rules,
    two_ledgers,
)
from tests.support.postgres_server import PostgresServer

PLAYERS = ("ann", "bob", "cid")
Prepare = Callable[[Ledger], Awaitable[Message]]


@pytest.fixture
async def houses(tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[tuple[Ledger, Ledger]]:
    async with two_ledgers(tmp_path, postgres) as both:
        yield both


async def _announced(_: Ledger) -> Message:
    return pb.AnnounceTournamentRequest(request_id=fresh(), tournament_id="sunday", announcement=announcement())


async def _entered(house: Ledger) -> Message:
    await house.player("ann", 100_000)
    event = (await house.announce()).tournament_id
    return pb.RegisterRequest(request_id=fresh(), tournament_id=event, player_id="ann")


async def _withdrawn(house: Ledger) -> Message:
    entered: Any = await _entered(house)
    await house.backend.Register(entered)
    return pb.UnregisterRequest(request_id=fresh(), tournament_id=entered.tournament_id, player_id="ann")


async def _started(house: Ledger) -> Message:
    event = (await house.announce()).tournament_id
    for player_id in PLAYERS:
        await house.player(player_id, 100_000)
    await house.register(event, *PLAYERS)
    seats = [pb.SeatAssignment(player_id=each, table_id=TABLE, seat=at) for at, each in enumerate(PLAYERS, 1)]
    return pb.StartPlayRequest(request_id=fresh(), tournament_id=event, seats=seats, draw_id="draw-1")


async def _booked(house: Ledger) -> Message:
    event = await house.event(PLAYERS)
    sheet = await house.sheet(event, 1)
    results = [
        pb.HandResult(player_id=each.player_id, before_chips=each.chips, after_chips=each.chips) for each in sheet.seats
    ]
    return pb.RecordHandRequest(
        request_id=fresh(), hand_id="hand-1", tournament_id=event, table_id=TABLE, hand_number=1, results=results
    )


async def _level(house: Ledger) -> Message:
    return pb.RecordLevelRequest(request_id=fresh(), tournament_id=await house.event(PLAYERS), level=2)


async def _rebought(house: Ledger) -> Message:
    rules = tournament_rules(rebuy=RebuyTerms(max_count=1, last_level=4, window_seconds=30))
    event = await house.event(PLAYERS, rules)
    sheet = await house.sheet(event, 1)
    await house.record(event, 1, sheet, {"ann": -sheet.seats[0].chips, "bob": sheet.seats[0].chips})
    return pb.RebuyRequest(request_id=fresh(), tournament_id=event, player_id="ann")


async def _added_on(house: Ledger) -> Message:
    rules = tournament_rules(add_on=AddOnTerms(offered=True, price_max_minor=1000, last_level=4), fee_step_minor=0)
    event = await house.event(PLAYERS, rules)
    return pb.BuyAddOnRequest(request_id=fresh(), tournament_id=event, player_id="ann", price=euro(1000))


async def _cancelled(house: Ledger) -> Message:
    return pb.CancelTournamentRequest(request_id=fresh(), tournament_id=await house.event(PLAYERS), cause="rain")


async def _hold(house: Ledger) -> str:
    await house.player("ann", 1000)
    request = pb.PlaceHoldRequest(request_id=fresh(), player_id="ann", amount=euro(10))
    request.lasts.FromSeconds(60)
    return (await house.backend.PlaceHold(request)).hold_id


async def _posted(house: Ledger) -> Message:
    return pb.PostHoldRequest(request_id=fresh(), hold_id=await _hold(house))


async def _voided(house: Ledger) -> Message:
    return pb.VoidHoldRequest(request_id=fresh(), hold_id=await _hold(house))


async def _bought_in(house: Ledger) -> pb.BuyInRequest:
    await house.player("ann", 100_000)
    rules = card_room_cash()
    await house.service.OpenCashTable(
        pb.OpenCashTableRequest(request_id=fresh(), table_id="cash", chip_value=euro(1), rules=rules)
    )
    return pb.BuyInRequest(request_id=fresh(), table_id="cash", player_id="ann", seat=1, chips=rules.buy_in_min_chips)


async def _cashed_out(house: Ledger) -> Message:
    await house.service.BuyIn(await _bought_in(house))
    return pb.CashOutRequest(request_id=fresh(), table_id="cash", player_id="ann")


PREPARED: dict[str, Prepare] = {
    "AnnounceTournament": _announced,
    "Register": _entered,
    "Unregister": _withdrawn,
    "StartPlay": _started,
    "RecordHand": _booked,
    "RecordLevel": _level,
    "Rebuy": _rebought,
    "BuyAddOn": _added_on,
    "CancelTournament": _cancelled,
    "PostHold": _posted,
    "VoidHold": _voided,
    "BuyIn": _bought_in,
    "CashOut": _cashed_out,
}
PLAY = {"StartPlay", "RecordHand", "RecordLevel", "BuyIn", "CashOut"}


@pytest.mark.parametrize("method", PREPARED)
async def test_the_second_one_gives_the_answer_of_the_first(
    houses: tuple[Ledger, Ledger], monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    first, second = houses
    request = await PREPARED[method](first)
    answers: list[Message] = []
    answered = StoredBooks.answered

    async def answered_meanwhile(books: StoredBooks, key: RequestKey) -> bytes | None:
        found = await answered(books, key)
        monkeypatch.undo()
        answers.append(await _told(first, method, request))
        return found

    monkeypatch.setattr(StoredBooks, "answered", answered_meanwhile)
    assert await _told(second, method, request) == answers[0]
    await first.sound()


async def _told(house: Ledger, method: str, request: Message) -> Message:
    stub = house.service if method in PLAY else house.backend
    answer: Message = await getattr(stub, method)(request)
    return answer
