"""Every shuffle is a hand opened, lots drawn, or a void with a reason, whatever happens in between (F18)."""

import asyncio
import sqlite3
import time
from contextlib import AsyncExitStack
from datetime import datetime
from pathlib import Path

import pytest
from sevenstud.dealer.v1 import dealer_service_pb2 as pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from services.dealer.__main__ import assemble
from services.dealer.adapters import migrations
from services.dealer.adapters.draw_store import StoredDraws
from services.dealer.adapters.shuffle_book import CUT_OFF, StoredShuffles
from services.dealer.adapters.system import SystemEntropy
from services.dealer.adapters.vault import Vault
from services.dealer.application.dealt_streets import DealtStreets
from services.dealer.application.lots import LotDraws
from services.dealer.application.shuffles import NOT_KEPT, Shuffles
from services.dealer.domain.lots import DrawLots
from services.dealer.domain.sealing_keys import parse_keys
from services.dealer.metrics import DealerMetrics
from services.dealer.ports import Drawn
from services.dealer.settings import Settings
from shared.config.location import PostgresUrl
from shared.observability.clock import SteadyClock
from shared.observability.logging import get_log
from shared.observability.metrics import new_registry
from shared.storage.database import StoreUnavailable
from shared.storage.opening import open_database
from shared.storage.sqlite import open_store
from tests.support.dealer_calls import Table, counted, dealer, fresh, metrics_of
from tests.support.postgres_server import PostgresServer
from tests.support.servers import calling, serving

FILE = "dealer.sqlite"


def shuffles_in(folder: Path) -> list[tuple[str, str, str]]:
    """Purpose, outcome and reason of every shuffle in the database."""
    connection = sqlite3.connect(folder / FILE)
    try:
        return connection.execute("SELECT purpose, outcome, void_reason FROM dealer_shuffles").fetchall()
    finally:
        connection.close()


async def open_hands(folder: Path, hands: int, table_id: str = "table-1") -> str:
    """Hands opened at a dealer of this folder, lots drawn once; its metrics afterwards."""
    async with dealer(folder) as server, calling(server.address) as channel:
        stub = DealerServiceStub(channel)
        table = Table(stub, table_id)
        for _ in range(hands):
            await table.open(2)
        await stub.DrawLots(pb.DrawLotsRequest(request_id=fresh(), purpose="p", subject_id="s", entries=["a", "b"]))
        return await metrics_of(server.metrics_address)


async def test_a_shuffle_that_the_end_of_the_process_cut_off_is_voided_at_the_next_start(tmp_path: Path) -> None:
    await open_hands(tmp_path, 3)
    store = await open_store(str(tmp_path / FILE), "dealer", migrations)
    await StoredShuffles(store).begin("hand", "a hand that was never opened")
    await store.close()
    text = await open_hands(tmp_path, 2, "table-2")
    assert shuffles_in(tmp_path).count(("hand", "voided", CUT_OFF)) == 1
    assert (counted(text, "shuffles_drawn"), counted(text, "shuffles_used"), counted(text, "shuffles_voided")) == (
        8,
        7,
        1,
    )


async def test_hands_and_lots_of_before_the_book_was_kept_are_counted_as_used(tmp_path: Path) -> None:
    await open_hands(tmp_path, 3)
    connection = sqlite3.connect(tmp_path / FILE)
    with connection:
        connection.execute("DROP TABLE dealer_shuffles")
        connection.execute("DELETE FROM schema_migrations WHERE set_name = 'dealer' AND version = 2")
    connection.close()
    text = await open_hands(tmp_path, 1, "table-2")
    assert counted(text, "shuffles_drawn") == counted(text, "shuffles_used") == 6


class FullDisk(StoredDraws):
    """Draws that cannot be kept."""

    async def add(self, drawn: Drawn, at: datetime, shuffle_id: str) -> None:
        raise StoreUnavailable("the disk is full")


class SlowDisk(StoredDraws):
    """Draws that take their time."""

    async def add(self, drawn: Drawn, at: datetime, shuffle_id: str) -> None:
        await asyncio.sleep(0.05)
        await super().add(drawn, at, shuffle_id)


async def draw(draws: type[StoredDraws], folder: Path, seconds: float = 5.0) -> None:
    """Lots drawn over such a store by a caller with so much patience."""
    store = await open_store(str(folder / FILE), "dealer", migrations)
    try:
        witness = DealerMetrics(new_registry(), get_log(), DealtStreets(60.0, time.monotonic))
        vault = Vault(parse_keys(f"one:{'a1' * 32}"))
        shuffles = Shuffles(StoredShuffles(store), SystemEntropy(), witness)
        lots = LotDraws(draws(store, vault), shuffles, SteadyClock(), witness)
        command = DrawLots(purpose="p", subject_id="s", entries=("a", "b"))
        await asyncio.wait_for(lots.draw("a draw", command), seconds)
    finally:
        await asyncio.sleep(0.2)
        await store.close()


async def test_a_shuffle_that_could_not_be_kept_is_voided_with_its_reason(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        await draw(FullDisk, tmp_path)
    assert shuffles_in(tmp_path) == [("lots", "voided", NOT_KEPT)]


async def test_a_caller_that_goes_away_leaves_no_shuffle_half_way(tmp_path: Path) -> None:
    with pytest.raises(asyncio.TimeoutError):
        await draw(SlowDisk, tmp_path, seconds=0.03)
    assert shuffles_in(tmp_path) == [("lots", "used", "")]


async def test_dealers_that_share_a_database_count_every_shuffle_once_between_them(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    url = PostgresUrl(await postgres.new_database())
    settings = Settings.from_env({"SEVENSTUD_DEALER_DATABASE": str(tmp_path / FILE)})
    drawn = 0
    async with AsyncExitStack() as stack:
        for number in range(1, 4):
            store = await open_database(url, "dealer", migrations)
            stack.push_async_callback(store.close)
            server = await stack.enter_async_context(serving(await assemble(settings, store)))
            channel = await stack.enter_async_context(calling(server.address))
            await Table(DealerServiceStub(channel), f"table-{number}").open(2)
            drawn += counted(await metrics_of(server.metrics_address), "shuffles_drawn")
    assert drawn == 3
