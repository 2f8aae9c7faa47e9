"""Two dealers on one database whose keys change while hands are dealt: every dealer opens what any of them sealed."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager

from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from services.dealer.__main__ import assemble
from services.dealer.adapters import migrations
from services.dealer.settings import Settings
from shared.config.location import PostgresUrl
from shared.kernel.errors import Reason
from shared.storage.opening import open_database
from tests.support.dealer_calls import Table, fresh, refused
from tests.support.postgres_server import PostgresServer
from tests.support.servers import calling, serving

OLD, NEW = "old:" + "a1" * 32, "new:" + "b2" * 32
PASSES = (f"{OLD},{NEW}", f"{NEW},{OLD}")
"""First every dealer learns the new key, then every dealer seals with it."""


@asynccontextmanager
async def dealer(url: str, keys: str) -> AsyncGenerator[DealerServiceStub]:
    settings = Settings.from_env({"SEVENSTUD_DEALER_KEYS": keys, "SEVENSTUD_DEALER_DATABASE": url})
    store = await open_database(PostgresUrl(url), "dealer", migrations)
    try:
        async with serving(await assemble(settings, store)) as server, calling(server.address) as channel:
            yield DealerServiceStub(channel)
    finally:
        await store.close()


async def dealt_by_the_other(opens: DealerServiceStub, deals: DealerServiceStub, table_id: str) -> None:
    """A hand that one opens and the other deals from."""
    hand = await Table(opens, table_id).open(3)
    hand.stub = deals
    await hand.deal(3)


async def test_keys_rotate_in_two_passes_while_hands_go_from_dealer_to_dealer(postgres: PostgresServer) -> None:
    url = await postgres.new_database()
    keys = [OLD, OLD]
    for ring in PASSES:
        for replaced in (0, 1):
            keys[replaced] = ring
            async with AsyncExitStack() as stack:
                one, other = [await stack.enter_async_context(dealer(url, each)) for each in keys]
                await dealt_by_the_other(one, other, fresh())
                await dealt_by_the_other(other, one, fresh())


async def test_a_dealer_that_does_not_know_the_new_key_yet_refuses_hands_sealed_with_it(
    postgres: PostgresServer,
) -> None:
    url = await postgres.new_database()
    async with dealer(url, OLD) as late, dealer(url, PASSES[1]) as early:
        hand = await Table(early, fresh()).open(3)
        hand.stub = late
        assert (await refused(hand.deal(3))).reason is Reason.NOT_FOUND
