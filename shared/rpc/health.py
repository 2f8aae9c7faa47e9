"""grpc.health.v1 as every service answers it: the same as /ready. Who watches is let go when the service stops."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from grpc_health.v1 import health, health_pb2

from shared.observability.logging import get_log
from shared.rpc.context import Context
from shared.rpc.drain import Drain

LOOK_SECONDS: Final = 0.25
_Status = health_pb2.HealthCheckResponse


class Health(health.aio.HealthServicer):
    """The library's servicer; callers that balance by health keep a stream open, which must not hold up the stop."""

    def __init__(self, drain: Drain, names: Sequence[str], ready: Callable[[], bool]) -> None:
        """Of these services, and of the whole (the empty name); watchers are told NOT_SERVING before the drain."""
        super().__init__()
        self._drain = drain
        self._names = ("", *names)
        self._ready = ready
        self._said: bool | None = None

    async def look(self) -> None:
        """Say what is so now."""
        ready = self._ready()
        if ready is self._said:
            return
        self._said = ready
        for name in self._names:
            await self.set(name, _Status.SERVING if ready else _Status.NOT_SERVING)

    async def look_for_ever(self) -> None:
        """So that those who watch hear of it."""
        while True:
            before = self._said
            await self.look()
            if before is not None and before is not self._said:
                get_log().warning("health_changed", serving=self._said)
            await asyncio.sleep(LOOK_SECONDS)

    async def Check(self, request: health_pb2.HealthCheckRequest, context: Context) -> _Status:  # noqa: N802  # the RPC's name
        """The status of this moment."""
        await self.look()
        return await super().Check(request, context)

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
