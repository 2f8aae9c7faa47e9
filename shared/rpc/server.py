"""The gRPC server of every service: limits, health, reflection, /metrics and /ready, and a stop that hurts nobody."""

import asyncio
import json
import os
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import grpc
from google.protobuf.descriptor import ServiceDescriptor
from grpc_health.v1 import health, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2_grpc
from prometheus_client import CollectorRegistry

from shared.observability.http import StatusServer
from shared.observability.logging import get_log
from shared.observability.metrics import RpcMetrics, new_registry
from shared.observability.process import ProcessMetrics
from shared.rpc.backlog import Arrivals, servers
from shared.rpc.drain import Drain
from shared.rpc.health import Health
from shared.rpc.identity import DevIdentities, Identities
from shared.rpc.open_streams import OpenStreams
from shared.rpc.pipeline import Pipeline
from shared.rpc.proven import ProvenIdentities
from shared.rpc.registrar import Registrar
from shared.rpc.rights import Rights, methods_of
from shared.rpc.server_settings import ServerSettings, split_address
from shared.rpc.silent_calls import SilentCalls
from shared.rpc.standing import Standing
from shared.rpc.tls import server_credentials
from shared.rpc.tls_settings import TlsSettings

REQUEST_BYTES_MAX = 64 * 1024
RESPONSE_BYTES_MAX = 4 * 1024 * 1024
_MINUTE_MS = 60_000
_LOST_LOOK_SECONDS = 0.2
_EXIT_LOST = 1


class StartFault(Exception):  # noqa: N818  # read as a sentence: the service cannot start
    """The service cannot start; the message says why and how to mend it."""


