"""The house under attack: all five services as processes of their own, logging everything, at the limits a row sets."""

import asyncio
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import grpc
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.caller import Caller, Role
from tests.support.servers import ServiceProcess, calling, running

SERVICES = ("dealer", "betting", "evaluator", "tournament_ledger", "orchestrator")
CALL_SECONDS = 30.0
"""Of the attacker's own well-behaved calls: a battery may run on a busy machine."""
MIB = 1024 * 1024
UNLIMITED = {
    "PLAYER_CALLS_PER_SECOND": "0",
    "PLAYER_CALLS_AT_ONCE": "0",
    "HOUSE_CALLS_PER_SECOND": "0",
    "PLAYER_STREAMS_MAX": "0",
}
"""For attacks whose size is the point; the limits themselves are attacked elsewhere."""
_PLAIN = (("grpc.enable_retries", 0), ("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1))


@dataclass
class House:
    """The running processes, and calls in every role."""

    folder: Path
    processes: Mapping[str, ServiceProcess]
    stack: AsyncExitStack
    channels: dict[tuple[str, Caller], grpc.aio.Channel] = field(
        default_factory=dict[tuple[str, Caller], grpc.aio.Channel]
    )
    raw: dict[str, grpc.aio.Channel] = field(default_factory=dict[str, grpc.aio.Channel])
    tables: TableServiceStub = field(init=False)
    """As a back end."""
    house: TableServiceStub = field(init=False)
    """As an operator."""
    ledger: TournamentLedgerServiceStub = field(init=False)
    """As a back end."""
    auditor: TournamentLedgerServiceStub = field(init=False)
    proofs: DealerServiceStub = field(init=False)
    """As an auditor."""

    async def start(self) -> None:
        """Open the channels that every row needs."""
        backend, auditor = Caller(Role.BACKEND, "lobby"), Caller(Role.AUDITOR, "commission")
        self.tables = TableServiceStub(await self.channel("orchestrator", backend))
        self.house = TableServiceStub(await self.channel("orchestrator", Caller(Role.OPERATOR, "floor")))
        self.ledger = TournamentLedgerServiceStub(await self.channel("tournament_ledger", backend))
        self.auditor = TournamentLedgerServiceStub(await self.channel("tournament_ledger", auditor))
        self.proofs = DealerServiceStub(await self.channel("dealer", auditor))

    async def channel(self, service: str, caller: Caller) -> Any:
        """A channel to a service as somebody; kept for the next time."""
        key = (service, caller)
        if key not in self.channels:
            address = self.processes[service].address
            self.channels[key] = await self.stack.enter_async_context(calling(address, caller, CALL_SECONDS))
        return self.channels[key]

    async def raw_channel(self, service: str) -> Any:
        """A channel that adds nothing to a call: no name, no deadline, no retry."""
        if service not in self.raw:
            channel = grpc.aio.insecure_channel(self.processes[service].address, options=_PLAIN)
            self.raw[service] = await self.stack.enter_async_context(channel)
        return self.raw[service]

    def alive(self) -> list[str]:
        """Services whose process runs."""
        return [name for name, each in self.processes.items() if each.process.poll() is None]

    def memory_mib(self, service: str) -> float:
        """Memory that a service holds now."""
        return memory_mib(self.processes[service].process.pid)

    def descriptors(self, service: str) -> int:
        """Files and sockets that a service holds open."""
        return len(list(Path(f"/proc/{self.processes[service].process.pid}/fd").iterdir()))

    def logs(self) -> Iterator[tuple[str, str]]:
        """What each service has written so far."""
        for name, each in self.processes.items():
            yield name, each.log.read_text(errors="replace")

    async def metrics(self, service: str) -> str:
        """What /metrics says."""
        return await http_get(self.processes[service].metrics_address, "/metrics")


def memory_mib(pid: int) -> float:
    """Resident memory of a process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * 4096 / MIB


async def http_get(address: str, path: str) -> str:
    """The body of a page of the port for machines."""
    host, _, port = address.rpartition(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    raw = (await asyncio.wait_for(reader.read(), CALL_SECONDS)).decode()
    writer.close()
    return raw.partition("\r\n\r\n")[2]


@asynccontextmanager
async def house(folder: Path, **settings: Mapping[str, str]) -> AsyncGenerator[House, None]:
    """A house in this folder; settings by service, as in orchestrator={"WATCHERS_MAX": "9"}."""
    async with AsyncExitStack() as stack:
        processes: dict[str, ServiceProcess] = {}
        for name in SERVICES:
            own = {"LOG_LEVEL": "debug", **_wiring(name, folder, processes), **settings.get(name, {})}
            processes[name] = await stack.enter_async_context(running(name, folder, own))
        async with AsyncExitStack() as channels:
            found = House(folder, processes, channels)
            await found.start()
            yield found


def _wiring(name: str, folder: Path, started: Mapping[str, ServiceProcess]) -> dict[str, str]:
    wiring = {"DATABASE": str(folder / f"{name}.sqlite")} if name not in {"betting", "evaluator"} else {}
    if name == "dealer":
        wiring["SCRIPTED_DECKS"] = "allowed"
    if name == "orchestrator":
        wiring |= {f"{each.upper()}_TARGET": started[each].address for each in SERVICES[:-1]}
        wiring["SCRIPTED_TABLES"] = "allowed"
    return wiring
