"""Two orchestrators in the test's own loop on one PostgreSQL, over real gRPC; each may be stopped or fall silent."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from services.orchestrator.__main__ import Orchestrator, assemble, in_play, remote_services
from services.orchestrator.adapters import migrations
from services.orchestrator.settings import Settings
from shared.rpc.drain import Drain
from tests.support.postgres_server import PostgresServer
from tests.support.servers import calling, server_settings, serving
from tests.support.stores import STORES
from tests.support.table_suite import BACKEND, OPERATOR, TableSuite


@dataclass
class Replica:
    """One of the orchestrators, and calls to it."""

    orchestrator: Orchestrator
    house: TableServiceStub
    tables: TableServiceStub
    address: str
    stack: AsyncExitStack = field(repr=False)

    async def stop(self) -> None:
        await self.stack.aclose()


class ReplicaSuite(TableSuite):
    """The suite of the tables with more orchestrators than one; ``tables`` and ``house`` call the first."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.others: list[Replica] = []

    async def start_another(self) -> Replica:
        """One more orchestrator on the same database."""
        own = {"SEVENSTUD_ORCHESTRATOR_SCRIPTED_TABLES": "allowed"}
        settings = replace(Settings.from_env(self._environ | own), server=server_settings())
        stack = AsyncExitStack()
        opened = stack.enter_async_context
        store = await STORES.open(self._folder / "orchestrator.sqlite", "orchestrator", migrations)
        stack.push_async_callback(store.close)
        services, drain = await opened(remote_services(settings)), Drain()
        orchestrator = assemble(settings, store, replace(services, clock=self.clock), drain)
        await opened(in_play(orchestrator, drain))
        server = await opened(serving(orchestrator.assembly, settings.server, drain))
        house = TableServiceStub(await opened(calling(server.address, OPERATOR)))
        tables = TableServiceStub(await opened(calling(server.address, BACKEND)))
        replica = Replica(orchestrator, house, tables, server.address, stack)
        self.others.append(replica)
        return replica

    async def __aexit__(self, *_: object) -> None:
        for replica in self.others:
            await replica.stop()
        await super().__aexit__()


@asynccontextmanager
async def replicas_on(postgres: PostgresServer, folder: Path) -> AsyncGenerator[ReplicaSuite, None]:
    """The suite, with everything of everybody in databases of this server."""
    STORES.use(postgres)
    try:
        async with ReplicaSuite(folder) as running:
            yield running
    finally:
        STORES.use(None)
