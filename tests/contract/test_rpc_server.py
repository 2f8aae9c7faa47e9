"""What surrounds every handler: identity, rights, validation, deadlines, errors, health, limits, a gentle stop."""

import asyncio
import io
import json
import re
import socket
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any, cast

import grpc
import pytest
import structlog
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from sevenstud.common.v1 import card_pb2
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from shared.kernel.caller import Caller, Role
from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.observability.logging import configure_logging
from shared.rpc.call import set_call
from shared.rpc.client import RemoteError, refusal_from, unpack_error
from shared.rpc.drain import Drain
from shared.rpc.server import RunningServer, StartFault, start_server
from tests.support.evaluator_double import SECRET, EvaluatorDouble, assembly
from tests.support.servers import calling, server_settings, serving

PLAYER = Caller(Role.PLAYER, "p1")
FINE, DOMAIN_ERROR, BUG, SLOW, STORE_FULL, LIMIT = 10, 1, 2, 3, 4, 5
EQUITY = pb.EstimateEquityRequest(hands=[pb.EquityHand(), pb.EquityHand()])
ROUNDED_UP_SECONDS = 0.01  # a deadline travels as a whole number of its unit, rounded up, and is read off another clock


@pytest.fixture
async def double() -> EvaluatorDouble:
    return EvaluatorDouble(Drain())


@pytest.fixture
async def server(double: EvaluatorDouble) -> AsyncIterator[RunningServer]:
    settings = server_settings(unary_seconds_max=0.5)
    async with serving(assembly(double), settings, double.drain) as running_server:
        yield running_server


@pytest.fixture
async def stub(server: RunningServer) -> AsyncIterator[EvaluatorServiceStub]:
    async with calling(server.address) as channel:
        yield EvaluatorServiceStub(channel)


def hand(first: int, *others: int) -> pb.EvaluateRequest:
    cards = [first, *(others or (20, 21, 22, 23))]
    return pb.EvaluateRequest(cards=[card_pb2.Card.ValueType(card) for card in cards])


async def refusal(call: Any) -> RemoteError:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await call
    return unpack_error(failed.value)


# --- who calls --------------------------------------------------------------------------------


async def test_the_handler_knows_who_calls(server: RunningServer) -> None:
    async with calling(server.address, PLAYER) as channel:
        answer = await EvaluatorServiceStub(channel).Evaluate(hand(FINE))
    assert answer.value.description_en == "player p1"


async def test_a_role_without_the_right_is_told_which_roles_have_it(server: RunningServer) -> None:
    async with calling(server.address, PLAYER) as channel:
        error = await refusal(EvaluatorServiceStub(channel).OrderBoards(pb.OrderBoardsRequest()))
    assert (error.code, error.reason) == (grpc.StatusCode.PERMISSION_DENIED, Reason.NOT_PERMITTED)
    assert error.metadata == {"role": "player", "allowed": "service"}


@pytest.mark.parametrize(
    "metadata",
    [
        [],
        [("authorization", "Bearer dev:player")],
        [("authorization", "Bearer dev:king:p1")],
        [("authorization", "Bearer dev:player:" + "x" * 65)],
        [("authorization", "Bearer dev:player:a b")],
        [("authorization", "dev:player:p1")],
        [("authorization", "Bearer dev:player:p1"), ("authorization", "Bearer dev:operator:p1")],
    ],
)
async def test_a_caller_that_cannot_be_read_is_told_how_to_say_it(server: RunningServer, metadata: Any) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        error = await refusal(EvaluatorServiceStub(channel).Evaluate(hand(FINE), metadata=metadata))
    assert (error.code, error.reason) == (grpc.StatusCode.UNAUTHENTICATED, Reason.CALLER_UNKNOWN)
    assert "Bearer dev:<role>:<id>" in error.message


async def test_everybody_may_ask_who_the_service_is(server: RunningServer) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        info = (await EvaluatorServiceStub(channel).GetServiceInfo(pb.GetServiceInfoRequest())).info
    assert info.service == "evaluator"
    assert info.grpc_services == ["sevenstud.evaluator.v1.EvaluatorService"]
    assert re.match(r"\d+\.\d+", info.version)


def test_a_service_with_an_rpc_without_a_rule_does_not_start(double: EvaluatorDouble) -> None:
    whole = assembly(double)
    rights = {name: roles for name, roles in whole.rights.items() if name != "OrderBoards"}
    with pytest.raises(ValueError, match=r"EvaluatorService/OrderBoards has no rule"):
        RunningServer(replace(whole, rights=rights), server_settings(), Drain())
    with pytest.raises(ValueError, match="not served: Shuffle"):
        RunningServer(replace(whole, rights={**whole.rights, "Shuffle": {}}), server_settings(), Drain())