@dataclass(frozen=True, slots=True)
class Servable:
    """One service of the contract and its servicer."""

    descriptor: ServiceDescriptor
    """From the generated module: DESCRIPTOR.services_by_name["BettingService"]."""
    register: Callable[[grpc.aio.Server], None]
    """Adds the servicer, as in lambda server: add_BettingServiceServicer_to_server(servicer, server)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """What one process serves."""

    service: str
    """Name of the service, as in betting; the domain of its errors is sevenstud.<service>."""
    servables: Sequence[Servable]
    rights: Rights
    request_bytes_max: int = REQUEST_BYTES_MAX
    registry: CollectorRegistry | None = None
    """Where its metrics are; None makes one."""
    ready: Callable[[], bool] = lambda: True
    """What else must hold for /ready to say yes, as in a store that is not broken."""
    lost: Callable[[], bool] = lambda: False
    """Whether only a restart can help, as after a disk that failed: then the process ends at once, as if killed."""


class RunningServer:
    """A server that listens. Made by start_server; stop() ends it."""

    def __init__(self, assembly: Assembly, settings: ServerSettings, drain: Drain) -> None:
        """Put it together; nothing listens yet."""
        registry = assembly.registry or new_registry()
        methods = methods_of((servable.descriptor for servable in assembly.servables), assembly.rights)
        self.drain = drain
        self.address = ""
        self.metrics_address = ""
        self._assembly = assembly
        self._settings = settings
        identities = _identities(settings.tls)
        self._credentials = None if settings.tls is None else server_credentials(settings.tls.as_server())
        self.registry = registry
        others = servers()
        self._server = grpc.aio.server(
            options=_options(assembly.request_bytes_max, settings.connection_seconds_max),
            maximum_concurrent_rpcs=settings.concurrent_calls_max,
        )
        arrivals = Arrivals(others)
        self._server.add_generic_rpc_handlers((arrivals,))
        most = settings.concurrent_calls_max
        self._silent_calls = SilentCalls(assembly.service, most, arrivals, identities)
        self._open_streams = OpenStreams(assembly.service, most)
        self._pipeline = Pipeline(
            assembly.service,
            methods,
            RpcMetrics(registry),
            settings.unary_seconds_max,
            identities,
            unread_seconds_max=settings.unread_seconds_max,
            limits=settings.limits.within(most, settings.unary_calls_max),
            log_well_every=settings.log_well_every,
            unary_calls_max=settings.unary_calls_max,
            arrivals=arrivals,
            streams_beside=lambda: self._open_streams.open,
        )
        self._silent_calls.handled = lambda: self._pipeline.in_flight + self._open_streams.open
        self._open_streams.beside = self._pipeline.streams
        self._open_streams.asked = self._pipeline.asked_without_name
        self._names = [servable.descriptor.full_name for servable in assembly.servables]
        self._health = Health(drain, self._names, self._ready)
        self._looking: asyncio.Task[None] | None = None
        self._process = ProcessMetrics(registry, assembly.service)
        self._status = StatusServer(registry, self._ready)
        self._serving = False

    async def start(self) -> None:
        """Listen and say so; StartFault when a port is taken."""
        watched = Registrar(self._server, self._silent_calls.watched)
        around = cast("grpc.aio.Server", Registrar(watched, self._pipeline.wrap))
        for servable in self._assembly.servables:
            servable.register(around)
        own = cast("grpc.aio.Server", Registrar(watched, self._open_streams.counted))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, own)
        if self._settings.reflection:
            names = (*self._names, health.SERVICE_NAME, reflection.SERVICE_NAME)
            register: Any = cast("Any", reflection_pb2_grpc).add_ServerReflectionServicer_to_server
            register(reflection.aio.ReflectionServicer(names), own)
        await self._bind()
        await self._server.start()
        self._process.start()
        self._serving = True
        self._health.look()
        self._looking = asyncio.create_task(self._health.look_for_ever(), name="health")
        self._write_ready_file()
        get_log().info("listening", address=self.address, metrics_address=self.metrics_address)

    async def _bind(self) -> None:
        settings = self._settings
        host, port = split_address(settings.metrics_listen)
        try:
            bound = await self._status.start(host, port)
        except OSError as fault:
            raise _taken(settings.metrics_listen, "METRICS_LISTEN", fault) from fault
        self.metrics_address = f"{_bracketed(host)}:{bound}"
        try:
            bound = self._add_port(settings.listen)
        except RuntimeError as fault:
            await self._status.stop()
            raise _taken(settings.listen, "LISTEN", fault) from fault
        self.address = f"{_bracketed(split_address(settings.listen)[0])}:{bound}"

    def _add_port(self, address: str) -> int:
        if self._credentials is None:
            return self._server.add_insecure_port(address)
        return self._server.add_secure_port(address, self._credentials)

    def _ready(self) -> bool:
        """For /ready and for grpc.health.v1."""
        return self._serving and self._assembly.ready()

    async def stop(self) -> None:
        """Not ready, a short notice, last words on the streams, calls in flight finished, ports closed."""
        self._serving = False
        if self._looking is not None:
            self._looking.cancel()
        self._health.enter_graceful_shutdown()
        get_log().info("draining")
        await asyncio.sleep(self._settings.drain_notice_seconds)
        self.drain.begin()
        await self._server.stop(self._settings.drain_seconds)
        try:
            async with asyncio.timeout(self._settings.drain_seconds):
                await self._pipeline.idle()  # the server does not wait for handlers that it cut off
        except TimeoutError:
            get_log().warning("calls_cut_off")
        self._process.stop()
        await self._status.stop()
        if self._settings.ready_file is not None:
            self._settings.ready_file.unlink(missing_ok=True)
        get_log().info("stopped")

    def _write_ready_file(self) -> None:
        """Whole or not at all, for whoever waits for it."""
        path = self._settings.ready_file
        if path is None:
            return
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        content = {"listen": self.address, "metrics_listen": self.metrics_address, "pid": os.getpid()}
        fresh.write_text(json.dumps(content), encoding="utf-8")
        fresh.replace(path)


async def start_server(assembly: Assembly, settings: ServerSettings, drain: Drain | None = None) -> RunningServer:
    """Start serving on this event loop and return at once: for tests and for several services in one process."""
    server = RunningServer(assembly, settings, drain or Drain())
    await server.start()
    return server


async def serve(assembly: Assembly, settings: ServerSettings, drain: Drain | None = None) -> None:
    """Serve until SIGTERM or SIGINT, then stop gracefully; pass the drain to whatever keeps streams open."""
    asked = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, asked.set)
    server = await start_server(assembly, settings, drain)
    watching = asyncio.create_task(_end_if_lost(assembly.lost), name="end if lost")
    await asked.wait()
    await server.stop()
    watching.cancel()


async def _end_if_lost(lost: Callable[[], bool]) -> None:
    """Whoever cannot write any more must not go on answering; what was on its way is found again after the restart."""
    while not lost():  # noqa: ASYNC110  # it may be another thread that finds out
        await asyncio.sleep(_LOST_LOOK_SECONDS)
    get_log().error("store_lost", meaning="the disk failed, or what it kept is gone: the process ends at once")
    os._exit(_EXIT_LOST)


def _identities(tls: TlsSettings | None) -> Identities:
    if tls is None:
        return DevIdentities()
    standing = Standing(authorities=tls.client_ca, token_keys=tls.token_keys, revoked=tls.revoked)
    return ProvenIdentities(tls.trust_domain, tls.token_rules, standing)


def _options(request_bytes_max: int, connection_seconds_max: float) -> list[tuple[str, int]]:
    return [
        ("grpc.so_reuseport", 0),  # a second owner of the port is refused, not served every other call
        ("grpc.max_receive_message_length", request_bytes_max),
        ("grpc.max_send_message_length", RESPONSE_BYTES_MAX),
        ("grpc.compression_enabled_algorithms_bitset", 1),  # none: 58 KB would be 60 MB before a limit is looked at
        ("grpc.per_message_decompression", 0),
        ("grpc.max_metadata_size", 16 * 1024),
        ("grpc.absolute_max_metadata_size", 16 * 1024),
        ("grpc.max_concurrent_streams", 1000),
        ("grpc.server_handshake_timeout_ms", 5000),  # silent sockets
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.keepalive_permit_without_calls", 1),
        ("grpc.http2.min_ping_interval_without_data_ms", 1_000),
        ("grpc.http2.max_ping_strikes", 0),  # any: each too many was a goodbye of 2 KB, kept until somebody reads
        ("grpc.http2.settings_timeout", 5000),  # until they are acknowledged a call may have 16 MB of headers
        ("grpc.max_connection_idle_ms", 10 * _MINUTE_MS),
        ("grpc.max_connection_age_ms", round(connection_seconds_max * 1000)),  # so that clients find new instances
        ("grpc.max_connection_age_grace_ms", 1 * _MINUTE_MS),
    ]


def _taken(address: str, name: str, fault: Exception) -> StartFault:
    return StartFault(f"{address} cannot be listened on ({fault}): is another instance running? Give another {name}")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
