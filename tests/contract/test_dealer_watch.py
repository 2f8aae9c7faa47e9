"""The alarms of the dealer over its contract: cards that are not chance, and a street that nothing followed."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from services.dealer import __main__ as dealer_main
from services.dealer.__main__ import assemble
from services.dealer.adapters import migrations
from services.dealer.application.live_watch import LiveWatch
from services.dealer.domain import commitment
from services.dealer.domain.shuffle import shuffle
from services.dealer.settings import Settings
from shared.config.location import PostgresUrl
from shared.rpc.server import RunningServer
from shared.storage.database import Store
from shared.storage.opening import open_database
from tests.support.dealer_calls import Table, counted, dealer, metrics_of
from tests.support.postgres_server import PostgresServer
from tests.support.servers import calling, serving

LOOK_EVERY = 20


def ace_first(items: Sequence[int], source: Iterator[int]) -> tuple[int, ...]:
    """A fault: the last card of a new deck always lies first."""
    order = list(fair(items, source))
    at = order.index(52)
    order[0], order[at] = order[at], order[0]
    return tuple(order)


fair = shuffle


@pytest.fixture(autouse=True)
def look_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealer_main, "LiveWatch", partial(LiveWatch, look_every_hands=LOOK_EVERY))


async def play(server: RunningServer, hands: int, table_id: str = "table-1", *, closed: bool = True) -> str:
    """Hands of one street, closed or voided; the page of the metrics afterwards."""
    async with calling(server.address) as channel:
        table = Table(DealerServiceStub(channel), table_id)
        for _ in range(hands):
            hand = await table.open(3)
            await hand.deal(3)
            await (hand.close() if closed else hand.void())
    return await metrics_of(server.metrics_address)


def value(page: str, name: str) -> float:
    return next(float(line.split()[1]) for line in page.splitlines() if line.startswith(f"sevenstud_dealer_{name} "))


async def test_fair_hands_are_counted_over_restarts_and_raise_no_alarm(tmp_path: Path) -> None:
    async with dealer(tmp_path) as server:
        page = await play(server, LOOK_EVERY)
    assert value(page, "watch_hands") == LOOK_EVERY
    assert counted(page, "watch_alarms") == 0
    async with dealer(tmp_path) as server:
        page = await play(server, LOOK_EVERY, "table-2")
    assert value(page, "watch_hands") == 2 * LOOK_EVERY


async def test_an_ace_that_always_lies_first_raises_both_alarms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commitment, "shuffle", ace_first)
    async with dealer(tmp_path) as server:
        page = await play(server, LOOK_EVERY)
    assert 'watch_alarms_total{figure="card_by_position"} 1.0' in page
    assert 'watch_alarms_total{figure="furthest_cell"} 1.0' in page


@pytest.mark.parametrize("scripted_decks", [False, True])
async def test_voided_hands_and_hands_of_a_dealer_that_may_be_told_its_cards_are_not_counted(
    tmp_path: Path, scripted_decks: bool
) -> None:
    async with dealer(tmp_path, scripted_decks=scripted_decks) as server:
        page = await play(server, LOOK_EVERY, closed=scripted_decks)
    assert value(page, "watch_hands") == 0


async def test_a_street_that_nothing_follows_shows_in_the_metrics_until_something_does(tmp_path: Path) -> None:
    async with (
        dealer(tmp_path, street_silence_seconds=0.0) as server,
        calling(server.address) as channel,
    ):
        hand = await Table(DealerServiceStub(channel)).open(3)
        assert value(await metrics_of(server.metrics_address), "streets_unfollowed") == 0
        await hand.deal(3)
        assert value(await metrics_of(server.metrics_address), "streets_unfollowed") == 1
        await hand.close()
        assert value(await metrics_of(server.metrics_address), "streets_unfollowed") == 0


async def test_a_street_that_another_dealer_went_on_from_raises_no_alarm(
    postgres: PostgresServer, tmp_path: Path
) -> None:
    """Calls go round the dealers of a database: each alone would see streets that nothing follows all the time."""
    url = PostgresUrl(await postgres.new_database())
    settings = Settings.from_env({"SEVENSTUD_DEALER_DATABASE": str(tmp_path / "none.sqlite")})
    settings = replace(settings, street_silence_seconds=0.05)
    async with AsyncExitStack() as stack:
        store, other = [await stack.enter_async_context(a_store(url)) for _ in range(2)]
        streets = dealer_main.dealt_streets(settings, store)
        server = await stack.enter_async_context(serving(await assemble(settings, store, streets=streets)))
        second = await stack.enter_async_context(serving(await assemble(settings, other)))
        channel = await stack.enter_async_context(calling(server.address))
        hand = await Table(DealerServiceStub(channel)).open(3)
        await hand.deal(3)
        assert value(await metrics_of(server.metrics_address), "streets_unfollowed") == 0  # nobody looked yet
        await stack.enter_async_context(dealer_main.among_other_dealers(settings, store, streets))
        await until(server, "streets_unfollowed", 1)
        hand.stub = DealerServiceStub(await stack.enter_async_context(calling(second.address)))
        await hand.deal(3)
        await until(server, "streets_unfollowed", 0)


@asynccontextmanager
async def a_store(url: PostgresUrl) -> AsyncGenerator[Store, None]:
    store = await open_database(url, "dealer", migrations)
    try:
        yield store
    finally:
        await store.close()


async def until(server: RunningServer, name: str, expected: float) -> None:
    """The metric comes to this."""
    async with asyncio.timeout(30):
        while value(await metrics_of(server.metrics_address), name) != expected:  # noqa: ASYNC110  # a page is polled
            await asyncio.sleep(0.02)
