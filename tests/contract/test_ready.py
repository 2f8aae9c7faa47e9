"""A service that cannot work says so, by /ready and by grpc.health.v1 alike, and callers turn to another one."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest
from grpc_health.v1.health_pb2 import HealthCheckResponse as Status
from grpc_health.v1.health_pb2_grpc import HealthStub
from sevenstud.betting.v1.betting_service_pb2 import GetServiceInfoRequest
from sevenstud.betting.v1.betting_service_pb2_grpc import BettingServiceStub

from services.betting.rpc.assembly import betting_assembly
from services.dealer.__main__ import assemble as assemble_dealer
from services.dealer.adapters import migrations as dealer_migrations
from services.dealer.settings import Settings as DealerSettings
from services.orchestrator.__main__ import assemble as assemble_orchestrator
from services.orchestrator.__main__ import remote_services
from services.orchestrator.adapters import migrations as orchestrator_migrations
from services.orchestrator.settings import Settings as OrchestratorSettings
from services.tournament_ledger.__main__ import assemble as assemble_ledger
from services.tournament_ledger.adapters import migrations as ledger_migrations
from services.tournament_ledger.settings import Settings as LedgerSettings
from shared.config.location import PostgresUrl
from shared.rpc.drain import Drain
from shared.rpc.server import Assembly, RunningServer
from shared.storage.database import Statement, StoreBroken
from shared.storage.opening import open_database
from shared.storage.sqlite import SqliteStore, open_store
from tests.support.failing_disk import FailingDisk
from tests.support.postgres_server import PostgresServer, postgres_running
from tests.support.raw_http2 import PREFACE, SETTINGS, RawConnection, frame
from tests.support.servers import calling, serving

PATIENCE_SECONDS = 20.0
BETTING = "sevenstud.betting.v1.BettingService"
Assembled = tuple[SqliteStore, Assembly]


@asynccontextmanager
async def dealer(folder: Path) -> AsyncGenerator[Assembled]:
    settings = DealerSettings.from_env({"SEVENSTUD_DEALER_DATABASE": str(folder / "dealer.sqlite")})
    store = await open_store(str(settings.database), "dealer", dealer_migrations)
    yield store, await assemble_dealer(settings, store)
    await store.close()


@asynccontextmanager
async def ledger(folder: Path) -> AsyncGenerator[Assembled]:
    settings = LedgerSettings.from_env({"SEVENSTUD_TOURNAMENT_LEDGER_DATABASE": str(folder / "ledger.sqlite")})
    store = await open_store(str(settings.database), "tournament_ledger", ledger_migrations)
    yield store, assemble_ledger(settings, store, Drain()).assembly
    await store.close()


@asynccontextmanager
async def orchestrator(folder: Path) -> AsyncGenerator[Assembled]:
    settings = OrchestratorSettings.from_env({"SEVENSTUD_ORCHESTRATOR_DATABASE": str(folder / "orchestrator.sqlite")})
    store = await open_store(str(settings.database), "orchestrator", orchestrator_migrations)
    async with remote_services(settings) as services:
        yield store, assemble_orchestrator(settings, store, services, Drain()).assembly
    await store.close()


async def ready(address: str) -> int:
    """The status that /ready answers."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GET /ready HTTP/1.1\r\nHost: x\r\n\r\n")
    line = await asyncio.wait_for(reader.readline(), PATIENCE_SECONDS)
    writer.close()
    return int(line.split()[1])


async def health(server: RunningServer) -> int:
    """What grpc.health.v1 answers of the whole and of the service, which is the same unless it just changes."""
    async with grpc.aio.insecure_channel(server.address) as channel:  # ours would not call one that is not serving
        stub: Any = HealthStub(channel)
        answers = set[int]()
        for _ in range(2):
            names = ("", server._names[0])
            answers = {(await stub.Check(HealthCheckRequest(service=name))).status for name in names}
            if len(answers) == 1:
                break
    (answer,) = answers
    return int(answer)


async def until(server: RunningServer, status: int, http: int) -> None:
    """Both say so; a server that comes up may close the first connections again."""
    async with asyncio.timeout(60):
        while (await health(server), await ready(server.metrics_address)) != (status, http):  # noqa: ASYNC110  # as a prober would look
            await asyncio.sleep(0.05)


def calls_taken(server: RunningServer) -> int:
    labels = {"grpc_type": "unary", "grpc_service": BETTING, "grpc_method": "GetServiceInfo"}
    return int(server.registry.get_sample_value("grpc_server_started_total", labels) or 0)


@pytest.fixture
def postgres_of_its_own() -> Iterator[PostgresServer]:
    with postgres_running() as server:
        yield server


