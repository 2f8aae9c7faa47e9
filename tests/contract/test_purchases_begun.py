"""A purchase of chips keeps the id that it was begun with at the ledger, whoever finishes it, and is finished once."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sevenstud.common.v1.rule_options_pb2 import BUY_IN_RANGE, CASH_ADD_BELOW_BUY_IN
from sevenstud.common.v1.rules_pb2 import RuleSet
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.ledger_client import LedgerClient
from services.orchestrator.adapters.table_log import StoredTableLog
from services.orchestrator.application.table_log import Purchase, begun
from services.orchestrator.ports import ServiceAway
from services.orchestrator.rpc.table_answers import key_of
from shared.kernel.errors import Reason
from shared.storage.database import Statement
from shared.storage.requests import RequestKey
from tests.support.ledger_house import SERVICE, euro, fresh, refused
from tests.support.postgres_server import PostgresServer
from tests.support.replica_suite import ReplicaSuite, replicas_on
from tests.support.servers import calling
from tests.support.stores import STORES
from tests.support.table_suite import PlayedTable, TableSuite, card_room, open_table

PATIENCE_SECONDS = 60.0
OF_AN_EARLIER_RELEASE = (
    "INSERT INTO purchases (table_id, request_id, scope, digest, player_id, seat, chips) VALUES (?, ?, ?, ?, ?, ?, ?)"
)


def any_size(rules: RuleSet) -> None:
    rules.cash.buy_in, rules.cash.cash_add = BUY_IN_RANGE, CASH_ADD_BELOW_BUY_IN
    rules.cash.buy_in_max_chips = 400


async def wallet(table: PlayedTable, player_id: str) -> int:
    request = ledger_pb.GetBalanceRequest(player_id=player_id, currency="EUR")
    return (await table.suite.ledger.GetBalance(request)).balance.available.amount_minor


async def stack(table: PlayedTable, player_id: str) -> int:
    return sum(seat.stack_chips for seat in (await table.view()).seats if seat.player_id == player_id)


def test_the_same_id_of_two_callers_is_two_purchases_to_the_ledger() -> None:
    one, other = (begun(RequestKey(scope, "an-id", b"d"), "ann", 1, 100) for scope in ("house", "player:ann"))
    assert one.cause_id != other.cause_id


@pytest.mark.parametrize("bought", [True, False])
async def test_a_purchase_begun_by_an_earlier_release_is_finished_under_the_id_that_it_had_then(
    tmp_path: Path, *, bought: bool
) -> None:
    async with TableSuite(tmp_path) as suite:
        table = await open_table(suite, card_room(money=any_size))
        await table.sit("ann", "bob")
        request = pb.AddChipsRequest(request_id=fresh(), table_id=table.table_id, player_id="ann", chips=100)
        await suite.stop_orchestrator()
        store = await STORES.open(tmp_path / "orchestrator.sqlite", "orchestrator", migrations)
        key = key_of(request)
        row = (table.table_id, key.request_id, key.scope, key.digest, "ann", 1, 100)
        await store.write([Statement(OF_AN_EARLIER_RELEASE, row)])
        await store.close()
        if bought:  # and killed before it could say so
            async with calling(suite.ledger_address, SERVICE) as channel:
                await LedgerClient(channel).buy_in(table.table_id, "ann", 1, 100, key.request_id)
        await suite.start_orchestrator()
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await stack(table, "ann") != 200:  # noqa: ASYNC110  # the table does it by itself
                await asyncio.sleep(0.01)
        version = (await table.view()).version
        await suite.tables.AddChips(request)
        assert (await table.view()).version == version
        assert await wallet(table, "ann") == 1000 - 200


@pytest.mark.parametrize("adds", [False, True])
async def test_a_purchase_that_waits_for_longer_than_the_ledger_keeps_answers_is_booked_once(
    tmp_path: Path, *, adds: bool
) -> None:
    """The orchestrator was killed before it knew that the chips were bought, and comes back months later."""
    async with TableSuite(tmp_path) as suite:
        table = await open_table(suite, card_room(money=any_size))
        await table.sit("ann", "bob", "cid")
        if not adds:
            request = pb.LeaveRequest(request_id=fresh(), table_id=table.table_id, player_id="ann")
            await suite.tables.Leave(request)
        asked = pb.SitRequest(request_id=fresh(), table_id=table.table_id, player_id="ann", buy_in_chips=100, seat=1)
        purchase = begun(key_of(asked), "ann", 1, 100)
        version = (await table.view()).version
        await suite.stop_orchestrator()
        store = await STORES.open(tmp_path / "orchestrator.sqlite", "orchestrator", migrations)
        await StoredTableLog(store).begin_purchase(table.table_id, version, purchase)
        await store.close()
        async with calling(suite.ledger_address, SERVICE) as channel:
            await LedgerClient(channel).buy_in(table.table_id, "ann", 1, 100, purchase.cause_id)
        await suite.forget_ledger_answers()
        await suite.start_orchestrator()
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await stack(table, "ann") != 100 + 100 * adds:  # noqa: ASYNC110  # the table does it by itself
                await asyncio.sleep(0.01)
        assert await wallet(table, "ann") == 900 - 100 * adds
        await suite.house.CloseTable(pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id))
        assert [await wallet(table, each) for each in ("ann", "bob", "cid")] == [1000] * 3


@pytest.fixture
async def replicas(tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[ReplicaSuite]:
    async with replicas_on(postgres, tmp_path) as running:
        yield running


@pytest.fixture
def late(monkeypatch: pytest.MonkeyPatch) -> asyncio.Event:
    """The second process that begins the same purchase does so when the first one has its answer."""
    answered, asked_by = asyncio.Event(), set[str]()
    begin = StoredTableLog.begin_purchase

    async def begin_purchase(log: StoredTableLog, table_id: str, version: int, purchase: Purchase) -> Purchase:
        if purchase.key.request_id in asked_by:
            await answered.wait()
        asked_by.add(purchase.key.request_id)
        return await begin(log, table_id, version, purchase)

    monkeypatch.setattr(StoredTableLog, "begin_purchase", begin_purchase)
    return answered


@pytest.mark.parametrize("adding", [False, True])
async def test_a_purchase_asked_for_at_two_orchestrators_at_once_is_finished_at_both(
    replicas: ReplicaSuite, late: asyncio.Event, *, adding: bool
) -> None:
    other = await replicas.start_another()
    table = await open_table(replicas, card_room(money=any_size))
    if adding:
        await table.sit("ann")
    else:
        await replicas.ledger.OpenAccount(
            ledger_pb.OpenAccountRequest(request_id=fresh(), player_id="ann", currency="EUR")
        )
        await replicas.ledger.Deposit(ledger_pb.DepositRequest(request_id=fresh(), player_id="ann", amount=euro(1000)))
    sitting = pb.SitRequest(request_id=fresh(), table_id=table.table_id, player_id="ann", buy_in_chips=100)
    more = pb.AddChipsRequest(request_id=fresh(), table_id=table.table_id, player_id="ann", chips=100)
    asked = [
        asyncio.ensure_future(tables.AddChips(more) if adding else tables.Sit(sitting))
        for tables in (replicas.tables, other.tables)
    ]
    async with asyncio.timeout(PATIENCE_SECONDS):
        await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
        late.set()
        await asyncio.gather(*asked)
        closing = pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id)
        await replicas.house.CloseTable(closing)  # not while a purchase is open
    assert await wallet(table, "ann") == 1000


async def test_a_purchase_that_another_orchestrator_finished_during_a_hand_holds_up_no_hand(
    replicas: ReplicaSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one that plays the table had asked for the same and had no answer; it finds out before the next hand."""
    other = await replicas.start_another()
    table = await open_table(replicas, card_room(money=any_size))
    await table.sit("ann", "bob")
    await replicas.ledger.OpenAccount(ledger_pb.OpenAccountRequest(request_id=fresh(), player_id="cid", currency="EUR"))
    await replicas.ledger.Deposit(ledger_pb.DepositRequest(request_id=fresh(), player_id="cid", amount=euro(1000)))
    await table.resume()
    first = (await table.turn()).seat
    plays_first = replicas.orchestrator.tables.driven(table.table_id)
    owner, helper = (replicas.tables, other.tables) if plays_first else (other.tables, replicas.tables)
    playing = (replicas if plays_first else other).orchestrator.tables.world.ledger
    buy_in, asked, known = LedgerClient.buy_in, asyncio.Event(), asyncio.Event()

    async def slow(self: LedgerClient, *args: Any) -> int:
        chips = await buy_in(self, *args)
        if self is playing and not known.is_set():
            raise ServiceAway("tournament_ledger")  # the answer is lost
        asked.set()
        await known.wait()
        return chips

    monkeypatch.setattr(LedgerClient, "buy_in", slow)
    sitting = pb.SitRequest(request_id=fresh(), table_id=table.table_id, player_id="cid", buy_in_chips=100)
    slowly = asyncio.ensure_future(helper.Sit(sitting))
    async with asyncio.timeout(PATIENCE_SECONDS):
        await asked.wait()
        await refused(owner.Sit(sitting), Reason.DEPENDENCY_UNAVAILABLE)
        known.set()
        assert (await slowly).seat == 3
        assert (await table.view()).hand_number == 1
        await table.play(f"{first} bring_in", f"{3 - first} fold")
        await table.hand(1)
        await table.until(lambda view: view.hand_number == 2 and view.HasField("turn"))
    assert await wallet(table, "cid") == 900
    assert (await owner.Sit(sitting)).seat == 3


async def test_chips_that_another_orchestrator_was_buying_come_to_a_table_at_which_nothing_happens(
    replicas: ReplicaSuite, tmp_path: Path
) -> None:
    """Who asked the ledger is gone; who goes on with the table has nothing else to do (world 1101)."""
    await replicas.start_another()
    table = await open_table(replicas, card_room(money=any_size))
    await table.sit("ann")
    version = (await table.view()).version
    asked = pb.AddChipsRequest(request_id=fresh(), table_id=table.table_id, player_id="ann", chips=100)
    purchase = begun(key_of(asked), "ann", 1, 100)
    store = await STORES.open(tmp_path / "orchestrator.sqlite", "orchestrator", migrations)
    await StoredTableLog(store).begin_purchase(table.table_id, version, purchase)
    await store.close()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while await stack(table, "ann") != 200:  # noqa: ASYNC110  # the table does it by itself
            await asyncio.sleep(0.01)
    assert await wallet(table, "ann") == 800