# --- what is asked ----------------------------------------------------------------------------


async def test_every_field_in_breach_of_the_contract_is_named_with_what_is_allowed(stub: EvaluatorServiceStub) -> None:
    request = pb.OrderBringInRequest(door_cards=[pb.SeatDoorCard(seat=1, card=card_pb2.CARD_TWO_OF_CLUBS)])
    request.door_cards.add(seat=9)
    error = await refusal(stub.OrderBringIn(request))
    assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, Reason.REQUEST_INVALID)
    seat, card, rules = error.violations
    assert seat == FieldViolation("door_cards[1].seat", "is too large: give 1 to 8")
    assert card.field == "door_cards[1].card"
    assert card.description.startswith("is required: give one of CARD_TWO_OF_CLUBS, CARD_TWO_OF_DIAMONDS")
    assert rules == FieldViolation("rules", "is required: set it")


async def test_a_request_beyond_the_size_limit_is_refused(stub: EvaluatorServiceStub) -> None:
    just_below = pb.EvaluateBatchRequest(masks=b"")
    assert await stub.EvaluateBatch(just_below) == pb.EvaluateBatchResponse()
    error = await refusal(stub.EvaluateBatch(pb.EvaluateBatchRequest(masks=b"x" * 65536)))
    assert error.code is grpc.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("raw", [b"\xff\xff\xff", b"\x0a\x7f", b"\x0a\x02ab" * 3, b"\x0a" + b"\x0a\x04" * 200])
async def test_bytes_that_are_no_message_are_refused_like_any_wrong_request(server: RunningServer, raw: bytes) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        for name, roles in (("Evaluate", "player"), ("OrderBoards", "service")):
            ask: Any = channel.unary_unary(f"/sevenstud.evaluator.v1.EvaluatorService/{name}")
            error = await refusal(ask(raw, metadata=[("authorization", f"Bearer dev:{roles}:x")]))
            assert (error.code, error.reason) == (grpc.StatusCode.INVALID_ARGUMENT, Reason.REQUEST_INVALID)
            error = await refusal(ask(raw))
            assert error.reason is Reason.CALLER_UNKNOWN
        anybody: Any = channel.unary_unary("/sevenstud.evaluator.v1.EvaluatorService/GetServiceInfo")
        assert (await refusal(anybody(b"\xff"))).reason is Reason.REQUEST_INVALID


# --- what is answered -------------------------------------------------------------------------


async def test_a_refusal_carries_reason_message_and_metadata(stub: EvaluatorServiceStub) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await stub.Evaluate(hand(DOMAIN_ERROR))
    error = unpack_error(failed.value)
    assert error == RemoteError(
        grpc.StatusCode.INVALID_ARGUMENT,
        Reason.CARDS_INVALID,
        "the cards are doubled: give each once",
        {"expected": "5"},
    )


async def test_a_bug_is_internal_and_its_text_stays_at_home(stub: EvaluatorServiceStub) -> None:
    log = io.StringIO()
    configure_logging("test", "info", log)
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await stub.Evaluate(hand(BUG))
    error = unpack_error(failed.value)
    assert (error.code, error.reason) == (grpc.StatusCode.INTERNAL, Reason.INTERNAL)
    assert SECRET not in str(failed.value)
    assert error.metadata["correlation_id"] in error.message


async def test_a_store_that_is_full_is_an_outage_not_a_bug(stub: EvaluatorServiceStub) -> None:
    error = await refusal(stub.Evaluate(hand(STORE_FULL)))
    assert (error.code, error.reason) == (grpc.StatusCode.UNAVAILABLE, Reason.DEPENDENCY_UNAVAILABLE)


async def test_a_limit_says_when_to_come_back(stub: EvaluatorServiceStub) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await stub.Evaluate(hand(LIMIT))
    trailer = dict(list(failed.value.trailing_metadata()))
    assert "google.rpc.RetryInfo" in str(trailer["grpc-status-details-bin"])
    assert unpack_error(failed.value).reason is Reason.LIMIT_REACHED


