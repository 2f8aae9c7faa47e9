"""Two ledgers on one PostgreSQL: money is moved once, whoever was asked, and each tells what the other wrote."""

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path

import grpc
import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.tournament_ledger.adapters.ledger_store import StoredBooks
from services.tournament_ledger.ports import Booking
from tests.support.ledger_house import TABLE, Ledger, euro, fresh, two_ledgers
from tests.support.postgres_server import PostgresServer

PLAYERS = ("ann", "bob", "cid")
PATIENCE_SECONDS = 60.0


@pytest.fixture
async def houses(tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[tuple[Ledger, Ledger]]:
    async with two_ledgers(tmp_path, postgres) as both:
        yield both


async def put(house: Ledger, player_id: str, amount: int, request_id: str) -> str:
    request = pb.DepositRequest(request_id=request_id, player_id=player_id, amount=euro(amount), reference="card")
    return await outcome_of(house.backend.Deposit(request))


async def take(house: Ledger, player_id: str, amount: int, request_id: str) -> str:
    request = pb.WithdrawRequest(request_id=request_id, player_id=player_id, amount=euro(amount), reference="card")
    return await outcome_of(house.backend.Withdraw(request))


async def outcome_of(call: Awaitable[object]) -> str:
    try:
        await call
    except grpc.aio.AioRpcError as refusal:
        return refusal.code().name
    return "OK"


async def test_a_bank_of_two_ledgers_loses_and_makes_nothing(houses: tuple[Ledger, Ledger]) -> None:
    random.seed(5)
    for player_id in PLAYERS:
        await houses[0].player(player_id, 1000)

    async def client(number: int) -> int:
        balance = 0
        for _ in range(12):
            player_id, amount, request_id = random.choice(PLAYERS), random.randint(1, 400), fresh()
            deposits, outcomes = random.random() < 0.5, set[str]()
            for house in random.sample(houses, k=number % 2 + 1):  # every other client asks both, with the same id
                outcomes.add(await (put if deposits else take)(house, player_id, amount, request_id))
            assert outcomes in ({"OK"}, {"FAILED_PRECONDITION"})
            if outcomes == {"OK"}:
                balance += amount if deposits else -amount
        return balance

    made = sum(await asyncio.gather(*(client(number) for number in range(8))))
    for house in houses:
        assert sum([await house.wallet(player_id) for player_id in PLAYERS]) == 3000 + made
        await house.sound()


async def test_a_hand_told_to_both_is_booked_once_and_both_know_it(houses: tuple[Ledger, Ledger]) -> None:
    first, second = houses
    event = await first.event(PLAYERS)
    for number in range(1, 5):
        asked, other = (first, second) if number % 2 else (second, first)
        sheet = await asked.sheet(event, number)
        assert await other.sheet(event, number) == sheet
        told = await asyncio.gather(*(house.record(event, number, sheet, {"ann": 5, "bob": -5}) for house in houses))
        assert told[0] == told[1]
        known = [await house.service.GetLastHand(_asked(event)) for house in houses]
        assert known == [pb.GetLastHandResponse(hand_number=number)] * 2
    assert (await second.standings(event))["ann"].chips == 3020
    await first.sound()


def _asked(event: str) -> pb.GetLastHandRequest:
    return pb.GetLastHandRequest(tournament_id=event, table_id=TABLE)


async def test_who_watches_one_ledger_sees_in_order_what_the_other_wrote(houses: tuple[Ledger, Ledger]) -> None:
    first, second = houses
    everything = aiter(second.backend.Watch(pb.WatchRequest()))
    begun = asyncio.ensure_future(anext(everything))
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not begun.done():  # from now on only: until it is heard, the watch may not have begun
            await first.announce()
            await asyncio.sleep(0.1)
    event = await first.event(PLAYERS)
    one = aiter(second.backend.Watch(pb.WatchRequest(tournament_id=event)))
    sheet = await second.sheet(event, 1)
    await first.record(event, 1, sheet, {"ann": 5, "bob": -5})
    await first.operator.CancelTournament(
        pb.CancelTournamentRequest(request_id=fresh(), tournament_id=event, cause="rain")
    )
    for stream in (everything, one):
        versions, kinds = await _until_cancelled(stream, event)
        assert versions == sorted(versions)
        assert kinds[0] == "tournament_announced"
        assert kinds.count("player_registered") == 3


async def test_who_watches_a_busy_ledger_hears_what_another_one_could_not_hint_at(
    houses: tuple[Ledger, Ledger], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where its connection broke while it committed. All books were looked at only when nothing had happened."""
    first, second = houses
    event = await first.event(PLAYERS)
    everything = aiter(second.backend.Watch(pb.WatchRequest()))

    async def be_busy() -> None:
        for _ in range(100):
            await second.announce()
            await asyncio.sleep(0.2)

    busy = asyncio.create_task(be_busy())
    async with asyncio.timeout(PATIENCE_SECONDS):
        await anext(everything)
        monkeypatch.setattr(first.store, "tell", lambda _: None)
        await first.cancel(event)
        _, kinds = await _until_cancelled(everything, event)
    assert kinds == ["tournament_cancelled"]
    assert not busy.done()
    busy.cancel()
    await asyncio.gather(busy, return_exceptions=True)


async def _until_cancelled(stream: AsyncIterator[pb.WatchResponse], event: str) -> tuple[list[int], list[str]]:
    versions, kinds = list[int](), list[str]()
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for item in stream:
            if item.fact.tournament_id == event:
                versions.append(item.fact.version)
                kinds.append(str(item.fact.WhichOneof("fact")))
            if kinds[-1:] == ["tournament_cancelled"]:
                break
    return versions, kinds


async def test_what_another_ledger_wrote_right_after_a_booking_is_told_by_both(
    houses: tuple[Ledger, Ledger], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that booked hears late that its own entry is kept, and has looked at the book in between."""
    first, second = houses
    event = await first.event(PLAYERS)
    book, told_late = StoredBooks.book, [True]

    async def booked_and_told_late(books: StoredBooks, booking: Booking) -> None:
        await book(books, booking)
        if told_late and told_late.pop():
            await second.hand(event, {"ann": 5, "bob": -5})
            await first.tournament(event)

    monkeypatch.setattr(StoredBooks, "book", booked_and_told_late)
    await first.level(event, 2)
    assert await first.tournament(event) == await second.tournament(event)
    assert await first.standings(event) == await second.standings(event)
    await first.sound()