@pytest.mark.parametrize("service", [dealer, ledger, orchestrator])
async def test_a_service_with_a_broken_store_is_not_ready(
    service: Callable[[Path], AbstractAsyncContextManager[Assembled]], tmp_path: Path
) -> None:
    async with service(tmp_path) as (store, assembly), serving(assembly) as server:
        assert await ready(server.metrics_address) == 200
        real = store._connection
        store._connection = FailingDisk(real)  # type: ignore[assignment]  # stands in for a bad disk
        with pytest.raises(StoreBroken):
            await store.write([Statement("CREATE TABLE never_kept (id INTEGER)")])
        store._connection = real
        assert await ready(server.metrics_address) == 503
        assert await health(server) == Status.NOT_SERVING


async def test_health_follows_the_database_that_goes_and_comes_back(postgres_of_its_own: PostgresServer) -> None:
    settings = LedgerSettings.from_env({})
    url = PostgresUrl(await postgres_of_its_own.new_database())
    store = await open_database(url, "tournament_ledger", ledger_migrations)
    try:
        async with serving(assemble_ledger(settings, store, Drain()).assembly) as server:
            assert await health(server) == Status.SERVING
            await asyncio.to_thread(postgres_of_its_own.kill)
            await until(server, Status.NOT_SERVING, 503)
            await asyncio.to_thread(postgres_of_its_own.start)
            await until(server, Status.SERVING, 200)
    finally:
        await store.close()


async def test_who_watches_hears_of_every_change_and_of_the_drain() -> None:
    fit = True
    assembly = replace(betting_assembly(), ready=lambda: fit)
    async with serving(assembly) as server, grpc.aio.insecure_channel(server.address) as channel:
        stub: Any = HealthStub(channel)
        heard = stub.Watch(HealthCheckRequest(service=BETTING))
        assert (await heard.read()).status == Status.SERVING
        fit = False
        assert (await heard.read()).status == Status.NOT_SERVING
        fit = True
        assert (await heard.read()).status == Status.SERVING
        stopping = asyncio.create_task(server.stop())
        assert (await heard.read()).status == Status.NOT_SERVING
        await stopping


async def test_callers_leave_a_replica_that_is_not_ready_and_come_back() -> None:
    fit = True
    async with (
        serving(replace(betting_assembly(), ready=lambda: fit)) as first,
        serving(betting_assembly()) as second,
        calling(f"{first.address},{second.address}") as channel,
    ):
        stub = BettingServiceStub(channel)

        async def share_of_the_first() -> int:
            """Of ten calls, those that the first one took."""
            before = calls_taken(first)
            for _ in range(10):
                await stub.GetServiceInfo(GetServiceInfoRequest())
            return calls_taken(first) - before

        async def until_it_takes(count: int) -> None:
            async with asyncio.timeout(60):
                while await share_of_the_first() != count:  # noqa: ASYNC110  # as its callers notice
                    await asyncio.sleep(0.1)

        await until_it_takes(5)
        fit = False
        await until_it_takes(0)
        fit = True
        await until_it_takes(5)


NOTHING_READ = frame(SETTINGS, 0, 0, (4).to_bytes(2, "big") + bytes(4))
"""SETTINGS_INITIAL_WINDOW_SIZE 0: not one byte of any answer is taken."""


async def test_a_watcher_who_reads_nothing_keeps_nobody_from_any_answer() -> None:
    """It needs no name; callers that balance by health would send nobody to a service that says nothing."""
    fit = True
    assembly = replace(betting_assembly(), ready=lambda: fit)
    async with serving(assembly) as server, grpc.aio.insecure_channel(server.address) as channel:
        deaf = await RawConnection.open(server.address, greet=False)
        deaf.writer.write(PREFACE + NOTHING_READ)
        await deaf.settle()
        for name in ("", BETTING):
            await deaf.call("/grpc.health.v1.Health/Watch", "", HealthCheckRequest(service=name).SerializeToString())
        stub: Any = HealthStub(channel)
        async with asyncio.timeout(PATIENCE_SECONDS):
            while server._open_streams._taken.total() < 2:  # noqa: ASYNC110  # until they are open
                await asyncio.sleep(0.01)
            watches = [stub.Watch(HealthCheckRequest(service=name)) for name in ("", BETTING)]
            for status in (Status.SERVING, Status.NOT_SERVING, Status.SERVING):
                fit = status == Status.SERVING
                assert [(await each.read()).status for each in watches] == [status] * 2
                assert (await stub.Check(HealthCheckRequest(service=BETTING))).status == status
            stopping = asyncio.create_task(server.stop())
            assert [(await each.read()).status for each in watches] == [Status.NOT_SERVING] * 2
            await stopping
        await deaf.close()
