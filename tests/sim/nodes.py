"""The five services as nodes of a simulated world: real assemblies over simulated disks, crashed and started again."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import Any, Final, cast

import grpc

from services.betting.rpc.assembly import betting_assembly
from services.dealer.__main__ import assemble as assemble_dealer
from services.dealer.adapters import migrations as dealer_migrations
from services.dealer.domain.commitment import SEED_SIZE
from services.dealer.settings import Settings as DealerSettings
from services.evaluator.adapters.plain_engine import PlainEngine
from services.evaluator.adapters.plain_equity import PlainEquity
from services.evaluator.application.batch import ValueBatch
from services.evaluator.application.equity import EstimateEquity
from services.evaluator.application.slots import Slots
from services.evaluator.rpc.assembly import evaluator_assembly
from services.orchestrator.__main__ import Orchestrator, Services, assemble, in_play
from services.orchestrator.adapters import migrations as orchestrator_migrations
from services.orchestrator.adapters.betting_client import BettingClient
from services.orchestrator.adapters.dealer_client import DealerClient
from services.orchestrator.adapters.evaluator_client import EvaluatorClient
from services.orchestrator.adapters.ledger_client import LedgerClient
from services.orchestrator.application.dealer_check import check_dealer
from services.orchestrator.settings import Settings as OrchestratorSettings
from services.tournament_ledger.__main__ import assemble as assemble_ledger
from services.tournament_ledger.adapters import migrations as ledger_migrations
from services.tournament_ledger.adapters.housekeeping import keep_house
from services.tournament_ledger.settings import Settings as LedgerSettings
from shared.kernel.caller import Caller, Role
from shared.observability.metrics import RpcMetrics, new_registry
from shared.rpc.drain import Drain
from shared.rpc.pipeline import Pipeline
from shared.rpc.registrar import Registrar
from shared.rpc.rights import methods_of
from shared.rpc.server import Assembly
from shared.storage.database import Statement, StoreBroken, StoreUnavailable, StoreUnclear
from tests.sim.lines import open_line
from tests.sim.loop import VirtualLoop, WorldClock
from tests.sim.network import Network, details_of
from tests.sim.store import DiskHabits, SimDisk, SimStore

DEALER: Final = "dealer"
BETTING: Final = "betting"
EVALUATOR: Final = "evaluator"
LEDGER: Final = "tournament_ledger"
ORCHESTRATOR: Final = "orchestrator"
SERVICES: Final = (DEALER, BETTING, EVALUATOR, LEDGER, ORCHESTRATOR)
_MIGRATIONS: Final = {
    DEALER: dealer_migrations,
    LEDGER: ledger_migrations,
    ORCHESTRATOR: orchestrator_migrations,
}
KEYS: Final = f"k1:{'5' * 64}"
_CALL_SECONDS: Final = 5.0


class SeededEntropy:
    """The dealer's entropy, from the seed of the world: a world is for tests, its cards are no secret."""

    def __init__(self, random: Random) -> None:
        self._random = random

    def seed(self) -> bytes:
        return self._random.randbytes(SEED_SIZE)

    def nonce(self, size: int) -> bytes:
        return self._random.randbytes(size)


@lru_cache(maxsize=8)
def _metrics(service: str) -> RpcMetrics:
    """Nobody reads them here: one for all starts of a service."""
    del service
    return RpcMetrics(new_registry())


@dataclass(slots=True)
class _Handlers:
    """Takes the place of the server: keeps the handlers that it is given."""

    kept: list[grpc.GenericRpcHandler] = field(default_factory=list[grpc.GenericRpcHandler])

    def add_generic_rpc_handlers(self, handlers: Sequence[grpc.GenericRpcHandler]) -> None:
        self.kept += handlers

    def find(self, method: str) -> Any:
        return next(found for each in self.kept if (found := each.service(details_of(method))) is not None)


@dataclass(slots=True, kw_only=True)
class Nature:
    """What a node needs of the world that it lives in."""

    loop: VirtualLoop
    network: Network
    random: Random
    habits: DiskHabits
    tell: Callable[[str], None]
    """A line for the trace."""
    committed: Callable[[str, Sequence[Statement]], None]
    """A write of a node took effect."""
    failed: Callable[[BaseException], None]
    """A node ended with an exception: no crash of ours, a fault of its own."""
    ahead_seconds: float = 0.0
    """How far its wall clock goes ahead of the world, from the next start on."""


def _disk_of(service: str) -> SimDisk | None:
    return SimDisk(service, _MIGRATIONS[service]) if service in _MIGRATIONS else None


