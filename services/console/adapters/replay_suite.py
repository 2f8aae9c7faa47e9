"""The suite that replays run on: the one that runs on this machine if it takes scripted cards, else one of our own."""

import asyncio
import tempfile
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from sevenstud.orchestrator.v1.table_service_pb2 import GetServiceInfoRequest
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from services.console.adapters.calls import Away, Line, Refused, connect
from services.console.adapters.suite import Suite
from services.console.domain.suite_plan import BASE_PORT, LEDGER, ORCHESTRATOR, wanted
from shared.kernel.caller import Role

_NAME = "replay"
_PROBE_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class ReplayLines:
    """Lines to the services that a replay needs."""

    operator: Line
    """To the orchestrator, as an operator: opens and closes tables."""
    backend: Line
    """To the orchestrator, as a back end: sits and acts for the players."""
    ledger: Line
    evaluator: Line


@asynccontextmanager
async def replay_suite(environ: Mapping[str, str]) -> AsyncGenerator[ReplayLines, None]:
    """Lines to a suite that takes scripted cards; one that is started here is stopped and its folder removed."""
    async with AsyncExitStack() as stack:
        if await _takes_scripts(wanted(ORCHESTRATOR, BASE_PORT).listen):
            yield await _lines(stack, {service: wanted(service, BASE_PORT).listen for service in _NEEDED})
            return
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="sevenstud-replay-"))
        suite = await stack.enter_async_context(Suite(Path(folder), environ, scripted=True))
        yield await _lines(stack, {service: suite.address(service) for service in _NEEDED})


_NEEDED = (ORCHESTRATOR, LEDGER, "evaluator")


async def _lines(stack: AsyncExitStack, addresses: Mapping[str, str]) -> ReplayLines:
    async def line(service: str, role: Role) -> Line:
        return await stack.enter_async_context(connect(addresses[service], role, _NAME))

    return ReplayLines(
        operator=await line(ORCHESTRATOR, Role.OPERATOR),
        backend=await line(ORCHESTRATOR, Role.BACKEND),
        ledger=await line(LEDGER, Role.BACKEND),
        evaluator=await line("evaluator", Role.BACKEND),
    )


async def _takes_scripts(orchestrator: str) -> bool:
    """Whether a suite answers here that was started for scripted cards."""
    try:
        async with asyncio.timeout(_PROBE_SECONDS), connect(orchestrator, Role.OPERATOR, _NAME, 0.0) as line:
            answer = await line.ask(TableServiceStub(line.channel).GetServiceInfo, GetServiceInfoRequest())
    except (Away, Refused, TimeoutError):
        return False
    return any(trait.name == "scripted_tables" and trait.value == "allowed" for trait in answer.info.traits)
