"""grpc.health.v1 as every service answers it: the same as /ready. Who watches is let go when the service stops.

Written here and not taken from grpcio-health-checking: its servicer writes to a watcher while it holds the lock that
all watchers and every change need, so that one without a name who reads nothing kept all others from any answer.
"""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc

from shared.observability.logging import get_log
from shared.rpc.context import Context
from shared.rpc.drain import Drain

LOOK_SECONDS: Final = 0.25
LAST_WORD_SECONDS: Final = 1.0
"""When the service stops, a watcher has so long to take what was last said."""
_Answer = health_pb2.HealthCheckResponse


class Health(health_pb2_grpc.HealthServicer):
    """Callers that balance by health keep a stream open, which must not hold up the stop, nor one another."""

    def __init__(self, drain: Drain, names: Sequence[str], ready: Callable[[], bool]) -> None:
        """Of these services, and of the whole (the empty name); watchers are told NOT_SERVING before the drain."""
        self._drain = drain
        self._names = frozenset(("", *names))
        self._ready = ready
        self._said: bool | None = None
        self._stopping = False
        self._changed = asyncio.Event()
        """Of the status that was said last: set, and replaced, when another one is."""

    def look(self) -> None:
        """Say what is so now."""
        self._say(serving=self._ready() and not self._stopping)

    def enter_graceful_shutdown(self) -> None:
        """NOT_SERVING, from now on for ever."""
        self._stopping = True
        self._say(serving=False)

    def _say(self, *, serving: bool) -> None:
        if serving is not self._said:
            self._said = serving
            changed, self._changed = self._changed, asyncio.Event()
            changed.set()

    async def look_for_ever(self) -> None:
        """So that those who watch hear of it."""
        while True:
            before = self._said
            self.look()
            if before is not None and before is not self._said:
                get_log().warning("health_changed", serving=self._said)
            await asyncio.sleep(LOOK_SECONDS)

    def _status_of(self, service: str) -> Any:  # a value of ServingStatus, for which the stubs have no name
        if service not in self._names:
            return _Answer.SERVICE_UNKNOWN
        return _Answer.SERVING if self._said else _Answer.NOT_SERVING

    async def Check(self, request: health_pb2.HealthCheckRequest, context: Context) -> _Answer:  # noqa: N802  # the RPC's name
        """The status of this moment."""
        self.look()
        if request.service not in self._names:
            await context.abort(grpc.StatusCode.NOT_FOUND)
        return _Answer(status=self._status_of(request.service))

    async def Watch(self, request: health_pb2.HealthCheckRequest, context: Context) -> None:  # noqa: N802  # the RPC's name
        """The status, and every change of it, until the service stops."""
        told: Any = None
        draining = asyncio.ensure_future(self._drain.wait())
        try:
            while True:
                changed, status = self._changed, self._status_of(request.service)
                if status != told:
                    told = status
                    await _taken(asyncio.ensure_future(context.write(_Answer(status=status))), draining)
                elif draining.done():
                    return
                else:
                    await _first_of(asyncio.ensure_future(changed.wait()), draining)
        finally:
            draining.cancel()


async def _taken(writing: "asyncio.Future[None]", draining: "asyncio.Future[None]") -> None:
    """The watcher took it, or the service stops: then it has a moment more."""
    try:
        await asyncio.wait({writing, draining}, return_when=asyncio.FIRST_COMPLETED)
        await asyncio.wait({writing}, timeout=LAST_WORD_SECONDS)
        if writing.done():
            writing.result()
    finally:
        writing.cancel()


async def _first_of(change: "asyncio.Future[Any]", draining: "asyncio.Future[Any]") -> None:
    try:
        await asyncio.wait({change, draining}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        change.cancel()
