"""Five services in one loop over loopback gRPC, and players who sit at every table of a tournament."""

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Self

from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.betting.rpc.assembly import betting_assembly
from services.evaluator.adapters.plain_engine import PlainEngine
from services.evaluator.adapters.plain_equity import PlainEquity
from services.evaluator.application.batch import ValueBatch
from services.evaluator.application.equity import EstimateEquity
from services.evaluator.application.slots import Slots
from services.evaluator.rpc.assembly import evaluator_assembly
from services.orchestrator.__main__ import Orchestrator, assemble, in_play, remote_services
from services.orchestrator.adapters import migrations as orchestrator_migrations
from services.orchestrator.settings import Settings
from services.tournament_ledger.__main__ import assemble as assemble_ledger
from services.tournament_ledger.adapters import migrations as ledger_migrations
from services.tournament_ledger.settings import Settings as LedgerSettings
from shared.rpc.drain import Drain
from shared.rpc.server import RunningServer
from tests.support.dealer_calls import dealer
from tests.support.moved_clock import MovedClock
from tests.support.servers import calling, server_settings, serving
from tests.support.stores import STORES
from tests.support.tournament_lobby import BACKEND, TournamentLobby


@asynccontextmanager
async def _ledger(folder: Path) -> AsyncGenerator[RunningServer]:
    settings = LedgerSettings.from_env({"SEVENSTUD_TOURNAMENT_LEDGER_DATABASE": str(folder / "ledger.sqlite")})
    store = await STORES.open(folder / "ledger.sqlite", "tournament_ledger", ledger_migrations)
    try:
        drain = Drain()
        async with serving(assemble_ledger(settings, store, drain).assembly, drain=drain) as server:
            yield server
    finally:
        await store.close()


@asynccontextmanager
async def _evaluator() -> AsyncGenerator[RunningServer]:
    batch = ValueBatch(PlainEngine(), Slots("batches_max", 2))
    equity = EstimateEquity(PlainEquity(), Slots("equity_streams_max", 2))
    async with serving(evaluator_assembly(batch, equity, Drain())) as server:
        yield server


class TournamentSuite(TournamentLobby):
    """The suite; its orchestrator may be stopped and started again on its own database."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._services = AsyncExitStack()
        self._orchestrator = AsyncExitStack()
        self._environ: dict[str, str] = {}
        self.clock = MovedClock()
        """Of tables and director; the ledger's own goes on as it does."""

    async def __aenter__(self) -> Self:
        opened = self._services.enter_async_context
        targets = {
            "DEALER": await opened(dealer(self._folder)),
            "BETTING": await opened(serving(betting_assembly())),
            "EVALUATOR": await opened(_evaluator()),
            "TOURNAMENT_LEDGER": await opened(_ledger(self._folder)),
        }
        self._environ = {f"SEVENSTUD_ORCHESTRATOR_{name}_TARGET": server.address for name, server in targets.items()}
        self.dealer_address = targets["DEALER"].address
        self.ledger_address = targets["TOURNAMENT_LEDGER"].address
        self.dealer = DealerServiceStub(await opened(calling(targets["DEALER"].address)))
        channel = await opened(calling(targets["TOURNAMENT_LEDGER"].address, BACKEND))
        self.ledger = TournamentLedgerServiceStub(channel)
        await self.start_orchestrator()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop_orchestrator()
        await self._services.aclose()

    async def start_orchestrator(self) -> None:
        """Start it over its database, which may tell of tournaments in play."""
        database = str(self._folder / "orchestrator.sqlite")
        settings = Settings.from_env({**self._environ, "SEVENSTUD_ORCHESTRATOR_DATABASE": database})
        settings = replace(settings, server=server_settings())
        opened = self._orchestrator.enter_async_context
        store = await STORES.open(self._folder / "orchestrator.sqlite", "orchestrator", orchestrator_migrations)
        self._orchestrator.push_async_callback(store.close)
        services, drain = await opened(remote_services(settings)), Drain()
        services = replace(services, clock=self.clock)
        self.orchestrator: Orchestrator = assemble(settings, store, services, drain)
        await opened(in_play(self.orchestrator, drain))
        server = await opened(serving(self.orchestrator.assembly, settings.server, drain))
        self.address = server.address
        channel = await opened(calling(server.address, BACKEND))
        self.tables, self.tournaments = TableServiceStub(channel), TournamentServiceStub(channel)

    async def stop_orchestrator(self) -> None:
        await self._orchestrator.aclose()
        self._orchestrator = AsyncExitStack()
