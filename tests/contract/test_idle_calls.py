"""Calls that nobody works at, as they have no message or nobody reads their answer, leave places for others."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_health.v1.health_pb2_grpc import HealthStub
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.client import unpack_error
from shared.rpc.drain import Drain
from shared.rpc.server import RunningServer
from shared.rpc.silent_calls import AT_ONCE
from tests.support.evaluator_double import EvaluatorDouble, assembly
from tests.support.raw_http2 import (
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    PREFACE,
    SETTINGS,
    RawConnection,
    call_headers,
    frame,
    message,
)
from tests.support.servers import calling, server_settings, serving

CALLS_MAX = 200
EVALUATE = "/sevenstud.evaluator.v1.EvaluatorService/Evaluate"
HEALTH = "/grpc.health.v1.Health/Check"
PATIENCE_SECONDS = 30.0
NOTHING_MAY_COME = frame(SETTINGS, 0, 0, b"\x00\x04" + bytes(4))
"""The window of every stream is shut: answers stay where they are."""
HAND = pb.EvaluateRequest(cards=[10, 20, 21, 22, 23])  # type: ignore[list-item]  # numbers of the wire


@pytest.fixture
async def server() -> AsyncIterator[RunningServer]:
    double = EvaluatorDouble(Drain())
    async with serving(assembly(double), server_settings(concurrent_calls_max=CALLS_MAX), double.drain) as running:
        yield running


async def idle(address: str, path: str, *, message_too: bool) -> RawConnection:
    """Many more calls than the server has places, of which none ends by itself."""
    connection = await RawConnection.open(address, greet=False)
    connection.writer.write(PREFACE + NOTHING_MAY_COME)
    await connection.settle()
    for number in range(2 * CALLS_MAX):
        stream = 2 * number + 1
        connection.writer.write(frame(HEADERS, END_HEADERS, stream, call_headers(path, "Bearer dev:player:mal")))
        if message_too:
            connection.writer.write(frame(DATA, END_STREAM, stream, message(HAND.SerializeToString())))
    await connection.writer.drain()
    return connection


async def each_is_looked_at(server: RunningServer) -> None:
    """Until the server has noticed."""
    calls = server._silent_calls
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not calls.wary():  # noqa: ASYNC110  # nobody rings when it does
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("message_too", [False, True])
@pytest.mark.parametrize("path", [EVALUATE, HEALTH])
async def test_calls_that_nobody_works_at_leave_places_for_others(
    server: RunningServer, path: str, message_too: bool
) -> None:
    attackers = [await idle(server.address, path, message_too=message_too) for _ in range(2)]
    await asyncio.sleep(1)
    async with calling(server.address, Caller(Role.PLAYER, "ann")) as channel:
        for _ in range(20):
            await EvaluatorServiceStub(channel).Evaluate(HAND, timeout=PATIENCE_SECONDS)
    for each in attackers:
        await each.close()


async def test_where_each_call_is_looked_at_all_is_answered_as_ever(server: RunningServer) -> None:
    attackers = [await idle(server.address, EVALUATE, message_too=False) for _ in range(2)]
    await each_is_looked_at(server)
    async with calling(server.address, Caller(Role.PLAYER, "ann")) as channel:
        stub: Any = EvaluatorServiceStub(channel)
        health: Any = HealthStub(channel)
        assert (await stub.Evaluate(HAND)).value == (await stub.Evaluate(HAND)).value
        assert (await stub.GetServiceInfo(pb.GetServiceInfoRequest())).info.service == "evaluator"
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await stub.Evaluate(pb.EvaluateRequest())
        assert unpack_error(failed.value).reason is Reason.REQUEST_INVALID
        watch = health.Watch(health_pb2.HealthCheckRequest())
        assert (await watch.read()).status is health_pb2.HealthCheckResponse.SERVING
    for each in attackers:
        await each.close()


async def test_a_call_without_a_message_is_told_so_and_one_more_than_a_player_may_have_is_refused(
    server: RunningServer,
) -> None:
    attackers = [await idle(server.address, EVALUATE, message_too=False) for _ in range(2)]
    await each_is_looked_at(server)
    never = asyncio.Event()

    async def nothing() -> AsyncIterator[pb.EvaluateRequest]:
        await never.wait()
        yield HAND

    async with calling(server.address, Caller(Role.PLAYER, "bob")) as channel:
        begin = channel.stream_unary(EVALUATE, request_serializer=pb.EvaluateRequest.SerializeToString)
        found = await asyncio.gather(*(begin(nothing()) for _ in range(AT_ONCE + 2)), return_exceptions=True)
    codes = Counter(each.code() for each in found if isinstance(each, grpc.aio.AioRpcError))
    assert codes == {grpc.StatusCode.DEADLINE_EXCEEDED: AT_ONCE, grpc.StatusCode.RESOURCE_EXHAUSTED: 2}
    for each in attackers:
        await each.close()
