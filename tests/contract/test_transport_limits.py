"""What the transport takes from nobody: endless silence, pings, headers; each limit is set, and each one bites."""

import asyncio
from collections.abc import AsyncIterator

import grpc
import pytest
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from shared.rpc.drain import Drain
from shared.rpc.server import REQUEST_BYTES_MAX, RunningServer, _options
from tests.support.evaluator_double import EvaluatorDouble, assembly
from tests.support.raw_http2 import GOAWAY, PING, PREFACE, RawConnection, frame
from tests.support.servers import calling, server_settings, serving

SECOND_MS, MINUTE_MS, HOUR_MS = 1000, 60_000, 3_600_000
PATIENCE_SECONDS = 30.0


@pytest.fixture
async def server() -> AsyncIterator[RunningServer]:
    double = EvaluatorDouble(Drain())
    async with serving(assembly(double), server_settings(), double.drain) as running_server:
        yield running_server


@pytest.mark.parametrize(
    ("option", "least", "most"),
    [
        ("grpc.so_reuseport", 0, 0),
        ("grpc.max_receive_message_length", REQUEST_BYTES_MAX, REQUEST_BYTES_MAX),
        ("grpc.max_send_message_length", 1, 4 * 1024 * 1024),
        ("grpc.max_metadata_size", 1, 16 * 1024),
        ("grpc.absolute_max_metadata_size", 1, 16 * 1024),
        ("grpc.max_concurrent_streams", 1, 1000),
        ("grpc.server_handshake_timeout_ms", 1, 5 * SECOND_MS),
        ("grpc.keepalive_time_ms", SECOND_MS, MINUTE_MS),
        ("grpc.keepalive_timeout_ms", SECOND_MS, MINUTE_MS),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", SECOND_MS, 5 * MINUTE_MS),
        ("grpc.max_connection_idle_ms", MINUTE_MS, 15 * MINUTE_MS),
        ("grpc.max_connection_age_ms", MINUTE_MS, HOUR_MS),
        ("grpc.max_connection_age_grace_ms", SECOND_MS, 5 * MINUTE_MS),
    ],
)
def test_every_limit_of_the_transport_is_set(option: str, least: int, most: int) -> None:
    assert least <= dict(_options(REQUEST_BYTES_MAX, server_settings().connection_seconds_max))[option] <= most


async def test_sockets_that_say_nothing_are_closed_and_others_are_served(server: RunningServer) -> None:
    silent = [await RawConnection.open(server.address, greet=False) for _ in range(20)]
    silent += [await RawConnection.open(server.metrics_address, greet=False) for _ in range(20)]
    async with calling(server.address) as channel:
        await EvaluatorServiceStub(channel).GetServiceInfo(pb.GetServiceInfoRequest(), timeout=PATIENCE_SECONDS)
    assert all(await asyncio.gather(*(each.closed(PATIENCE_SECONDS) for each in silent)))


async def test_a_greeting_that_is_never_finished_is_closed(server: RunningServer) -> None:
    connection = await RawConnection.open(server.address, greet=False)
    connection.writer.write(PREFACE[:7])
    await connection.writer.drain()
    assert await connection.closed(PATIENCE_SECONDS)


async def test_who_pings_without_end_is_sent_away(server: RunningServer) -> None:
    connection = await RawConnection.open(server.address)
    connection.writer.write(b"".join(frame(PING, 0, 0, number.to_bytes(8, "big")) for number in range(5)))
    found = await connection.frames(PATIENCE_SECONDS)
    assert any(each.kind == GOAWAY and b"too_many_pings" in each.payload for each in found)


async def test_headers_beyond_the_limit_are_refused(server: RunningServer) -> None:
    async with calling(server.address) as channel:
        stub = EvaluatorServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await stub.GetServiceInfo(pb.GetServiceInfoRequest(), metadata=[("x-long", "a" * 20_000)])
        assert failed.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        await stub.GetServiceInfo(pb.GetServiceInfoRequest())
