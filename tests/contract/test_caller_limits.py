"""How much one caller may ask: nobody takes the service from the others, and what is counted stays small."""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import ExitStack, suppress
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

from shared.config.env import Env
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import DomainError, Reason
from shared.rpc.caller_limits import (
    BURST_SECONDS,
    CALL_SECONDS,
    CALLERS_KEPT_MAX,
    MESSAGES_A_CALL,
    Admission,
    CallerLimits,
)
from shared.rpc.client import unpack_error
from shared.rpc.context import Context
from shared.rpc.drain import Drain
from shared.rpc.rights import anybody
from shared.rpc.server import RunningServer
from tests.support.evaluator_double import EvaluatorDouble, assembly
from tests.support.servers import calling, server_settings, serving

ANN, BOB = Caller(Role.PLAYER, "ann"), Caller(Role.PLAYER, "bob")
HOUSE, OURS = Caller(Role.BACKEND, "lobby"), Caller(Role.SERVICE, "orchestrator")
PEER = "ipv4:10.0.0.7:5000"
PATIENCE_SECONDS = 20.0
SLOW_HAND = pb.EvaluateRequest(cards=[card_pb2.Card.ValueType(card) for card in (3, 20, 21, 22, 23)])
HAND = pb.EvaluateRequest(cards=[card_pb2.Card.ValueType(card) for card in (10, 20, 21, 22, 23)])