async def test_a_call_without_a_deadline_is_bounded_by_the_service(
    server: RunningServer, double: EvaluatorDouble
) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        call = EvaluatorServiceStub(channel).Evaluate(hand(SLOW), metadata=[("authorization", "Bearer dev:service:t")])
        error = await refusal(call)
    assert (error.code, error.reason) == (grpc.StatusCode.DEADLINE_EXCEEDED, Reason.DEADLINE_PASSED)
    assert error.metadata == {"seconds": "0.500"}
    assert double.cancelled.is_set()


async def test_the_callers_deadline_reaches_the_handler_and_ends_it(
    stub: EvaluatorServiceStub, double: EvaluatorDouble
) -> None:
    error = await refusal(stub.Evaluate(hand(SLOW), timeout=0.2))
    assert error.code is grpc.StatusCode.DEADLINE_EXCEEDED
    await asyncio.wait_for(double.cancelled.wait(), 1)
    assert double.remaining is not None
    assert 0 < double.remaining <= 0.2 + ROUNDED_UP_SECONDS


async def test_a_call_made_for_another_call_has_no_more_time_than_that_one(
    stub: EvaluatorServiceStub, double: EvaluatorDouble
) -> None:
    set_call(None, "outer-1", 0.3)
    call = stub.Evaluate(hand(FINE))
    await call
    assert double.remaining is not None
    assert double.remaining <= 0.3 + ROUNDED_UP_SECONDS
    assert dict(list(await call.trailing_metadata()))["x-request-id"] == "outer-1"


async def test_a_stream_that_the_caller_leaves_ends_its_handler(
    stub: EvaluatorServiceStub, double: EvaluatorDouble
) -> None:
    call = stub.EstimateEquity(EQUITY)
    assert await anext(aiter(call)) == pb.EstimateEquityResponse()
    call.cancel()
    await asyncio.wait_for(double.cancelled.wait(), 2)


@pytest.mark.parametrize(("given", "kept"), [("lobby-17", True), ("spaces are refused", False), ("x" * 65, False)])
async def test_the_request_id_is_taken_over_or_made(stub: EvaluatorServiceStub, given: str, kept: bool) -> None:
    call = stub.Evaluate(hand(FINE), metadata=[("x-request-id", given)])
    await call
    returned = dict(list(await call.trailing_metadata()))["x-request-id"]
    assert (returned == given) is kept
    assert re.fullmatch(r"[A-Za-z0-9._:@-]{1,64}", str(returned))


async def test_each_call_leaves_one_line_in_the_log(double: EvaluatorDouble) -> None:
    log = io.StringIO()
    configure_logging("evaluator", "info", log)
    async with serving(assembly(double)) as server, calling(server.address, PLAYER) as channel:
        stub = EvaluatorServiceStub(channel)
        await stub.Evaluate(hand(FINE), metadata=[("x-request-id", "lobby-17")])
        await refusal(stub.Evaluate(hand(DOMAIN_ERROR)))
    structlog.reset_defaults()
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    calls = [line for line in lines if line["event"] == "rpc"]
    assert [(line["code"], line["reason"], line["caller"]) for line in calls] == [
        ("OK", "", "player:p1"),
        ("INVALID_ARGUMENT", "CARDS_INVALID", "player:p1"),
    ]
    assert calls[0]["correlation_id"] == "lobby-17"
    assert calls[0]["service"] == "evaluator"


# --- the port for machines --------------------------------------------------------------------


async def http(address: str, path: str, method: str = "GET") -> tuple[int, str]:
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"{method} {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    raw = (await asyncio.wait_for(reader.read(), 5)).decode()
    writer.close()
    head, _, body = raw.partition("\r\n\r\n")
    return int(head.split(" ")[1]), body


async def test_calls_are_counted_by_status(server: RunningServer, stub: EvaluatorServiceStub) -> None:
    await stub.Evaluate(hand(FINE))
    await refusal(stub.Evaluate(hand(DOMAIN_ERROR)))
    status, body = await http(server.metrics_address, "/metrics")
    assert status == 200
    labels = 'grpc_method="Evaluate",grpc_service="sevenstud.evaluator.v1.EvaluatorService",grpc_type="unary"'
    assert f'grpc_server_handled_total{{grpc_code="OK",{labels}}} 1.0' in body
    assert f'grpc_server_handled_total{{grpc_code="INVALID_ARGUMENT",{labels}}} 1.0' in body
    assert f"grpc_server_handling_seconds_count{{{labels}}} 2.0" in body
    assert f"sevenstud_rpc_in_flight{{{labels}}} 0.0" in body


