"""Actions of many tables go to betting together, and each is answered as if it had gone alone."""

import asyncio
from collections.abc import Callable
from typing import Any

import grpc
import pytest
from sevenstud.betting.v1 import betting_service_pb2 as pb
from sevenstud.betting.v1.betting_service_pb2_grpc import BettingServiceStub
from sevenstud.common.v1 import betting_pb2

from services.betting.rpc.assembly import betting_assembly
from services.orchestrator.adapters.acting_together import CALLS_MAX, TOGETHER_MAX, ActingTogether
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError, Reason
from shared.rpc.client import unpack_error
from shared.rpc.mirror import to_proto
from tests.bench.messages import messages, next_raise, raised_state
from tests.support.servers import calling, serving

MANY = 3 * TOGETHER_MAX


def asked(number: int) -> pb.ActRequest:
    """The raise of a table, each table with another history; every seventh asks for what it may not."""
    request = to_proto(next_raise(raised_state(number % 5)), pb.ActRequest)
    if number % 7 == 0:
        request.kind, request.to_chips = betting_pb2.ACTION_KIND_CHECK, 0
    return request


async def alone(stub: BettingServiceStub, request: pb.ActRequest) -> pb.ActResponse | Reason | None:
    try:
        return await stub.Act(request)
    except grpc.aio.AioRpcError as error:
        return unpack_error(error).reason


async def together(acting: ActingTogether, request: pb.ActRequest) -> pb.ActResponse | Reason | None:
    try:
        return await acting.act(request)
    except DomainError as refusal:
        return refusal.reason


def counted(name: str, call: Callable[[Any], Any], calls: list[str]) -> Callable[[Any], Any]:
    def counting(request: Any) -> Any:
        calls.append(name)
        return call(request)

    return counting


async def test_many_who_act_at_once_get_what_each_would_have_got_alone() -> None:
    requests = [asked(number) for number in range(MANY)]
    async with serving(betting_assembly()) as server, calling(server.address) as channel:
        stub = BettingServiceStub(channel)
        acting = ActingTogether(stub)
        answers = await asyncio.gather(*(together(acting, request) for request in requests))
        assert answers == [await alone(stub, request) for request in requests]
    assert answers.count(Reason.ACTION_NOT_LEGAL) == len(range(0, MANY, 7))


async def test_they_take_few_calls_and_one_alone_takes_one() -> None:
    calls: list[str] = []

    request, _ = messages()
    async with serving(betting_assembly()) as server, calling(server.address) as channel:
        stub = BettingServiceStub(channel)
        for name in ("Act", "ActTogether"):
            setattr(stub, name, counted(name, getattr(stub, name), calls))
        acting = ActingTogether(stub)
        await acting.act(request)
        assert calls == ["Act"]
        await asyncio.gather(*(acting.act(request) for _ in range(MANY)))
    assert calls.count("Act") == 1 + CALLS_MAX
    assert calls.count("ActTogether") <= MANY // TOGETHER_MAX + CALLS_MAX


async def test_all_who_wait_are_told_that_betting_is_away() -> None:
    request, _ = messages()
    async with serving(betting_assembly()) as server:
        address = server.address
    async with calling(address, unary_seconds=0.3) as channel:
        acting = ActingTogether(BettingServiceStub(channel))
        outcomes = await asyncio.gather(*(acting.act(request) for _ in range(MANY)), return_exceptions=True)
    assert {type(outcome) for outcome in outcomes} == {ServiceAway}


async def test_who_goes_while_it_waits_holds_up_nobody() -> None:
    request, _ = messages()
    async with serving(betting_assembly()) as server, calling(server.address) as channel:
        acting = ActingTogether(BettingServiceStub(channel))
        tasks = [asyncio.create_task(acting.act(request)) for _ in range(MANY)]
        await asyncio.sleep(0)
        gone, stayed = tasks[CALLS_MAX::2], [*tasks[:CALLS_MAX], *tasks[CALLS_MAX + 1 :: 2]]
        for task in gone:
            task.cancel()
        answers = await asyncio.wait_for(asyncio.gather(*stayed), 30)
        assert len(answers) == len(stayed)
        assert await acting.act(request) == answers[0]


@pytest.mark.parametrize("number", [0, TOGETHER_MAX + 1])
async def test_no_action_and_too_many_are_refused(number: int) -> None:
    request = pb.ActTogetherRequest(actions=[messages()[0]] * number)
    async with serving(betting_assembly()) as server, calling(server.address) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as refused:
            await BettingServiceStub(channel).ActTogether(request)
    error = unpack_error(refused.value)
    assert (error.reason, error.violations[0].field) == (Reason.REQUEST_INVALID, "actions")


async def test_a_call_that_hangs_holds_up_nobody_else() -> None:
    request, answer = messages()
    hanging = asyncio.Event()

    async def hang(_: pb.ActRequest) -> pb.ActResponse:
        await hanging.wait()
        return answer

    async with serving(betting_assembly()) as server, calling(server.address) as channel:
        stub = BettingServiceStub(channel)
        stub.Act = hang  # type: ignore[assignment]  # the first call is to a service that hangs
        acting = ActingTogether(stub)
        first = asyncio.create_task(acting.act(request))
        await asyncio.sleep(0)
        others = await asyncio.wait_for(asyncio.gather(*(acting.act(request) for _ in range(MANY))), 30)
        assert not first.done()
        hanging.set()
        assert await first == others[0] == answer
