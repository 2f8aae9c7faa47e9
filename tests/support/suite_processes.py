"""The suite as five processes that are killed and started again, and calls to it as the tests of tables make them."""

import os
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.console.adapters.suite import Suite, SuiteFault
from shared.rpc.client import open_channel
from tests.support.table_suite import BACKEND, OPERATOR

STARTS = 5
CALLED = ("orchestrator", "tournament_ledger")


def plain_environ() -> dict[str, str]:
    """This process's environment without settings of ours."""
    return {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")}


class AlteredSuite(Suite):
    """Services that are started with variables of their own besides those of the suite."""

    def __init__(
        self, folder: Path, altered: dict[str, dict[str, str]] | None = None, *, scripted: bool = False
    ) -> None:
        """``altered``: service -> variables; may be changed between two starts."""
        super().__init__(folder, plain_environ(), scripted=scripted)
        self.altered = {} if altered is None else altered

    def environment(self, service: str) -> dict[str, str]:
        """See Suite."""
        return super().environment(service) | self.altered.get(service, {})

    async def start(self, service: str) -> None:
        """See Suite; once more where the machine is so busy that a minute was not enough."""
        for left in range(STARTS - 1, -1, -1):
            try:
                await super().start(service)
            except SuiteFault as fault:
                if "is not ready after" not in str(fault) or not left:
                    raise
            else:
                return

    async def ended(self, service: str) -> int:
        """The exit code of a service, as soon as it has ended by itself; ``kill`` clears it away."""
        return await self._running[service].process.wait()


class Processes:
    """The suite, with channels that are opened anew after a kill, so that nobody waits for one to try again."""

    tables: Any
    house: Any
    ledger: Any

    def __init__(
        self, folder: Path, altered: dict[str, dict[str, str]] | None = None, *, scripted: bool = False
    ) -> None:
        self.suite = AlteredSuite(folder, altered, scripted=scripted)
        self._channels = AsyncExitStack()

    async def __aenter__(self) -> Self:
        await self.suite.__aenter__()
        await self.call()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._channels.aclose()
        await self.suite.__aexit__(kind, error, trace)

    async def kill_and_start(self, service: str) -> None:
        """As a crash, and whoever watches over processes."""
        await self.suite.kill(service)
        await self.suite.start(service)
        if service in CALLED:
            await self.call()

    async def call(self) -> None:
        """Open the channels anew."""
        await self._channels.aclose()
        self._channels = AsyncExitStack()
        tables, ledger = (self.suite.address(service) for service in CALLED)
        opened = self._channels.enter_async_context
        self.tables = TableServiceStub(await opened(open_channel(tables, BACKEND)))
        self.house = TableServiceStub(await opened(open_channel(tables, OPERATOR)))
        self.ledger = TournamentLedgerServiceStub(await opened(open_channel(ledger, BACKEND)))
