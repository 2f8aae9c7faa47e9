"""What a restart, a caller that goes away and a writer that was faster leave behind: the same books (rows L3, L13)."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_pb2

from shared.storage.database import Statement
from tests.support.ledger_house import Ledger, euro, fresh, ledger

PLAYERS = ("ann", "bob", "cid")


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


async def test_after_a_restart_everything_goes_on_where_it_stopped(tmp_path: Path) -> None:
    async with ledger(tmp_path) as first:
        event = await first.event(PLAYERS)
        await first.hand(event, {"ann": 100, "bob": -100})
        sheet = await first.sheet(event, 2)
        before = await first.tournament(event)
        recorded = await first.record(event, 2, sheet, {"ann": -50, "cid": 50})
    async with ledger(tmp_path) as second:
        assert await second.record(event, 2, sheet, {"ann": -50, "cid": 50}) == recorded
        after = await second.tournament(event)
        assert after.version == before.version + 1
        after.version = before.version
        assert after == before
        assert [each.chips for each in (await second.sheet(event, 3)).seats] == [3050, 2900, 3050]
        second.hands[event] = 2
        over = await second.hand(event, {"ann": 5950, "bob": -2900, "cid": -3050})
        assert over.state == tournament_pb2.TOURNAMENT_STATE_FINISHED
        await second.sound()


async def test_a_caller_that_goes_away_leaves_a_whole_entry_or_none(house: Ledger) -> None:
    await house.player("ann")
    ids = [fresh() for _ in range(30)]
    for at, request_id in enumerate(ids):
        call = asyncio.ensure_future(house.deposit("ann", 1, request_id))
        await asyncio.sleep(0.0003 * at)
        call.cancel()
        await asyncio.wait({call})
    for request_id in ids:
        await house.deposit("ann", 1, request_id)
    assert await house.wallet("ann") == 30
    await house.sound()


async def test_a_writer_that_was_faster_makes_the_ledger_read_again(house: Ledger) -> None:
    """As another instance on the same database would be: the head moves behind this one's back."""
    await house.player("ann", 100)
    await house.deposit("ann", 1)
    sql = "UPDATE ledger_books SET hash = ? WHERE book = 'wallets'"
    head = (await house.verify("wallets")).heads[0]
    await house.store.write([Statement(sql, (b"x" * 32,))])
    await house.deposit("ann", 1)
    assert head.hash != b"x" * 32
    assert await house.wallet("ann") == 102
    verdict = await house.verify("wallets")
    assert [each.fault for each in verdict.faults] == ["names another hash before it than the entry before has"]


async def test_many_players_who_register_at_once_all_get_in_and_no_more_than_there_are_places(house: Ledger) -> None:
    event = (await house.announce()).tournament_id
    names = [f"p{number}" for number in range(12)]
    for name in names:
        await house.player(name, 1000)
    done = await asyncio.gather(*(house.register(event, name) for name in names), return_exceptions=True)
    assert sum(each is None for each in done) == 8
    assert sum(isinstance(each, grpc.aio.AioRpcError) for each in done) == 4
    assert sum([await house.wallet(name) for name in names]) == 4 * 1000
    assert (await house.tournament(event)).entrants == 8
    await house.sound()


async def test_money_that_moves_between_books_at_once_is_never_seen_double_or_missing(house: Ledger) -> None:
    """Wallets, tournaments and holds race while a reader sums up: every sum is zero (row L9, small)."""
    event = (await house.announce()).tournament_id
    names = [f"p{number}" for number in range(6)]
    for name in names:
        await house.player(name, 10_000)

    async def live(name: str) -> None:
        for _ in range(5):
            await house.register(event, name)
            await house.backend.Unregister(
                pb.UnregisterRequest(request_id=fresh(), tournament_id=event, player_id=name)
            )
            out = pb.WithdrawRequest(request_id=fresh(), player_id=name, amount=euro(10))
            await house.backend.Withdraw(out)

    async def sum_up() -> None:
        for _ in range(20):
            verdict = await house.verify()
            assert {each.sum for each in verdict.sums} == {0}
            assert not [each for each in verdict.faults if "account" in each.fault]

    await asyncio.gather(sum_up(), *(live(name) for name in names))
    assert [await house.wallet(name) for name in names] == [9950] * 6
    await house.sound()
