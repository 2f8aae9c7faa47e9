"""Calls that wait where no handler sees them: gRPC's core takes in as many as come, and hands them over one by one.

So a service that has no more time would answer every call late and refuse none. The core counts what has arrived, and
what it has handed over is counted here; where more is between the two than may be worked on, the oldest are refused at
once, which costs less than answering them, and those behind keep their time.

What was handed over is not waited for, however long it lasts: a call whose request never comes or whose answer nobody
reads is no work. And a call that the core throws away by itself, as one without a path, is never handed over: what is
still between the two when nothing was handed over for a moment is lost, and is counted no more.

Nor are calls that are refused for what their caller is: one that asks faster than it may would have all others refused
for its own crowd. Nor questions about the health, calls of what is not served, and streams. Those that wait are taken
to be of the same kinds as those that were handed over last.
"""

import asyncio
import json
import time
from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from typing import Any, Final

import grpc

from shared.kernel.errors import DomainError, Reason

LOOK_SECONDS: Final = 0.02
QUIET_LOOKS: Final = 3
QUIET_SECONDS: Final = 0.0005
"""While calls wait, each turn of the loop hands one over; so long that whoever comes anew seldom falls into it."""
_core: Any = import_module("grpc._cython.cygrpc")
"""What the package grpcio-channelz reads, too; it has no types."""


class Arrivals(grpc.GenericRpcHandler):
    """How many calls and streams of a server wait to be handed over. Register it first: it is asked about each."""

    def __init__(self, others: Collection[int]) -> None:
        """Of the server that was made since ``others`` was asked for: the core knows each by a number alone.

        It gives a number to whatever is asked about first, so that the highest one need not be the newest.
        """
        self._id = next(iter(set(servers()) - set(others)))
        self.handed_over = 0
        """Calls and streams of any kind."""
        self._lost = 0
        self._doubting: asyncio.Task[None] | None = None

    def service(self, handler_call_details: grpc.HandlerCallDetails) -> None:  # noqa: ARG002  # gRPC's name for it
        """One was handed over; others have its handler."""
        self.handed_over += 1

    def waiting(self) -> int:
        """Those that nobody has seen yet."""
        apart = self._apart()
        self._lost = min(self._lost, apart)
        return apart - self._lost

    def doubt(self) -> None:
        """Find out whether they do wait: where nothing is handed over, nobody is there."""
        if self._doubting is None or self._doubting.done():
            self._doubting = asyncio.get_running_loop().create_task(self._until_quiet(), name="calls that are lost")

    async def _until_quiet(self) -> None:
        quiet = 0
        while quiet < QUIET_LOOKS:
            before, until = self.handed_over, time.perf_counter() + QUIET_SECONDS
            while time.perf_counter() < until:  # noqa: ASYNC110  # by turns of the loop, which are what counts
                await asyncio.sleep(0)
            quiet = quiet + 1 if self.handed_over == before else 0
        self._lost = self._apart()

    def unfinished(self) -> int:
        """Those that were handed over and are not over yet."""
        counted = self._counted()
        over = int(counted.get("callsSucceeded", 0)) + int(counted.get("callsFailed", 0))
        return int(counted.get("callsStarted", 0)) - over - self.waiting() if counted else 0

    def _apart(self) -> int:
        counted = self._counted()
        return int(counted.get("callsStarted", 0)) - self.handed_over if counted else 0

    def _counted(self) -> Mapping[str, str]:
        """By the core; nothing where it has let go of the server: nobody can wait for it then."""
        try:
            found: Mapping[str, str] = json.loads(_core.channelz_get_server(self._id))["server"].get("data", {})
        except ValueError:
            return {}
        return found


class Backlog:
    """Refuses calls while more wait and are worked on than may be."""

    def __init__(
        self, most: int, inside: Callable[[], int], arrivals: Arrivals | None, now: Callable[[], float] = time.monotonic
    ) -> None:
        """At most so many; ``inside`` counts those that are worked on, None: nobody counts those that wait."""
        self._most = most
        self._inside = inside
        self._arrivals = arrivals
        self._now = now
        self._looked = now()
        self._excess = 0
        self._seen = 0
        self._came = 0
        self._let_in = 0

    def check(self) -> None:
        """LIMIT_REACHED for one too many, of those that may be let in: what it asks and who asks was looked at before.

        Looks now and then; in between it refuses as many as were found too many.
        """
        now = self._now()
        self._let_in += 1
        if self._arrivals is not None and now - self._looked >= LOOK_SECONDS:
            self._looked = now
            self._came += self._arrivals.handed_over - self._seen
            self._seen = self._arrivals.handed_over
            waiting = self._arrivals.waiting() * self._let_in // max(self._came, self._let_in)
            self._came, self._let_in = self._came // 2, self._let_in // 2  # what came last counts most
            self._excess = waiting + self._inside() - self._most
            if self._excess > 0:
                self._arrivals.doubt()
        if self._excess > 0:
            self._excess -= 1
            message = f"more than {self._most} calls wait to be worked on, which is all that may: come back in a second"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "unary_calls_max"})


def servers() -> list[int]:
    """The numbers of all servers of this process."""
    found: list[int] = []
    while True:
        page = json.loads(_core.channelz_get_servers(max(found, default=-1) + 1))
        found += [int(each["ref"]["serverId"]) for each in page.get("server", ())]
        if page.get("end") or not page.get("server"):
            return found