class Clock:
    """Time that stands still until it is moved."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


def admitted(admission: Admission, caller: Caller | None, tries: int, kind: str = "") -> int:
    """How many of so many calls are let in."""
    count = 0
    for _ in range(tries):
        try:
            admission.admit(caller, PEER, kind)
        except DomainError as refusal:
            known = (refusal.reason, refusal.metadata) == (Reason.LIMIT_REACHED, {"limit": "calls_per_second"})
            if not known:
                raise
        else:
            count += 1
    return count


def test_a_caller_may_ask_in_a_burst_and_then_at_its_pace() -> None:
    clock = Clock()
    admission = Admission(CallerLimits(player_calls_per_second=10), clock)
    assert admitted(admission, ANN, 1000) == 10 * BURST_SECONDS
    clock.now += 1.001
    assert admitted(admission, ANN, 1000) == 10
    clock.now += 3600
    assert admitted(admission, ANN, 1000) == 10 * BURST_SECONDS


def test_each_caller_has_a_pace_of_its_own() -> None:
    admission = Admission(CallerLimits(player_calls_per_second=1, house_calls_per_second=100), Clock())
    assert admitted(admission, ANN, 10) == BURST_SECONDS
    assert admitted(admission, BOB, 10) == BURST_SECONDS
    assert admitted(admission, None, 10) == BURST_SECONDS
    assert admitted(admission, HOUSE, 1000) == 100 * BURST_SECONDS


def test_our_own_services_have_no_limit_and_zero_is_none() -> None:
    admission = Admission(
        CallerLimits(player_calls_per_second=0, house_calls_per_second=1, player_streams_max=1), Clock()
    )
    assert admitted(admission, OURS, 100_000) == admitted(admission, ANN, 100_000) == 100_000
    assert not admission.known


def test_a_pace_below_one_a_burst_still_lets_one_call_in() -> None:
    clock = Clock()
    admission = Admission(CallerLimits(player_calls_per_second=1), clock)
    admitted(admission, ANN, 100)
    clock.now += 1.001
    assert admitted(admission, ANN, 100) == 1


def test_what_is_remembered_of_callers_does_not_grow() -> None:
    clock = Clock()
    admission = Admission(CallerLimits(), clock)
    for number in range(3 * CALLERS_KEPT_MAX):
        admission.admit(Caller(Role.PLAYER, str(number)), PEER)
    assert len(admission.known) == CALLERS_KEPT_MAX


def test_streams_are_given_back() -> None:
    admission = Admission(CallerLimits(player_streams_max=2))
    for _ in range(3):
        with ExitStack() as held:
            for caller in (ANN, ANN, BOB):
                held.enter_context(admission.stream(caller, PEER))
            with pytest.raises(DomainError, match="2 streams at a time"), admission.stream(ANN, PEER):
                raise AssertionError("a stream too many")
    assert not admission._streams


def test_settings_say_the_limits_and_their_faults() -> None:
    env = Env("betting", {"SEVENSTUD_BETTING_PLAYER_CALLS_PER_SECOND": "7", "SEVENSTUD_BETTING_HOUSE_STREAMS_MAX": "9"})
    found = CallerLimits.from_env(env)
    assert (found.player_calls_per_second, found.house_streams_max) == (7, 9)
    assert found.house_calls_per_second == CallerLimits().house_calls_per_second


@pytest.fixture
async def server() -> AsyncIterator[RunningServer]:
    double = EvaluatorDouble(Drain())
    settings = server_settings(limits=CallerLimits(player_calls_per_second=1, player_streams_max=1))
    async with serving(assembly(double), settings, double.drain) as running_server:
        yield running_server


async def test_one_too_many_is_told_when_to_come_back_and_others_are_served(server: RunningServer) -> None:
    async with calling(server.address, ANN) as anns, calling(server.address, BOB) as bobs:
        refused: list[grpc.aio.AioRpcError] = []
        for _ in range(20):
            try:
                await EvaluatorServiceStub(anns).Evaluate(HAND)
            except grpc.aio.AioRpcError as error:
                refused.append(error)
        assert len(refused) >= 10
        assert {unpack_error(each).code for each in refused} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
        assert "google.rpc.RetryInfo" in str(dict(list(refused[0].trailing_metadata()))["grpc-status-details-bin"])
        assert (await EvaluatorServiceStub(bobs).Evaluate(HAND)).value.strength


async def test_callers_without_a_name_are_counted_by_their_machine(server: RunningServer) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        stub = EvaluatorServiceStub(channel)
        codes: list[grpc.StatusCode] = []
        for _ in range(20):
            try:
                await stub.GetServiceInfo(pb.GetServiceInfoRequest())
            except grpc.aio.AioRpcError as error:
                codes.append(error.code())
        assert len(codes) >= 10
        assert set(codes) == {grpc.StatusCode.RESOURCE_EXHAUSTED}


async def opened(stub: EvaluatorServiceStub, count: int) -> list[Any]:
    """The streams that were begun, of so many that were asked for."""
    calls: list[Any] = [
        stub.EstimateEquity(pb.EstimateEquityRequest(hands=[pb.EquityHand()] * 2)) for _ in range(count)
    ]
    found = await asyncio.gather(*(call.read() for call in calls), return_exceptions=True)
    refused = [unpack_error(each) for each in found if isinstance(each, grpc.aio.AioRpcError)]
    assert {each.reason for each in refused} <= {Reason.LIMIT_REACHED}
    return [call for call, first in zip(calls, found, strict=True) if isinstance(first, pb.EstimateEquityResponse)]


async def test_one_back_end_never_has_all_the_places_of_a_server() -> None:
    """It may speak for many players, and is one caller all the same: others watch and act beside it."""
    double = EvaluatorDouble(Drain())
    open_to_all = replace(assembly(double), rights=dict.fromkeys(assembly(double).rights, anybody(*Role)))
    settings = server_settings(concurrent_calls_max=32, unary_calls_max=8, unary_seconds_max=60.0)
    async with (
        serving(open_to_all, settings, double.drain) as server,
        calling(server.address, HOUSE) as greedy,
        calling(server.address, Caller(Role.AUDITOR, "modest")) as modest,
    ):
        streams = await opened(EvaluatorServiceStub(greedy), 20)
        assert len(streams) == 16
        assert len(await opened(EvaluatorServiceStub(modest), 2)) == 2
        for each in streams:
            each.cancel()
        slow = [asyncio.ensure_future(EvaluatorServiceStub(greedy).Evaluate(SLOW_HAND)) for _ in range(8)]
        done, pending = await asyncio.wait(slow, timeout=PATIENCE_SECONDS, return_when=asyncio.FIRST_COMPLETED)
        assert (await EvaluatorServiceStub(modest).Evaluate(HAND)).value.strength
        assert done
        for each in pending:
            each.cancel()
        await asyncio.gather(*slow, return_exceptions=True)


def test_what_the_house_may_have_at_a_time_follows_from_the_server() -> None:
    found = CallerLimits(house_streams_max=5000).within(2000, 500)
    assert (found.house_streams_max, found.house_calls_at_once) == (1000, 375)
    assert CallerLimits(house_streams_max=7).within(2000, 500).house_streams_max == 7
    assert CallerLimits(house_calls_at_once=8).within(2000, 500).calls_at_once(HOUSE) == 8
    assert CallerLimits(house_calls_at_once=400).within(2000, 500).calls_at_once(HOUSE) == 375
    assert found.streams_in_all_max == 1250
    assert found.streams_max(OURS) == found.calls_at_once(OURS) == 0
    assert (found.streams_max(HOUSE), found.calls_at_once(HOUSE)) == (1000, 375)


async def test_whoever_asks_faster_than_it_may_has_nobody_else_refused() -> None:
    """Its calls that wait to be refused are no work, and nobody's place is taken by them."""
    double = EvaluatorDouble(Drain())
    settings = server_settings(unary_calls_max=20, limits=CallerLimits(player_calls_per_second=1))
    own: Counter[str] = Counter()
    others: list[grpc.aio.AioRpcError] = []
    async with (
        serving(assembly(double), settings, double.drain) as server,
        calling(server.address, ANN) as greedy,
        calling(server.address, OURS) as modest,
    ):
        flood = [asyncio.create_task(_never_content(EvaluatorServiceStub(greedy), own)) for _ in range(120)]
        async with asyncio.timeout(PATIENCE_SECONDS):
            while own["calls_per_second"] < len(flood):  # noqa: ASYNC110  # until it is refused for its pace
                await asyncio.sleep(0.01)
        for _ in range(20):
            try:
                await EvaluatorServiceStub(modest).Evaluate(HAND)
            except grpc.aio.AioRpcError as error:
                others.append(error)
            await asyncio.sleep(0.05)
        for each in flood:
            each.cancel()
        await asyncio.gather(*flood, return_exceptions=True)
    assert not others


