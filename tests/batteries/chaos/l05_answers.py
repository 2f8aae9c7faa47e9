"""L5: once the disk has failed nobody is told that something is kept; all that was told is there after the restart."""

import asyncio
import errno
import tempfile
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

import grpc
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.orchestrator.v1 import table_service_pb2 as table_pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from tests.batteries.chaos.hurting import Control, library
from tests.support.ledger_house import euro, fresh
from tests.support.servers import calling
from tests.support.suite_processes import Processes
from tests.support.table_suite import STAKES, card_room

CLIENTS: Final = 4
CALL_SECONDS: Final = 3.0
STOP_SECONDS_MAX: Final = 1.0
BACK_SECONDS_MAX: Final = 10.0
Ask = Callable[[str], Awaitable[Any]]
"""A request that writes, made again with the same id it is the same request."""


@dataclass(frozen=True, slots=True)
class Harm:
    """How a disk fails."""

    name: str
    error: int
    writes: bool
    ends: bool
    """Whether the process must end; where the disk is full it refuses instead, until there is room again."""


HARMS: Final = (
    Harm("EIO at a sync", errno.EIO, writes=False, ends=True),
    Harm("EIO at a write", errno.EIO, writes=True, ends=True),
    Harm("a disk that is read-only", errno.EROFS, writes=True, ends=True),
    Harm("a full disk", errno.ENOSPC, writes=True, ends=False),
)


@dataclass(slots=True)
class Answers:
    """What was seen of one service."""

    service: str
    acknowledged: int = 0
    late: int = 0
    """Requests made after the failure and acknowledged all the same."""
    slowest_end: float = 0.0
    slowest_recovery: float = 0.0
    faults: list[str] = field(default_factory=list[str])


class Trial:
    """One service on a disk that fails again and again."""

    def __init__(self, processes: Processes, control: Control, ask: Ask, answers: Answers) -> None:
        self._processes, self._control, self._ask, self._answers = processes, control, ask, answers
        self._told: dict[str, Any] = {}

    async def fail(self, harm: Harm, after: int) -> None:
        """Clients ask, the disk fails, they go on asking; then it is well again, and what was told is asked again."""
        stop = asyncio.Event()
        clients = [asyncio.create_task(self._client(stop)) for _ in range(CLIENTS)]
        await asyncio.sleep(0.3)
        self._control.disk_fails(harm.error, after=after, writes=harm.writes)
        async with asyncio.timeout(30):
            while not self._control.failed_at:  # noqa: ASYNC110  # another process says so
                await asyncio.sleep(0.01)
        await (self._must_end(harm) if harm.ends else asyncio.sleep(2 * STOP_SECONDS_MAX))
        stop.set()
        await asyncio.gather(*clients)
        self._control.disk_is_well()
        if harm.ends:
            await self._processes.suite.kill(self._answers.service)
            await self._processes.suite.start(self._answers.service)
        await self._ask_again(harm)

    async def _client(self, stop: asyncio.Event) -> None:
        while not stop.is_set():
            request_id, began = fresh(), time.monotonic()
            with suppress(grpc.aio.AioRpcError):
                self._told[request_id] = await self._ask(request_id)
                self._answers.acknowledged += 1
                failed_at = self._control.failed_at
                self._answers.late += bool(failed_at and began > failed_at)

    async def _must_end(self, harm: Harm) -> None:
        failed_at = self._control.failed_at
        try:
            async with asyncio.timeout(5):
                code = await self._processes.suite.ended(self._answers.service)
        except TimeoutError:
            self._answers.faults.append(f"{harm.name}: goes on 5 s later")
            return
        self._answers.slowest_end = max(self._answers.slowest_end, time.monotonic() - failed_at)
        if code != 1:
            self._answers.faults.append(f"{harm.name}: exit code {code}")

    async def _ask_again(self, harm: Harm) -> None:
        """The first one says when it is back; each gets its first answer again."""
        began = time.monotonic()
        for request_id, answer in self._told.items():
            again = await self._answer(request_id)
            if again != answer:
                self._answers.faults.append(f"{harm.name}: {request_id} was answered otherwise, or is lost")
        await self._answer(fresh())
        if not harm.ends:
            self._answers.slowest_recovery = max(self._answers.slowest_recovery, time.monotonic() - began)
        self._told.clear()

    async def _answer(self, request_id: str) -> Any:
        async with asyncio.timeout(BACK_SECONDS_MAX):
            while True:
                with suppress(grpc.aio.AioRpcError):
                    return await self._ask(request_id)
                await asyncio.sleep(0.05)


async def answers_on_failing_disks(rounds: int, seed: int) -> list[Answers]:
    """Each service that stores, each harm, so many rounds."""
    rng, found = Random(seed), list[Answers]()
    with tempfile.TemporaryDirectory(prefix="chaos-") as name:
        folder = Path(name)
        built = library(folder)
        controls = {
            service: Control(folder / f"{service}.control")
            for service in ("dealer", "tournament_ledger", "orchestrator")
        }
        altered = {service: control.variables(built) for service, control in controls.items()}
        async with (
            Processes(folder / "suite", altered) as processes,
            calling(processes.suite.address("dealer")) as channel,
        ):
            asks = _asks(processes, DealerServiceStub(channel))
            account = ledger_pb.OpenAccountRequest(request_id=fresh(), player_id="ann", currency="EUR")
            await processes.ledger.OpenAccount(account)
            for service, control in controls.items():
                found.append(Answers(service))
                trial = Trial(processes, control, asks[service], found[-1])
                for _ in range(rounds):
                    for harm in HARMS:
                        await trial.fail(harm, rng.randint(0, 9))
    return found


def _asks(processes: Processes, dealer: DealerServiceStub) -> dict[str, Ask]:
    """A request to each service that is nothing but a write."""

    async def draw(request_id: str) -> Any:
        request = dealer_pb.DrawLotsRequest(
            request_id=request_id, purpose="seats", subject_id="t", entries=("ann", "bob")
        )
        return await dealer.DrawLots(request, timeout=CALL_SECONDS)

    async def deposit(request_id: str) -> Any:
        request = ledger_pb.DepositRequest(request_id=request_id, player_id="ann", amount=euro(1))
        return await processes.ledger.Deposit(request, timeout=CALL_SECONDS)

    async def open_table(request_id: str) -> Any:
        request = table_pb.OpenTableRequest(
            request_id=request_id,
            name="Table",
            rules=card_room(),
            stakes=STAKES,
            chip_value=euro(1),
            start_paused=True,
        )
        return (await processes.tables.OpenTable(request, timeout=CALL_SECONDS)).table.table_id

    return {"dealer": draw, "tournament_ledger": deposit, "orchestrator": open_table}
