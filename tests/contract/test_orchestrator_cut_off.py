"""An orchestrator that its database is cut off from, while another one plays on: its watchers are sent on."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import grpc
import pytest
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from shared.config.location import PostgresUrl
from shared.kernel.errors import Reason
from tests.support.ledger_house import refused
from tests.support.postgres_server import PostgresServer
from tests.support.postgres_way import Way
from tests.support.replica_suite import Replica, ReplicaSuite
from tests.support.stores import STORES
from tests.support.table_suite import events_until, heads_up, kinds

PATIENCE_SECONDS = 60.0
WHO = (("authorization", "Bearer dev:backend:lobby"),)


@dataclass
class Apart:
    """Two orchestrators, the second of which has a way of its own to the database."""

    suite: ReplicaSuite
    second: Replica
    way: Way


@pytest.fixture
async def apart(tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[Apart]:
    STORES.use(postgres)
    file, address = tmp_path / "orchestrator.sqlite", await postgres.new_database()
    try:
        async with AsyncExitStack() as stack:
            way = Way(postgres)
            longer = await stack.enter_async_context(way.to(address))
            STORES.lies_at(file, PostgresUrl(address))
            suite = await stack.enter_async_context(ReplicaSuite(tmp_path))
            STORES.lies_at(file, longer)
            yield Apart(suite, await suite.start_another(), way)
            way.cut = False
    finally:
        STORES.use(None)


async def the_end_of(stream: AsyncIterator[pb.WatchResponse]) -> pb.StreamEnded:
    """How the service ends a stream, whatever it tells before."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for item in stream:
            if item.WhichOneof("item") == "ended":
                return item.ended
    raise AssertionError("the stream ended without a word")


async def test_who_watches_is_sent_on_and_misses_nothing(apart: Apart) -> None:
    """They sat in silence: their turns ended, at the other one, without their hearing that these had begun."""
    table = await heads_up(apart.suite)
    await table.turn()
    watched = aiter(apart.second.tables.Watch(pb.WatchRequest(table_id=table.table_id, after_version=0)))
    lobby = aiter(apart.second.tables.WatchLobby(pb.WatchLobbyRequest()))
    before = await events_until(watched, "turn_started")
    apart.way.cut = True
    await table.play("2 bring_in", "1 fold")
    ended = await the_end_of(watched)
    assert ended.reason == "DEPENDENCY_UNAVAILABLE"
    assert ended.resume_after_version == before[-1].version
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (await anext(lobby)).ended.reason != "DEPENDENCY_UNAVAILABLE":
            pass
    resumed = apart.suite.tables.Watch(
        pb.WatchRequest(table_id=table.table_id, after_version=ended.resume_after_version)
    )
    assert kinds(await events_until(aiter(resumed), "hand_booked")).count("action_taken") == 2
    apart.way.cut = False
    await told_again(apart, table.table_id)


async def told_again(apart: Apart, table_id: str) -> None:
    """The second one is as good as the first, as soon as its database can be reached."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            try:
                stream = aiter(apart.second.tables.Watch(pb.WatchRequest(table_id=table_id, after_version=0)))
                await events_until(stream, "hand_booked")
            except (grpc.aio.AioRpcError, AssertionError):
                await asyncio.sleep(0.1)
            else:
                return


async def test_who_comes_is_sent_on_at_once_and_told_nothing_old(apart: Apart) -> None:
    """Also who does not ask for the health first."""
    table = await heads_up(apart.suite)
    await table.turn()
    watched = aiter(apart.second.tables.Watch(pb.WatchRequest(table_id=table.table_id)))
    await anext(watched)
    apart.way.cut = True
    await the_end_of(watched)
    async with grpc.aio.insecure_channel(apart.second.address) as channel:
        plain = TableServiceStub(channel)
        looked = plain.GetTable(pb.GetTableRequest(table_id=table.table_id), metadata=WHO)
        await refused(looked, Reason.DEPENDENCY_UNAVAILABLE)
        for stream in (
            plain.Watch(pb.WatchRequest(table_id=table.table_id), metadata=WHO),
            plain.WatchLobby(pb.WatchLobbyRequest(), metadata=WHO),
        ):
            await refused(anext(aiter(stream)), Reason.DEPENDENCY_UNAVAILABLE)