async def _never_content(stub: EvaluatorServiceStub, told: Counter[str]) -> None:
    """Asks again at once, whatever the answer is; counts the limits that it is told."""
    while True:
        try:
            await stub.Evaluate(HAND)
        except grpc.aio.AioRpcError as error:
            told[unpack_error(error).metadata.get("limit", "")] += 1


async def test_the_services_of_the_suite_are_never_held_up(server: RunningServer) -> None:
    async with calling(server.address, OURS) as channel:
        for _ in range(50):
            await EvaluatorServiceStub(channel).Evaluate(HAND)


async def _health(channel: grpc.aio.Channel) -> None:
    stub: Any = HealthStub(channel)
    await stub.Check(HealthCheckRequest())


async def _unserved(channel: grpc.aio.Channel) -> None:
    guess: Any = channel.unary_unary("/sevenstud.evaluator.v1.EvaluatorService/Guess")
    await guess(b"")


@pytest.mark.parametrize("ask", [_health, _unserved])
async def test_calls_that_are_no_work_have_nobody_else_refused(
    ask: Callable[[grpc.aio.Channel], Awaitable[None]],
) -> None:
    """Without a name: what waits to be told its health, or that there is no such call, takes nobody's place."""
    double = EvaluatorDouble(Drain())
    told = 0

    async def never_content(channel: grpc.aio.Channel) -> None:
        nonlocal told
        while True:
            with suppress(grpc.aio.AioRpcError):
                await ask(channel)
            told += 1

    others: list[grpc.aio.AioRpcError] = []
    async with (
        serving(assembly(double), server_settings(unary_calls_max=20), double.drain) as server,
        grpc.aio.insecure_channel(server.address) as nameless,
        calling(server.address, OURS) as modest,
    ):
        flood = [asyncio.create_task(never_content(nameless)) for _ in range(120)]
        async with asyncio.timeout(PATIENCE_SECONDS):
            while told < 10 * len(flood):  # noqa: ASYNC110  # until it is in full swing
                await asyncio.sleep(0.01)
        for _ in range(15):
            try:
                await EvaluatorServiceStub(modest).Evaluate(HAND)
            except grpc.aio.AioRpcError as error:
                others.append(error)
            await asyncio.sleep(0.02)
        for each in flood:
            each.cancel()
        await asyncio.gather(*flood, return_exceptions=True)
    assert not others


