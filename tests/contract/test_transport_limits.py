"""What the transport takes from nobody: endless silence, pings, headers; each limit is set, and each one bites."""

import asyncio
import gzip
import os
import zlib
from collections.abc import AsyncIterator
from dataclasses import replace
from time import monotonic, thread_time

import grpc
import pytest
from prometheus_client import Metric
from prometheus_client.registry import Collector
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from shared.observability.http import CONNECTIONS_MAX, PAGE_BURST_SECONDS, PAGE_SHARE
from shared.observability.metrics import new_registry
from shared.rpc.drain import Drain
from shared.rpc.server import REQUEST_BYTES_MAX, RunningServer, _options
from tests.batteries.attack.house import memory_mib
from tests.support.evaluator_double import EvaluatorDouble, assembly
from tests.support.raw_http2 import (
    DATA,
    END_HEADERS,
    END_STREAM,
    HEADERS,
    PING,
    PREFACE,
    RawConnection,
    call_headers,
    frame,
)
from tests.support.servers import calling, server_settings, serving

SECOND_MS, MINUTE_MS, HOUR_MS = 1000, 60_000, 3_600_000
PATIENCE_SECONDS = 30.0
PART_BYTES = 16_000
PINGS_MIB_MAX = 64


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
        ("grpc.compression_enabled_algorithms_bitset", 1, 1),
        ("grpc.per_message_decompression", 0, 0),
        ("grpc.max_metadata_size", 1, 16 * 1024),
        ("grpc.absolute_max_metadata_size", 1, 16 * 1024),
        ("grpc.max_concurrent_streams", 1, 1000),
        ("grpc.server_handshake_timeout_ms", 1, 5 * SECOND_MS),
        ("grpc.keepalive_time_ms", SECOND_MS, MINUTE_MS),
        ("grpc.keepalive_timeout_ms", SECOND_MS, MINUTE_MS),
        ("grpc.http2.max_ping_strikes", 0, 0),
        ("grpc.http2.settings_timeout", SECOND_MS, 10 * SECOND_MS),
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


async def test_who_pings_without_end_and_reads_nothing_fills_nothing(server: RunningServer) -> None:
    """Each ping beyond three was a goodbye that waited to be read: seven megabytes of them became nine hundred."""
    connection = await RawConnection.open(server.address)
    pings = frame(PING, 0, 0, bytes(8)) * 1000
    before = memory_mib(os.getpid())
    for _ in range(240):
        connection.writer.write(pings)
        try:
            async with asyncio.timeout(2):
                await connection.writer.drain()
        except TimeoutError:
            break  # it is not read any more
        await asyncio.sleep(0)
    async with calling(server.address) as channel:
        await EvaluatorServiceStub(channel).GetServiceInfo(pb.GetServiceInfoRequest(), timeout=PATIENCE_SECONDS)
    await asyncio.sleep(1)
    assert memory_mib(os.getpid()) - before < PINGS_MIB_MAX
    connection.writer.transport.abort()


async def test_who_never_takes_notice_of_the_limits_is_closed(server: RunningServer) -> None:
    """They hold from the moment at which they are acknowledged."""
    connection = await RawConnection.open(server.address)
    assert await connection.closed(PATIENCE_SECONDS)


async def test_headers_beyond_the_limit_are_refused(server: RunningServer) -> None:
    async with calling(server.address) as channel:
        stub = EvaluatorServiceStub(channel)
        with pytest.raises(grpc.aio.AioRpcError) as failed:
            await stub.GetServiceInfo(pb.GetServiceInfoRequest(), metadata=[("x-long", "a" * 20_000)])
        assert failed.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        await stub.GetServiceInfo(pb.GetServiceInfoRequest())


@pytest.mark.parametrize("encoding", ["gzip", "deflate", "identity", ""])
async def test_a_small_message_never_becomes_a_large_one(server: RunningServer, encoding: str) -> None:
    """Forty messages of 58 KB, each of which was 60 MB, held up a service for half a minute, without a token."""
    packed = (gzip.compress if encoding == "gzip" else zlib.compress)(bytes(60_000_000), 9)
    body = b"\x01" + len(packed).to_bytes(4, "big") + packed
    connection = await RawConnection.open(server.address)
    said = [("grpc-encoding", encoding)] if encoding else []
    path = "/sevenstud.evaluator.v1.EvaluatorService/Evaluate"
    connection.writer.write(frame(HEADERS, END_HEADERS, 1, call_headers(path, "Bearer dev:player:mal", said)))
    for at in range(0, len(body), PART_BYTES):
        ends = END_STREAM if at + PART_BYTES >= len(body) else 0
        connection.writer.write(frame(DATA, ends, 1, body[at : at + PART_BYTES]))
    await connection.writer.drain()
    answer: list[bytes] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not any(b"grpc-status" in each for each in answer):
            answer += [each.payload for each in await connection.frames(0.2) if each.kind == HEADERS]
    await connection.close()
    assert not any(b"larger than max" in each for each in answer)  # it would have been made first
    refused = any(b"is disabled" in each for each in answer)
    assert refused == (encoding in {"gzip", "deflate"})


async def test_slow_callers_of_the_metrics_keep_no_probe_from_its_answer(server: RunningServer) -> None:
    host, _, port = server.metrics_address.rpartition(":")
    slow: list[asyncio.StreamWriter] = []
    for _ in range(2 * CONNECTIONS_MAX):
        _, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET /ready")
        slow.append(writer)
    for _ in range(5):
        reader, writer = await asyncio.open_connection(host, int(port))
        writer.write(b"GET /ready HTTP/1.1\r\n\r\n")
        async with asyncio.timeout(PATIENCE_SECONDS):
            assert (await reader.readline()).startswith(b"HTTP/1.1 200")
        writer.close()
    for each in slow:
        each.close()


class Laborious(Collector):
    """Figures that take long to be written down."""

    seconds = 0.05

    def __init__(self) -> None:
        self.pages = 0

    def describe(self) -> list[Metric]:
        return []

    def collect(self) -> list[Metric]:
        self.pages += 1
        until = thread_time() + self.seconds
        while thread_time() < until:
            pass
        return []


async def test_who_asks_for_the_metrics_without_end_holds_nobody_up() -> None:
    """A page is made on the loop that serves the calls: after so many it is the last one that is shown again."""
    double, figures, registry = EvaluatorDouble(Drain()), Laborious(), new_registry()
    registry.register(figures)
    async with serving(replace(assembly(double), registry=registry), None, double.drain) as server:
        host, _, port = server.metrics_address.rpartition(":")
        begun, asked = monotonic(), 40
        for _ in range(asked):
            reader, writer = await asyncio.open_connection(host, int(port))
            writer.write(b"GET /metrics HTTP/1.1\r\n\r\n")
            async with asyncio.timeout(PATIENCE_SECONDS):
                assert b"grpc_server_started_total" in await reader.read()
            writer.close()
        paid = (monotonic() - begun + PAGE_BURST_SECONDS) / (figures.seconds * PAGE_SHARE)
        assert 0 < figures.pages <= paid + 1
        assert figures.pages < asked
