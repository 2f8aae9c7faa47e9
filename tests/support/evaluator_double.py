"""A servicer of the evaluator's contract whose handlers misbehave on demand: for tests of what is around a handler.

Also a process: ``python -m tests.support.evaluator_double``.
"""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator

from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1 import evaluator_service_pb2_grpc as rpc

from shared.config.env import Env
from shared.kernel.caller import Role
from shared.kernel.errors import DomainError, Reason
from shared.observability.logging import configure_logging
from shared.rpc.call import current_caller, remaining_seconds
from shared.rpc.context import Context
from shared.rpc.drain import Drain
from shared.rpc.info import service_info
from shared.rpc.main import run_service
from shared.rpc.rights import anybody
from shared.rpc.server import Assembly, Servable, serve
from shared.rpc.server_settings import ServerSettings
from shared.storage.database import StoreUnavailable

DESCRIPTOR = pb.DESCRIPTOR.services_by_name["EvaluatorService"]
SECRET = "As Kd 7h"
WORK_SECONDS = 0.005


class EvaluatorDouble(rpc.EvaluatorServiceServicer):
    """What Evaluate does depends on the first card; EstimateEquity streams until the drain."""

    def __init__(self, drain: Drain) -> None:
        self.drain = drain
        self.cancelled = asyncio.Event()
        self.remaining: float | None = None

    async def Evaluate(self, request: pb.EvaluateRequest, context: Context) -> pb.EvaluateResponse:
        self.remaining = remaining_seconds()
        match request.cards[0]:
            case 1:
                raise DomainError(Reason.CARDS_INVALID, "the cards are doubled: give each once", {"expected": "5"})
            case 2:
                raise RuntimeError(f"a bug that knows {SECRET}")
            case 3:
                await self._sleep()
            case 4:
                raise StoreUnavailable("full")
            case 5:
                raise DomainError(Reason.LIMIT_REACHED, "too many", {"limit": "boards"})
            case 6:
                time.sleep(WORK_SECONDS)  # noqa: ASYNC251  # as a handler that computes and never waits
            case _:
                pass
        description = f"{current_caller().role} {current_caller().id}"
        return pb.EvaluateResponse(value=pb.HandValue(strength=7, description_en=description))

    async def _sleep(self) -> None:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise

    async def EstimateEquity(
        self, request: pb.EstimateEquityRequest, context: Context
    ) -> AsyncIterator[pb.EstimateEquityResponse]:
        try:
            yield pb.EstimateEquityResponse()
            await self.drain.wait()
            yield pb.EstimateEquityResponse(final=True)
        except (asyncio.CancelledError, GeneratorExit):
            self.cancelled.set()
            raise

    async def EvaluateBatch(self, request: pb.EvaluateBatchRequest, context: Context) -> pb.EvaluateBatchResponse:
        await asyncio.sleep(len(request.masks) / 8)
        return pb.EvaluateBatchResponse()

    async def OrderBringIn(self, request: pb.OrderBringInRequest, context: Context) -> pb.OrderBringInResponse:
        return pb.OrderBringInResponse()

    async def OrderBoards(self, request: pb.OrderBoardsRequest, context: Context) -> pb.OrderBoardsResponse:
        return pb.OrderBoardsResponse()

    async def RankShowdown(self, request: pb.RankShowdownRequest, context: Context) -> pb.RankShowdownResponse:
        return pb.RankShowdownResponse()

    async def GetServiceInfo(self, request: pb.GetServiceInfoRequest, context: Context) -> pb.GetServiceInfoResponse:
        return pb.GetServiceInfoResponse(info=service_info("evaluator", [DESCRIPTOR], {"request_bytes_max": 65536}))


def assembly(double: EvaluatorDouble) -> Assembly:
    """The double behind the real server: players may evaluate, the rest is for services."""
    service = anybody(Role.SERVICE)
    rights = {method.name: service for method in DESCRIPTOR.methods if method.name != "GetServiceInfo"}
    rights["Evaluate"] = anybody(Role.SERVICE, Role.PLAYER)
    servable = Servable(DESCRIPTOR, lambda server: rpc.add_EvaluatorServiceServicer_to_server(double, server))
    return Assembly(service="evaluator", servables=[servable], rights=rights)


async def main() -> None:
    env = Env("evaluator", os.environ)
    settings = ServerSettings.from_env(env, port=7103, metrics_port=7203)
    env.check()
    configure_logging("evaluator", settings.log_level)
    drain = Drain()
    await serve(assembly(EvaluatorDouble(drain)), settings, drain)


if __name__ == "__main__":
    sys.exit(run_service(main))