def test_what_a_call_computes_is_paid_for_as_so_many_calls() -> None:
    clock = Clock()
    admission = Admission(CallerLimits(player_calls_per_second=100), clock)
    admission.admit(ANN, PEER, "short")
    admission.worked(ANN, PEER, "short", CALL_SECONDS / 2)
    assert admitted(admission, ANN, 1000) == 100 * BURST_SECONDS - 1
    clock.now += 3600
    admission.admit(ANN, PEER, "long")
    admission.worked(ANN, PEER, "long", 301 * CALL_SECONDS)
    assert admitted(admission, ANN, 1000) == 100 * BURST_SECONDS - 301
    admission.worked(ANN, PEER, "endless", 10_000 * CALL_SECONDS)
    clock.now += 60
    assert admitted(admission, ANN, 1000) == 0
    clock.now += 60
    assert admitted(admission, ANN, 1000) > 0
    for other in (OURS, HOUSE):
        admission.worked(other, PEER, "endless", 1000.0)
        assert admitted(admission, other, 1000) == 1000


def test_long_calls_are_not_let_in_by_the_dozen_before_the_first_of_them_is_paid_for() -> None:
    clock = Clock()
    admission = Admission(CallerLimits(player_calls_per_second=100), clock)
    for _ in range(50):  # what such a call computes is learnt from all who ask
        admission.admit(BOB, PEER, "long")
        admission.worked(BOB, PEER, "long", 100 * CALL_SECONDS)
        clock.now += 10
    assert admitted(admission, ANN, 1000, "long") == BURST_SECONDS
    clock.now += 3600
    assert admitted(admission, ANN, 1, "long") == 1
    admission.worked(ANN, PEER, "long", 0.0)
    assert admitted(admission, ANN, 1000) == pytest.approx(100 * BURST_SECONDS, abs=1)
    clock.now += 3600
    for _ in range(50):
        admission.admit(BOB, PEER, "endless")
        admission.worked(BOB, PEER, "endless", 10_000 * CALL_SECONDS)
        clock.now += 1000
    assert admitted(admission, ANN, 10, "endless") == 1


class Thoughtful(EvaluatorDouble):
    """Computes for long, with a pause in it that costs nothing."""

    async def Evaluate(self, request: pb.EvaluateRequest, context: Context) -> pb.EvaluateResponse:
        until = thread_time() + 0.02
        while thread_time() < until:
            pass
        if request.cards[0] == 1:
            raise DomainError(Reason.CARDS_INVALID, "after long thought")
        await asyncio.sleep(0.01)
        return pb.EvaluateResponse()


@pytest.mark.parametrize("first_card", [1, 10])
async def test_who_asks_for_long_work_waits_longer_and_others_do_not(first_card: int) -> None:
    """The longest pages of everything, as fast as a player may ask for them, took all of a service."""
    double = Thoughtful(Drain())
    settings = server_settings(limits=CallerLimits(player_calls_per_second=1))
    asked = pb.EvaluateRequest(cards=[card_pb2.Card.ValueType(card) for card in (first_card, 20, 21, 22, 23)])
    async with (
        serving(assembly(double), settings, double.drain) as server,
        calling(server.address, ANN) as anns,
        calling(server.address, BOB) as bobs,
    ):
        found: list[str] = []
        for channel in (anns, anns, bobs):
            try:
                await EvaluatorServiceStub(channel).Evaluate(asked)
                found.append("")
            except grpc.aio.AioRpcError as error:
                found.append(unpack_error(error).metadata.get("limit", ""))
        assert found == ["", "calls_per_second", ""]


class Longwinded(EvaluatorDouble):
    """Tells all there is at once."""

    async def EstimateEquity(
        self, request: pb.EstimateEquityRequest, context: Context
    ) -> AsyncIterator[pb.EstimateEquityResponse]:
        for _ in range(10 * MESSAGES_A_CALL):
            yield pb.EstimateEquityResponse()


async def test_who_opens_long_streams_again_and_again_asks_for_as_much_as_they_tell() -> None:
    double = Longwinded(Drain())
    open_to_all = replace(assembly(double), rights=dict.fromkeys(assembly(double).rights, anybody(*Role)))
    settings = server_settings(limits=CallerLimits(player_calls_per_second=1, house_calls_per_second=1))
    asked = pb.EstimateEquityRequest(hands=[pb.EquityHand()] * 2)
    async with serving(open_to_all, settings, double.drain) as server:
        for caller, limit in ((ANN, "calls_per_second"), (HOUSE, "")):
            async with calling(server.address, caller) as channel:
                stub, found = EvaluatorServiceStub(channel), ""
                told = [each async for each in stub.EstimateEquity(asked)]
                try:
                    await stub.Evaluate(HAND)
                except grpc.aio.AioRpcError as error:
                    found = unpack_error(error).metadata.get("limit", "")
                assert (len(told), found) == (10 * MESSAGES_A_CALL, limit)