async def test_readiness_follows_what_the_service_needs(double: EvaluatorDouble) -> None:
    state = {"fine": True}
    async with serving(replace(assembly(double), ready=lambda: state["fine"])) as server:
        assert await http(server.metrics_address, "/ready") == (200, "ready\n")
        state["fine"] = False
        assert await http(server.metrics_address, "/ready") == (503, "not ready\n")
        assert (await http(server.metrics_address, "/live"))[0] == 200
        assert (await http(server.metrics_address, "/elsewhere"))[0] == 404
        assert (await http(server.metrics_address, "/metrics", "POST"))[0] == 405


async def test_health_and_reflection_answer_everybody(server: RunningServer) -> None:
    async with grpc.aio.insecure_channel(server.address) as channel:
        health: Any = health_pb2_grpc.HealthStub(channel)
        name = "sevenstud.evaluator.v1.EvaluatorService"
        checked = await health.Check(health_pb2.HealthCheckRequest(service=name))
        assert checked.status == health_pb2.HealthCheckResponse.SERVING
        reflection: Any = reflection_pb2_grpc.ServerReflectionStub(cast("Any", channel))
        call = reflection.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(list_services="")]))
        services = [service.name async for answer in call for service in answer.list_services_response.service]
    assert name in services


# --- one owner a port, and the end ------------------------------------------------------------


async def test_a_second_instance_on_a_port_does_not_start(server: RunningServer, double: EvaluatorDouble) -> None:
    for name in ("listen", "metrics_listen"):
        taken = server.address if name == "listen" else server.metrics_address
        with pytest.raises(StartFault, match="is another instance running"):
            await start_server(assembly(double), server_settings(**{name: taken}))


async def _evaluate_batch(stub: EvaluatorServiceStub, masks: bytes) -> pb.EvaluateBatchResponse:
    return await stub.EvaluateBatch(pb.EvaluateBatchRequest(masks=masks))


async def test_a_stop_lets_streams_say_a_last_word_and_calls_finish(double: EvaluatorDouble) -> None:
    settings = server_settings(drain_notice_seconds=0.1)
    server = await start_server(assembly(double), settings, double.drain)
    async with calling(server.address) as channel:
        stub = EvaluatorServiceStub(channel)
        stream = aiter(stub.EstimateEquity(EQUITY))
        await anext(stream)
        late = asyncio.create_task(_evaluate_batch(stub, b"xxxxx"))
        await asyncio.sleep(0.05)
        stopping = asyncio.create_task(server.stop())
        await asyncio.sleep(0.02)
        assert (await http(server.metrics_address, "/ready"))[0] == 503
        assert (await anext(stream)).final
        assert await late == pb.EvaluateBatchResponse()
        await stopping


async def test_a_client_finds_a_service_that_was_restarted(double: EvaluatorDouble) -> None:
    first = await start_server(assembly(double), server_settings())
    async with calling(first.address) as channel:
        stub = EvaluatorServiceStub(channel)
        await stub.Evaluate(hand(FINE))
        await first.stop()
        restarting = asyncio.create_task(_start_later(double, first.address))
        assert (await stub.Evaluate(hand(FINE))).value.strength == 7  # tried again while nobody was there
        await (await restarting).stop()


async def _start_later(double: EvaluatorDouble, address: str) -> RunningServer:
    await asyncio.sleep(0.1)
    return await start_server(assembly(double), server_settings(listen=address))


async def test_silent_sockets_do_not_stay(server: RunningServer) -> None:
    host, _, port = server.address.rpartition(":")
    with socket.create_connection((host, int(port))) as silent:
        silent.settimeout(8)
        assert await asyncio.wait_for(asyncio.to_thread(_drained, silent), 9)


def _drained(silent: socket.socket) -> bool:
    """Read until the other side closes."""
    try:
        while silent.recv(1024):
            pass
    except TimeoutError:
        return False
    return True


# --- errors of others -------------------------------------------------------------------------


async def test_a_refusal_of_a_service_we_need_keeps_its_reason_and_a_fault_does_not(stub: EvaluatorServiceStub) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await stub.Evaluate(hand(DOMAIN_ERROR))
    error = refusal_from(refused.value, "evaluator")
    assert isinstance(error, DomainError)
    assert error.reason is Reason.CARDS_INVALID
    with pytest.raises(grpc.aio.AioRpcError) as failed:
        await stub.Evaluate(hand(BUG))
    assert isinstance(refusal_from(failed.value, "evaluator"), RemoteError)
