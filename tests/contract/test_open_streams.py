"""Health and reflection are open to whoever connects; their streams leave room for those who have a name."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from typing import Any, cast

import grpc
import pytest
from grpc_health.v1 import health_pb2
from grpc_health.v1.health_pb2_grpc import HealthStub
from grpc_reflection.v1alpha import reflection_pb2
from grpc_reflection.v1alpha.reflection_pb2_grpc import ServerReflectionStub
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.caller_limits import BURST_SECONDS, CallerLimits
from shared.rpc.client import unpack_error
from shared.rpc.drain import Drain
from shared.rpc.open_streams import OF_CONNECTION_MAX
from shared.rpc.server import RunningServer
from tests.support.evaluator_double import EvaluatorDouble, assembly
from tests.support.servers import calling, server_settings, serving

CALLS_MAX = 60
IN_ALL = CALLS_MAX // 2
PATIENCE_SECONDS = 20.0
HAND = pb.EvaluateRequest(cards=[10, 20, 21, 22, 23])  # type: ignore[list-item]  # numbers of the wire


@pytest.fixture
async def server() -> AsyncIterator[RunningServer]:
    double = EvaluatorDouble(Drain())
    async with serving(assembly(double), server_settings(concurrent_calls_max=CALLS_MAX), double.drain) as running:
        yield running


async def opened(kind: str, channel: grpc.aio.Channel) -> Any:
    """A stream that has been answered and stays open; None where it was refused as one too many."""
    call = begun(kind, channel)
    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await call.read()
    except grpc.aio.AioRpcError as error:
        if "SendMessageOperation" in (error.debug_error_string() or ""):
            return await opened(kind, channel)  # refused before it had asked: gRPC's client tells no status then
        if is_one_too_many(kind, error):
            return None
        raise
    return call


def is_one_too_many(kind: str, error: grpc.aio.AioRpcError) -> bool:
    """Whether it was refused as it should be: clients that balance by health go on without."""
    if kind == "health":
        return error.code() is grpc.StatusCode.UNIMPLEMENTED
    told = unpack_error(error)
    return (told.reason, told.metadata) == (Reason.LIMIT_REACHED, {"limit": "open_streams_max"})


def begun(kind: str, channel: Any) -> Any:
    """A stream of this kind, just begun."""
    if kind == "health":
        health: Any = HealthStub(channel)
        return health.Watch(health_pb2.HealthCheckRequest())

    async def asked() -> AsyncIterator[reflection_pb2.ServerReflectionRequest]:
        yield reflection_pb2.ServerReflectionRequest(list_services="")
        await asyncio.Event().wait()

    reflection: Any = ServerReflectionStub(channel)
    return reflection.ServerReflectionInfo(asked())


def connection(server: RunningServer) -> grpc.aio.Channel:
    """A connection of its own."""
    return grpc.aio.insecure_channel(server.address, options=[("grpc.use_local_subchannel_pool", 1)])


@pytest.mark.parametrize("kind", ["health", "reflection"])
async def test_streams_without_a_name_never_take_all_the_places(server: RunningServer, kind: str) -> None:
    async with AsyncExitStack() as held, calling(server.address, Caller(Role.PLAYER, "ann")) as anns:
        counts: list[int] = []
        calls: list[Any] = []
        for _ in range(4):
            channel = await held.enter_async_context(connection(server))
            mine = [call for _ in range(OF_CONNECTION_MAX + 4) if (call := await opened(kind, channel)) is not None]
            counts.append(len(mine))
            calls += mine
        assert counts == [OF_CONNECTION_MAX, IN_ALL - OF_CONNECTION_MAX, 0, 0]
        assert (await EvaluatorServiceStub(anns).Evaluate(HAND)).value.strength
        for call in calls:
            call.cancel()
        async with asyncio.timeout(PATIENCE_SECONDS):
            another = await held.enter_async_context(connection(server))
            while await opened(kind, another) is None:  # noqa: ASYNC110  # until the places are free again
                await asyncio.sleep(0.01)


async def test_questions_on_one_stream_are_held_to_the_pace_of_calls() -> None:
    """A stream of them has no end, and an answer has 30 KB: sixteen streams had others wait six times as long."""
    double = EvaluatorDouble(Drain())
    slow = server_settings(limits=CallerLimits(player_calls_per_second=1))
    async with serving(assembly(double), slow, double.drain) as running, calling(running.address) as named:
        answers = list[reflection_pb2.ServerReflectionResponse]()
        async with asyncio.timeout(PATIENCE_SECONDS), grpc.aio.insecure_channel(running.address) as channel:
            reflection: Any = ServerReflectionStub(cast("Any", channel))
            with pytest.raises(grpc.aio.AioRpcError) as failed:
                await asked_without_end(reflection.ServerReflectionInfo(), answers)
        told = unpack_error(failed.value)
        assert (told.reason, told.metadata) == (Reason.LIMIT_REACHED, {"limit": "calls_per_second"})
        assert len(answers) >= BURST_SECONDS
        await EvaluatorServiceStub(named).Evaluate(HAND)


async def asked_without_end(stream: Any, answers: list[reflection_pb2.ServerReflectionResponse]) -> None:
    """One question after the other: who is refused while it asks is told no status by gRPC's client."""
    while True:
        await stream.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        answers.append(await stream.read())