class Node:
    """One service: its disk stays, its process comes and goes."""

    def __init__(self, name: str, nature: Nature, serves_with: "Node | None" = None) -> None:
        """With a disk of its own, or with the database of another node, as one of several replicas."""
        self.name = name
        self.kind: str = name if serves_with is None else serves_with.kind
        """Which of the services."""
        self.starts = 0
        self.crashes = 0
        self.up = False
        self.orchestrator: Orchestrator | None = None
        self.store: SimStore | None = None
        self.disk: SimDisk | None = _disk_of(name) if serves_with is None else serves_with.disk
        if serves_with is not None and self.disk is not None:
            self.disk.shared = True
        self._nature = nature
        self._handlers = _Handlers()
        self._found: dict[str, Any] = {}

    @property
    def owner(self) -> str:
        """Whose tasks they are: another with every start."""
        return f"{self.name} {self.starts}"

    def handler(self, method: str) -> Any:
        """The handler of a method, with the pipeline around it."""
        found = self._found.get(method)
        if found is None:
            found = self._found[method] = self._handlers.find(method)
        return found

    def start(self) -> None:
        """A new process, over what the disk has."""
        self.starts += 1
        self._nature.loop.spawn(self.owner, self._live())

    def crash(self) -> None:
        """kill -9: nothing of it goes on, what was not synced may be lost."""
        owner = self.owner
        self.crashes += 1
        self.up = False
        self.starts += 1  # from now on nobody owns what the dead one left
        if self.store is not None:
            self.store.crash()
        self._nature.loop.cancel_all(owner)
        self.orchestrator = None
        self._nature.tell(f"{self.name} crashes")

    async def _live(self) -> None:
        """From the start to the crash; a process that fails by itself is started again, as supervisors do."""
        owner = self.owner
        if self.disk is not None:
            self.store = SimStore(self.disk, self._nature.random, self._nature.habits, self._committed)
        try:
            async with self._running() as assembly:
                self._serve(assembly)
                self._nature.tell(f"{self.name} is up")
                await (asyncio.Event() if self.store is None else self.store.broke).wait()
        except (StoreUnavailable, StoreUnclear, StoreBroken) as fault:  # a replica that joins writes a line of its own
            self._nature.tell(f"{self.name} does not start: {fault}")
        except Exception as fault:  # noqa: BLE001  # any other end of a process is a fault
            self._nature.failed(fault)
            return
        if self.owner == owner:
            self._nature.tell(f"{self.name} has a full or broken disk and is started again")
            self._nature.loop.call_later(0.5, self._again, owner)

    def _again(self, owner: str) -> None:
        if self.owner == owner:
            self.crash()
            self.start()

    def _committed(self, statements: Sequence[Statement]) -> None:
        self._nature.committed(self.name, statements)

    def _serve(self, assembly: Assembly) -> None:
        methods = methods_of((servable.descriptor for servable in assembly.servables), assembly.rights)
        pipeline = Pipeline(assembly.service, methods, _metrics(assembly.service))
        self._handlers, self._found = _Handlers(), {}
        registrar = Registrar(cast("grpc.aio.Server", self._handlers), pipeline.wrap)
        for servable in assembly.servables:
            servable.register(cast("grpc.aio.Server", registrar))
        self.up = True

    @asynccontextmanager
    async def _running(self) -> AsyncGenerator[Assembly]:
        match self.kind:
            case "dealer":
                yield await self._dealer()
            case "betting":
                yield betting_assembly()
            case "evaluator":
                batch = ValueBatch(PlainEngine(), Slots("batches_max", 2))
                yield evaluator_assembly(batch, EstimateEquity(PlainEquity(), Slots("equity", 2)), Drain())
            case "tournament_ledger":
                async with self._ledger() as assembly:
                    yield assembly
            case _:
                async with self._orchestrator() as assembly:
                    yield assembly

    @property
    def _kept(self) -> SimStore:
        assert self.store is not None
        return self.store

    async def _dealer(self) -> Assembly:
        settings = DealerSettings.from_env({"SEVENSTUD_DEALER_KEYS": KEYS})
        return await assemble_dealer(settings, self._kept, SeededEntropy(self._nature.random), self._clock())

    @asynccontextmanager
    async def _ledger(self) -> AsyncGenerator[Assembly]:
        settings = LedgerSettings.from_env({"SEVENSTUD_TOURNAMENT_LEDGER_CHORES_SECONDS": "5"})
        assembled = assemble_ledger(settings, self._kept, Drain(), self._clock())
        house = asyncio.create_task(keep_house(assembled.chores, settings.chores_seconds, settings.answers_kept))
        try:
            yield assembled.assembly
        finally:
            house.cancel()

    @asynccontextmanager
    async def _orchestrator(self) -> AsyncGenerator[Assembly]:
        settings, drain = OrchestratorSettings.from_env({}), Drain()
        services = self._services()
        await check_dealer(services.dealer, services.clock, scripted_tables=False, patience_seconds=3600.0)
        self.orchestrator = assemble(settings, self._kept, services, drain)
        if (replicas := self.orchestrator.replicas) is not None:
            replicas.name, replicas._now = f"{self.name}-{self.starts}", self._nature.loop.time
        async with in_play(self.orchestrator, drain):
            yield self.orchestrator.assembly

    def _services(self) -> Services:
        def to(name: str) -> Any:
            caller = Caller(Role.SERVICE, "orchestrator")
            return open_line(self._nature.network, self.name, name, caller, _CALL_SECONDS)

        return Services(
            dealer=DealerClient(to(DEALER)),
            betting=BettingClient(to(BETTING)),
            evaluator=EvaluatorClient(to(EVALUATOR)),
            ledger=LedgerClient(to(LEDGER)),
            clock=self._clock(),
        )

    def _clock(self) -> WorldClock:
        return WorldClock(self._nature.loop, self._nature.ahead_seconds)
