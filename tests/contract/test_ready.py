"""A service whose disk failed says that it is not ready, so that nobody sends it any more work."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest

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
from shared.rpc.drain import Drain
from shared.rpc.server import Assembly
from shared.storage.database import Statement, StoreBroken
from shared.storage.sqlite import SqliteStore, open_store
from tests.support.failing_disk import FailingDisk
from tests.support.servers import serving

PATIENCE_SECONDS = 5.0
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
