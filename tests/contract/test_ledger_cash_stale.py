"""No decision about a cash table is made from chips of before: the head of its book and its chips are of one moment."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.tournament_ledger.adapters.ledger_store import StoredBooks
from services.tournament_ledger.application.cash import CashTables
from services.tournament_ledger.application.decisions import Call
from services.tournament_ledger.domain.cash import CashTable
from services.tournament_ledger.ports import Booking
from shared.storage.requests import RequestKey
from tests.support.ledger_house import TABLE, Ledger, card_room_cash, euro, fresh, ledger, two_ledgers
from tests.support.postgres_server import PostgresServer
from tests.support.waiting import until

PLAYERS = ("ann", "bob", "cid", "dan", "eve")


@pytest.fixture
async def houses(tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[tuple[Ledger, Ledger]]:
    async with two_ledgers(tmp_path, postgres) as both:
        yield both


async def opened(house: Ledger) -> None:
    rules = card_room_cash()
    rules.buy_in_min_chips = rules.buy_in_max_chips = 100
    for player_id in PLAYERS:
        await house.player(player_id, 10_000)
    request = pb.OpenCashTableRequest(request_id=fresh(), table_id=TABLE, chip_value=euro(1), rules=rules)
    await house.service.OpenCashTable(request)


def buying(house: Ledger, player_id: str) -> Awaitable[pb.BuyInResponse]:
    seat = PLAYERS.index(player_id) + 1
    request = pb.BuyInRequest(request_id=fresh(), table_id=TABLE, player_id=player_id, chips=100, seat=seat)
    return house.service.BuyIn(request)


async def seated(house: Ledger) -> dict[str, int]:
    sheet = await house.service.OpenSheet(pb.OpenSheetRequest(request_id=fresh(), table_id=TABLE, hand_number=1))
    return {seat.player_id: seat.chips for seat in sheet.seats}


class SlowReads:
    """Reads of the chips of a table whose answers are on their way for as long as a test likes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._real = StoredBooks.cash_table
        self.under_way: list[asyncio.Event] = []
        self._armed = 0
        reads = self

        async def cash_table(books: StoredBooks, table_id: str) -> CashTable | None:
            found = await reads._real(books, table_id)
            if reads._armed:
                reads._armed -= 1
                reads.under_way.append(asyncio.Event())
                await reads.under_way[-1].wait()
            return found

        monkeypatch.setattr(StoredBooks, "cash_table", cash_table)

    async def next_one(self, call: Callable[[], Awaitable[pb.BuyInResponse]]) -> "asyncio.Future[pb.BuyInResponse]":
        """A call whose read is on its way when this returns."""
        self._armed, count = 1, len(self.under_way) + 1
        asked = asyncio.ensure_future(call())
        await until(lambda: len(self.under_way) == count)
        return asked


async def test_chips_that_another_ledger_sold_meanwhile_stay_on_the_table(
    houses: tuple[Ledger, Ledger], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = houses
    await opened(second)
    await buying(second, "ann")
    reads = SlowReads(monkeypatch)
    bob = await reads.next_one(lambda: buying(first, "bob"))
    await buying(second, "cid")
    dan = await reads.next_one(lambda: buying(first, "dan"))
    reads.under_way[0].set()
    await bob
    reads.under_way[1].set()
    await dan
    await buying(second, "eve")
    assert await seated(first) == dict.fromkeys(PLAYERS, 100)
    await first.sound()


async def test_a_caller_that_goes_twice_while_the_disk_stands_still_takes_nothing_along(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It hung up, and then its time was over."""
    moves, real, waiting = asyncio.Event(), StoredBooks.book, list[Booking]()

    async def book(books: StoredBooks, booking: Booking) -> None:
        waiting.append(booking)
        await moves.wait()
        await real(books, booking)

    async with ledger(tmp_path) as house:
        await opened(house)
        await buying(house, "ann")
        monkeypatch.setattr(StoredBooks, "book", book)
        request_id = fresh()
        call = Call(request_id, RequestKey("request", request_id, b""), lambda _: b"")
        cash = CashTables(house.chores._keeper)
        gone = asyncio.ensure_future(cash.buy_in(call, TABLE, "bob", 2, 100))
        await until(lambda: len(waiting) == 1)
        for _ in range(2):
            gone.cancel()
            await asyncio.sleep(0)
        cid = asyncio.ensure_future(buying(house, "cid"))
        await until(lambda: len(waiting) == 2)
        moves.set()
        await asyncio.gather(gone, return_exceptions=True)
        await cid
        await buying(house, "dan")
        assert (await seated(house)).keys() == {"ann", "bob", "cid", "dan"}
        await house.sound()
