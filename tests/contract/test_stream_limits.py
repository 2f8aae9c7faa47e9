"""Streams: those who watch leave room for those who act, and what a stream computes is paid for like a call."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import replace
from time import thread_time
from typing import Any

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2_grpc import HealthStub
from sevenstud.common.v1 import card_pb2
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from shared.kernel.caller import Caller, Role
from shared.rpc.caller_limits import MESSAGES_A_CALL, CallerLimits
from shared.rpc.client import unpack_error
from shared.rpc.context import Context
from shared.rpc.drain import Drain
from shared.rpc.rights import anybody
from tests.contract.test_caller_limits import opened
from tests.support.evaluator_double import EvaluatorDouble, assembly
from tests.support.servers import calling, server_settings, serving

ANN, OURS = Caller(Role.PLAYER, "ann"), Caller(Role.SERVICE, "orchestrator")
HAND = pb.EvaluateRequest(cards=[card_pb2.Card.ValueType(card) for card in (10, 20, 21, 22, 23)])


async def test_those_who_watch_never_keep_everybody_from_acting() -> None:
    """Each within its own limit, together they took every place, and no action came through any more."""
    double = EvaluatorDouble(Drain())
    open_to_all = replace(assembly(double), rights=dict.fromkeys(assembly(double).rights, anybody(*Role)))
    settings = server_settings(concurrent_calls_max=32, limits=CallerLimits(player_streams_max=8))
    async with serving(open_to_all, settings, double.drain) as server, AsyncExitStack() as held:
        connected = held.enter_async_context
        open_now: list[list[Any]] = []
        for number in range(5):
            crowd = await connected(calling(server.address, Caller(Role.PLAYER, f"watcher-{number}")))
            open_now.append(await opened(EvaluatorServiceStub(crowd), 8))
        assert [len(each) for each in open_now][-2:] == [0, 0]
        assert 15 <= sum(map(len, open_now)) <= 20  # the connections watch the health, too
        nameless: Any = HealthStub(await connected(grpc.aio.insecure_channel(server.address)))
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await nameless.Watch(HealthCheckRequest()).read()
        assert refused.value.code() is grpc.StatusCode.UNIMPLEMENTED
        ours = await connected(calling(server.address, OURS))
        open_now.append(await opened(EvaluatorServiceStub(ours), 1))
        assert len(open_now[-1]) == 1
        anns = EvaluatorServiceStub(await connected(calling(server.address, ANN)))
        assert (await anns.Evaluate(HAND)).value.strength


class Laborious(EvaluatorDouble):
    """Thinks for long before its first word, or before each of them."""

    def __init__(self, drain: Drain, messages: int) -> None:
        super().__init__(drain)
        self._messages = messages

    async def EstimateEquity(
        self, request: pb.EstimateEquityRequest, context: Context
    ) -> AsyncIterator[pb.EstimateEquityResponse]:
        for _ in range(self._messages):
            until = thread_time() + 0.01
            while thread_time() < until:
                pass
            yield pb.EstimateEquityResponse()


@pytest.mark.parametrize(("messages", "owed"), [(1, 20), (MESSAGES_A_CALL + 1, 20 + 20 * MESSAGES_A_CALL)])
async def test_what_a_stream_computes_is_paid_for_like_a_call(messages: int, owed: int) -> None:
    """Opened and ended again and again, or read to its end: the longest first word cost as much as the shortest."""
    double = Laborious(Drain(), messages)
    open_to_all = replace(assembly(double), rights=dict.fromkeys(assembly(double).rights, anybody(*Role)))
    asked = pb.EstimateEquityRequest(hands=[pb.EquityHand()] * 2)
    for per_second, limit in ((owed // 10, "calls_per_second"), (100 * owed, "")):
        settings = server_settings(limits=CallerLimits(player_calls_per_second=per_second))
        async with serving(open_to_all, settings, double.drain) as server, calling(server.address, ANN) as channel:
            stub, found = EvaluatorServiceStub(channel), ""
            assert len([each async for each in stub.EstimateEquity(asked)]) == messages
            try:
                await stub.Evaluate(HAND)
            except grpc.aio.AioRpcError as error:
                found = unpack_error(error).metadata.get("limit", "")
            assert found == limit
