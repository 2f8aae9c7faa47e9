"""A service that has as many calls as it may have refuses the next one at once and serves on when there is room."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import grpc
import pytest
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.caller_limits import CallerLimits
from shared.rpc.client import unpack_error
from shared.rpc.drain import Drain
from tests.support.evaluator_double import EvaluatorDouble, assembly
from tests.support.raw_http2 import END_HEADERS, END_STREAM, HEADERS, Header, RawConnection, frame, headers
from tests.support.servers import calling, running, server_settings, serving

FINE, SLOW, WORKING = 10, 3, 6
PATIENCE_SECONDS = 20.0


def hand(first: int) -> pb.EvaluateRequest:
    return pb.EvaluateRequest(cards=[first, 20, 21, 22, 23])  # type: ignore[list-item]  # numbers of the wire


async def refused(stub: EvaluatorServiceStub) -> grpc.aio.AioRpcError | None:
    try:
        await stub.Evaluate(hand(FINE))
    except grpc.aio.AioRpcError as error:
        return error
    return None


async def test_one_call_too_many_is_told_when_to_come_back_and_finds_room_later() -> None:
    double = EvaluatorDouble(Drain())
    settings = server_settings(unary_calls_max=1, unary_seconds_max=30.0)
    async with serving(assembly(double), settings, double.drain) as server, calling(server.address) as channel:
        stub = EvaluatorServiceStub(channel)
        slow = asyncio.ensure_future(stub.Evaluate(hand(SLOW), timeout=PATIENCE_SECONDS))
        async with asyncio.timeout(PATIENCE_SECONDS):
            while (error := await refused(stub)) is None:  # noqa: ASYNC110  # until the slow one is inside
                await asyncio.sleep(0.01)
        assert error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        told = unpack_error(error)
        assert (told.reason, told.metadata) == (Reason.LIMIT_REACHED, {"limit": "unary_calls_max"})
        assert "google.rpc.RetryInfo" in str(dict(list(error.trailing_metadata()))["grpc-status-details-bin"])
        slow.cancel()
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await refused(stub) is not None:  # noqa: ASYNC110  # until its place is free again
                await asyncio.sleep(0.01)


async def test_calls_that_wait_where_no_handler_sees_them_are_refused_as_well(tmp_path: Path) -> None:
    """A handler that never waits has one call inside, however many stand before it."""
    double = running("evaluator", tmp_path, {"UNARY_CALLS_MAX": "20"}, module="tests.support.evaluator_double")
    async with double as process, calling(process.address, unary_seconds=PATIENCE_SECONDS) as channel:
        stub = EvaluatorServiceStub(channel)
        calls = [stub.Evaluate(hand(WORKING)) for _ in range(400)]
        ended = await asyncio.gather(*calls, return_exceptions=True)
        errors = [each for each in ended if isinstance(each, grpc.aio.AioRpcError)]
        assert 0 < len(errors) < len(calls)
        assert {each.code() for each in errors} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
        assert {str(unpack_error(each).metadata) for each in errors} == {"{'limit': 'unary_calls_max'}"}
        assert all("google.rpc.RetryInfo" in str(each.trailing_metadata()) for each in errors)
        for _ in range(30):
            await stub.Evaluate(hand(WORKING))


async def test_the_slow_calls_of_one_player_never_fill_the_service() -> None:
    """A player may ask for 800 at once; those that take their time must not take the places of all others."""
    double = EvaluatorDouble(Drain())
    settings = server_settings(unary_calls_max=4, unary_seconds_max=30.0, limits=CallerLimits(player_calls_at_once=2))
    mal, ann = Caller(Role.PLAYER, "mal"), Caller(Role.PLAYER, "ann")
    async with (
        serving(assembly(double), settings, double.drain) as server,
        calling(server.address, mal) as mals,
        calling(server.address, ann) as anns,
    ):
        stub = EvaluatorServiceStub(mals)
        slow = [asyncio.ensure_future(stub.Evaluate(hand(SLOW), timeout=PATIENCE_SECONDS)) for _ in range(20)]
        async with asyncio.timeout(PATIENCE_SECONDS):
            while sum(each.done() for each in slow) < len(slow) - 2:  # noqa: ASYNC110  # until two are inside
                await asyncio.sleep(0.01)
        error = await refused(stub)
        assert error is not None
        assert unpack_error(error).metadata == {"limit": "calls_at_once"}
        assert "google.rpc.RetryInfo" in str(dict(list(error.trailing_metadata()))["grpc-status-details-bin"])
        assert await refused(EvaluatorServiceStub(anns)) is None
        for each in slow:
            each.cancel()
        async with asyncio.timeout(PATIENCE_SECONDS):
            while await refused(stub) is not None:  # noqa: ASYNC110  # until a place is free again
                await asyncio.sleep(0.01)
        await asyncio.gather(*slow, return_exceptions=True)


async def test_a_refused_call_takes_no_place() -> None:
    double = EvaluatorDouble(Drain())
    settings = server_settings(unary_calls_max=1)
    async with serving(assembly(double), settings, double.drain) as server, calling(server.address) as channel:
        stub = EvaluatorServiceStub(channel)
        for _ in range(5):
            error = await refused_by_rules(stub)
            assert unpack_error(error).reason is Reason.CARDS_INVALID
        assert await refused(stub) is None


async def refused_by_rules(stub: EvaluatorServiceStub) -> grpc.aio.AioRpcError:
    try:
        await stub.Evaluate(hand(1))
    except grpc.aio.AioRpcError as error:
        return error
    raise AssertionError("taken")


EVALUATE = "/sevenstud.evaluator.v1.EvaluatorService/Evaluate"
POST, SCHEME, PATH, AUTHORITY = (
    (":method", "POST"),
    (":scheme", "http"),
    (":path", EVALUATE),
    (":authority", "localhost"),
)
GRPC = (("te", "trailers"), ("content-type", "application/grpc"))


@pytest.mark.parametrize(
    ("flags", "fields"),
    [
        pytest.param(END_HEADERS, (POST, SCHEME, PATH, AUTHORITY, *GRPC), id="whose request never comes"),
        pytest.param(END_HEADERS | END_STREAM, (POST, SCHEME, AUTHORITY, *GRPC), id="without a path"),
        pytest.param(END_HEADERS | END_STREAM, (POST, SCHEME, PATH, *GRPC), id="without an authority"),
        pytest.param(END_HEADERS | END_STREAM, ((":method", "GET"), SCHEME, PATH, AUTHORITY, *GRPC), id="of a browser"),
        pytest.param(END_HEADERS | END_STREAM, (POST, SCHEME, PATH, AUTHORITY, *GRPC), id="without a request"),
        pytest.param(END_HEADERS, (POST, SCHEME, PATH, AUTHORITY, *GRPC, ("grpc-timeout", "1n")), id="that are late"),
    ],
)
async def test_calls_that_nobody_works_on_keep_nobody_out(flags: int, fields: Sequence[Header]) -> None:
    """Without a name, and for as long as the connection lasts or longer."""
    double = EvaluatorDouble(Drain())
    settings = server_settings(unary_calls_max=20)
    async with serving(assembly(double), settings, double.drain) as server, calling(server.address) as channel:
        connection = await RawConnection.open(server.address)
        await connection.settle()
        for stream in range(1, 101, 2):
            connection.writer.write(frame(HEADERS, flags, stream, headers(fields)))
        await connection.writer.drain()
        stub = EvaluatorServiceStub(channel)
        fine = 0
        async with asyncio.timeout(PATIENCE_SECONDS):
            while fine < 30:  # it may take a moment until it is seen that nobody is there
                fine = fine + 1 if await refused(stub) is None else 0
                await asyncio.sleep(0.002)
        await connection.close()
