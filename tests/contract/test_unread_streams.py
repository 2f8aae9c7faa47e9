"""Streams that nobody reads: cut off, told where to resume once they are read again, and no burden to others."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace

import grpc
import pytest
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub
from sevenstud.orchestrator.v1 import table_event_pb2, table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as table_service
from sevenstud.orchestrator.v1 import tournament_service_pb2 as tournament_service
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger

from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.caller_limits import CallerLimits
from shared.rpc.client import unpack_error
from shared.rpc.context import Context
from shared.rpc.drain import Drain
from shared.rpc.rights import anybody
from shared.rpc.server import RunningServer
from shared.rpc.unread import version_of
from tests.support.evaluator_double import EvaluatorDouble, assembly
from tests.support.raw_http2 import WINDOW_UPDATE, RawConnection, ended, frame
from tests.support.servers import calling, server_settings, serving

PATH, TOKEN = "/sevenstud.evaluator.v1.EvaluatorService/EstimateEquity", "Bearer dev:service:reader"
ASKED = pb.EstimateEquityRequest(hands=[pb.EquityHand(), pb.EquityHand()])
BACKEND = Caller(Role.BACKEND, "lobby")
WIDE_OPEN = (2**30).to_bytes(4, "big")
PATIENCE_SECONDS = 20.0


class Talkative(EvaluatorDouble):
    """Streams for ever."""

    def __init__(self, drain: Drain) -> None:
        super().__init__(drain)
        self.open = self.ended = 0

    async def EstimateEquity(
        self, request: pb.EstimateEquityRequest, context: Context
    ) -> AsyncIterator[pb.EstimateEquityResponse]:
        self.open += 1
        try:
            while True:
                yield pb.EstimateEquityResponse(equities=[pb.HandEquity(share_millionths=1)] * 500)
        finally:
            self.ended += 1


@pytest.fixture
async def double() -> Talkative:
    return Talkative(Drain())


@pytest.fixture
async def server(double: Talkative) -> AsyncIterator[RunningServer]:
    settings = server_settings(unread_seconds_max=0.3)
    async with serving(assembly(double), settings, double.drain) as running_server:
        yield running_server


async def until_all_are_cut_off(double: Talkative, count: int) -> None:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while double.ended < count:  # noqa: ASYNC110  # as a gauge is read
            await asyncio.sleep(0.02)


async def test_a_stream_that_is_not_read_ends_its_handler_and_says_why_once_it_is_read(
    server: RunningServer, double: Talkative
) -> None:
    connection = await RawConnection.open(server.address)
    await connection.settle()
    streams = [await connection.call(PATH, TOKEN, ASKED.SerializeToString()) for _ in range(5)]
    await until_all_are_cut_off(double, 5)
    assert server._pipeline._senders.lingering == 5
    opened = (0, *streams)
    connection.writer.write(b"".join(frame(WINDOW_UPDATE, 0, stream, WIDE_OPEN) for stream in opened))
    found: set[int] = set()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while found != set(streams):
            found |= set(ended(await connection.frames(0.2)))
        while server._pipeline._senders.lingering:  # noqa: ASYNC110  # as a gauge is read
            await asyncio.sleep(0.02)
    await connection.close()


async def test_who_never_reads_and_hangs_up_leaves_nothing_behind(server: RunningServer, double: Talkative) -> None:
    connection = await RawConnection.open(server.address)
    await connection.settle()
    for _ in range(5):
        await connection.call(PATH, TOKEN, ASKED.SerializeToString())
    await until_all_are_cut_off(double, 5)
    await connection.close()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while server._pipeline._senders.lingering:  # noqa: ASYNC110  # as a gauge is read
            await asyncio.sleep(0.02)


async def test_others_are_served_while_streams_are_not_read(server: RunningServer, double: Talkative) -> None:
    async with AsyncExitStack() as stack:
        connection = await RawConnection.open(server.address)
        await connection.settle()
        stack.push_async_callback(connection.close)
        for _ in range(100):
            await connection.call(PATH, TOKEN, ASKED.SerializeToString())
        stub = EvaluatorServiceStub(await stack.enter_async_context(calling(server.address)))
        assert await stub.EvaluateBatch(pb.EvaluateBatchRequest()) == pb.EvaluateBatchResponse()
        await until_all_are_cut_off(double, 100)


async def test_streams_that_were_cut_off_keep_nobody_out(double: Talkative) -> None:
    """Their last word waits with the transport for as long as the connection lasts."""
    settings = server_settings(unread_seconds_max=0.3, unary_calls_max=20)
    async with serving(assembly(double), settings, double.drain) as server, calling(server.address) as channel:
        connection = await RawConnection.open(server.address)
        await connection.settle()
        for _ in range(40):
            await connection.call(PATH, TOKEN, ASKED.SerializeToString())
        await until_all_are_cut_off(double, 40)
        stub = EvaluatorServiceStub(channel)
        for _ in range(5):
            assert await stub.EvaluateBatch(pb.EvaluateBatchRequest()) == pb.EvaluateBatchResponse()
            await asyncio.sleep(0.03)
        await connection.close()


async def test_a_stream_that_was_cut_off_counts_for_its_caller_until_its_connection_ends(double: Talkative) -> None:
    """Or one caller, who opens more each time they are cut off, takes all places of the transport."""
    limits = CallerLimits(house_streams_max=5)
    settings = server_settings(unread_seconds_max=0.3, limits=limits)
    made = assembly(double)
    house = replace(made, rights=dict.fromkeys(made.rights, anybody(Role.BACKEND)))
    async with serving(house, settings, double.drain) as server, calling(server.address, BACKEND) as channel:
        connection = await RawConnection.open(server.address)
        await connection.settle()
        for _ in range(5):
            await connection.call(PATH, f"Bearer dev:backend:{BACKEND.id}", ASKED.SerializeToString())
        await until_all_are_cut_off(double, 5)
        stub = EvaluatorServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await anext(aiter(stub.EstimateEquity(ASKED)))
        assert unpack_error(failed.value).metadata == {"limit": "streams_max"}
        await connection.close()
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await _no_place(stub):  # noqa: ASYNC110  # as a caller would
                await asyncio.sleep(0.05)


async def _no_place(stub: EvaluatorServiceStub) -> bool:
    stream = stub.EstimateEquity(ASKED)
    try:
        await anext(aiter(stream))
    except grpc.aio.AioRpcError as refused:
        return unpack_error(refused).metadata == {"limit": "streams_max"}
    stream.cancel()
    return False


async def test_the_last_word_is_a_limit_with_its_reason(server: RunningServer) -> None:
    """The transport's own client takes what it is sent, so the wait is made at the server: nothing is in time."""
    server._pipeline._senders._seconds = 0.0
    async with calling(server.address) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            async for _ in EvaluatorServiceStub(channel).EstimateEquity(ASKED):
                pass
    error = unpack_error(failed.value)
    assert (error.code, error.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, Reason.LIMIT_REACHED)
    assert error.metadata == {"limit": "unread_seconds_max"}


def test_every_stream_with_versions_says_where_to_resume() -> None:
    event = table_event_pb2.TableEvent(version=7)
    fact = ledger.WatchResponse()
    fact.fact.version = 9
    assert version_of(table_service.WatchResponse(event=event)) == 7
    assert version_of(table_service.WatchResponse(table=table_pb2.TableView(version=8))) == 8
    assert version_of(fact) == 9
    assert version_of(tournament_service.WatchTournamentResponse(event={"version": 3})) == 3  # type: ignore[arg-type]  # a short form
    assert version_of(pb.EstimateEquityResponse(final=True)) is None
    assert version_of(None) is None
