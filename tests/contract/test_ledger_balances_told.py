"""The balance that an answer tells is the one that its entry made, whatever else moves the wallet at that moment."""

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from pathlib import Path

import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.tournament_ledger.adapters.ledger_store import StoredBooks
from services.tournament_ledger.ports import Looked
from shared.storage.requests import RequestKey
from tests.support.ledger_house import TABLE, Ledger, card_room_cash, euro, fresh, ledger, two_ledgers
from tests.support.postgres_server import PostgresServer

Move = Callable[[Ledger], Awaitable[pb.Balance]]
CASH = "cash-1"
HOLDS: list[str] = []


class Meanwhile:
    """Something that happens once, right after the wallet was read and before anything is written."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.happens: Callable[[], Awaitable[object]] | None = None
        balances, look = StoredBooks.balances, StoredBooks.look

        async def read(books: StoredBooks, account_ids: Sequence[str]) -> Mapping[str, int]:
            found = await balances(books, account_ids)
            await self._now()
            return found

        async def look_at(books: StoredBooks, key: RequestKey, account_ids: Sequence[str]) -> Looked:
            found = await look(books, key, account_ids)
            await self._now()
            return found

        monkeypatch.setattr(StoredBooks, "balances", read)
        monkeypatch.setattr(StoredBooks, "look", look_at)

    async def _now(self) -> None:
        happens, self.happens = self.happens, None
        if happens is not None:
            await happens()


@pytest.fixture
def meanwhile(monkeypatch: pytest.MonkeyPatch) -> Meanwhile:
    return Meanwhile(monkeypatch)


@pytest.fixture
async def houses(tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[tuple[Ledger, Ledger]]:
    async with two_ledgers(tmp_path, postgres) as both:
        await both[0].player("ann", 1000)
        request = pb.OpenCashTableRequest(request_id=fresh(), table_id=CASH, chip_value=euro(1), rules=card_room_cash())
        await both[0].service.OpenCashTable(request)
        yield both


async def _deposit(house: Ledger) -> pb.Balance:
    return (await house.deposit("ann", 10)).balance


async def _withdraw(house: Ledger) -> pb.Balance:
    request = pb.WithdrawRequest(request_id=fresh(), player_id="ann", amount=euro(10), reference="card")
    return (await house.backend.Withdraw(request)).balance


async def _hold(house: Ledger) -> pb.Balance:
    request = pb.PlaceHoldRequest(request_id=fresh(), player_id="ann", amount=euro(10))
    request.lasts.FromSeconds(60)
    placed = await house.backend.PlaceHold(request)
    HOLDS.append(placed.hold_id)
    return placed.balance


async def _buy_in(house: Ledger) -> pb.Balance:
    chips = card_room_cash().buy_in_min_chips
    request = pb.BuyInRequest(request_id=fresh(), table_id=CASH, player_id="ann", seat=1, chips=chips)
    return (await house.service.BuyIn(request)).balance


async def _cash_out(house: Ledger) -> pb.Balance:
    request = pb.CashOutRequest(request_id=fresh(), table_id=CASH, player_id="ann")
    return (await house.service.CashOut(request)).balance


async def _balance(house: Ledger) -> pb.Balance:
    return (await house.backend.GetBalance(pb.GetBalanceRequest(player_id="ann", currency="EUR"))).balance


async def _post_hold(house: Ledger) -> pb.Balance:
    """What was reserved is taken for good: what can be spent stays as it is."""
    request = pb.PostHoldRequest(request_id=fresh(), hold_id=HOLDS[-1])
    return (await house.backend.PostHold(request)).balance


@pytest.mark.parametrize(
    ("asked", "other"),
    [
        (_deposit, _buy_in),
        (_withdraw, _buy_in),
        (_hold, _buy_in),
        (_buy_in, _deposit),
        (_cash_out, _post_hold),
    ],
)
async def test_what_another_ledger_does_to_the_wallet_meanwhile_is_in_the_balance_told(
    houses: tuple[Ledger, Ledger], meanwhile: Meanwhile, asked: Move, other: Move
) -> None:
    first, second = houses
    await first.deposit("ann", 10_000)
    if asked is _cash_out:
        await _hold(first)
        await _buy_in(first)
    meanwhile.happens = lambda: other(second)
    told = await asked(first)
    assert told == await _balance(first)
    await first.sound()


async def test_a_prize_that_is_paid_meanwhile_is_in_the_balance_told(tmp_path: Path, meanwhile: Meanwhile) -> None:
    """It comes from another book of the same ledger, whose booking does not wait for the wallet."""
    async with ledger(tmp_path) as house:
        event = await house.event(("ann", "bob"))
        sheet = await house.sheet(event, 1)
        stack = sheet.seats[0].chips
        meanwhile.happens = lambda: house.record(event, 1, sheet, {"ann": stack, "bob": -stack})
        told = await _deposit(house)
        assert told == await _balance(house)
        assert told.available.amount_minor > 100_000  # the prize is in it
        assert TABLE in {each.table_id for each in (await house.standings(event)).values()}
        await house.sound()
