"""The suite under measurement: its processes, stubs as a back end, players with money."""

import os
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.console.adapters.suite import Suite
from shared.kernel.caller import Caller, Role
from shared.rpc.channel import CallingChannel
from tests.support.ledger_house import euro, fresh
from tests.support.servers import SERVICE, calling

BACKEND = Caller(Role.BACKEND, "lobby")


@dataclass(slots=True)
class House:
    """A suite that runs."""

    suite: Suite
    folder: Path
    tables: TableServiceStub
    ledger: TournamentLedgerServiceStub
    dealer: DealerServiceStub
    evaluator: EvaluatorServiceStub
    opened: AsyncExitStack

    async def keep(self, opening: AbstractAsyncContextManager[CallingChannel]) -> CallingChannel:
        """Something open as long as the house is."""
        return await self.opened.enter_async_context(opening)

    def pids(self, *services: str) -> tuple[int, ...]:
        """The processes of these services."""
        return tuple(self.suite.pid(service) for service in services)

    async def fund(self, player_id: str, amount_minor: int) -> None:
        """An account with money."""
        await self.ledger.OpenAccount(
            ledger_pb.OpenAccountRequest(request_id=fresh(), player_id=player_id, currency="EUR")
        )
        deposit = ledger_pb.DepositRequest(request_id=fresh(), player_id=player_id, amount=euro(amount_minor))
        await self.ledger.Deposit(deposit)

    async def seat(self, table_id: str, players: Sequence[str], chips: int) -> dict[int, str]:
        """Players with money take seats; who sits where."""
        seated: dict[int, str] = {}
        for player_id in players:
            await self.fund(player_id, chips)
            sit = pb.SitRequest(request_id=fresh(), table_id=table_id, player_id=player_id, buy_in_chips=chips)
            seated[(await self.tables.Sit(sit)).seat] = player_id
        return seated


class _SuiteWith(Suite):
    """A suite with other settings than a suite gives its services, as where they keep their data."""

    other: Mapping[str, str] = {}

    def environment(self, service: str) -> dict[str, str]:
        return {**super().environment(service), **self.other}


@asynccontextmanager
async def open_house(
    folder: Path, environ: Mapping[str, str] | None = None, other: Mapping[str, str] | None = None
) -> AsyncGenerator[House]:
    """Five processes for the length of the block; ``other`` settings take the place of the suite's own."""
    async with AsyncExitStack() as opened:
        suite = _SuiteWith(folder / "suite", environ or os.environ)
        suite.other = other or {}
        await opened.enter_async_context(suite)

        async def channel(service: str, caller: Caller) -> CallingChannel:
            return await opened.enter_async_context(calling(suite.address(service), caller, 30.0))

        yield House(
            suite=suite,
            folder=folder,
            tables=TableServiceStub(await channel("orchestrator", BACKEND)),
            ledger=TournamentLedgerServiceStub(await channel("tournament_ledger", BACKEND)),
            dealer=DealerServiceStub(await channel("dealer", SERVICE)),
            evaluator=EvaluatorServiceStub(await channel("evaluator", BACKEND)),
            opened=opened,
        )
