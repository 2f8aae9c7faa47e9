"""grpc.health.v1 as every service answers it; who watches is let go when the service stops."""

import asyncio

from grpc_health.v1 import health, health_pb2

from shared.rpc.context import Context
from shared.rpc.drain import Drain


class Health(health.aio.HealthServicer):
    """The library's servicer; callers that balance by health keep a stream open, which must not hold up the stop."""

    def __init__(self, drain: Drain) -> None:
        """Watchers are told NOT_SERVING before the drain begins, and end with it."""
        super().__init__()
        self._drain = drain

    async def Watch(self, request: health_pb2.HealthCheckRequest, context: Context) -> None:  # noqa: N802  # the RPC's name
        """The status, and every change of it, until the service stops."""
        watch = super().Watch(request, context)
        waits = (asyncio.ensure_future(watch), asyncio.ensure_future(self._drain.wait()))
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for each in waits:
                each.cancel()
            await asyncio.gather(*waits, return_exceptions=True)
