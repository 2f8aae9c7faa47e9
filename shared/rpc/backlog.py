"""Calls that wait where no handler sees them: gRPC's core takes in as many as come, and hands them over one by one.

So a service that has no more time would answer every call late and refuse none. The core counts what has arrived and
what is over; where more is between the two than may be worked on, the oldest are refused at once, which costs less than
answering them, and those behind keep their time.
"""

import json
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

from shared.kernel.errors import DomainError, Reason

LOOK_SECONDS: Final = 0.02
_core: Any = import_module("grpc._cython.cygrpc")
"""What the package grpcio-channelz reads, too; it has no types."""


class Arrivals:
    """How many calls and streams of a server have arrived and are not over."""

    def __init__(self) -> None:
        """Of the server that was made last: the core knows it by a number alone."""
        self._id = max(_servers())

    def under_way(self) -> int:
        """Those that nobody has seen yet among them."""
        counted = json.loads(_core.channelz_get_server(self._id))["server"].get("data", {})
        over = int(counted.get("callsSucceeded", 0)) + int(counted.get("callsFailed", 0))
        return int(counted.get("callsStarted", 0)) - over


class Backlog:
    """Refuses calls while more are under way than may be."""

    def __init__(
        self, most: int, under_way: Callable[[], int] | None, now: Callable[[], float] = time.monotonic
    ) -> None:
        """At most so many; ``under_way`` counts those that wait and those that are worked on, None: nobody counts."""
        self._most = most
        self._under_way = under_way
        self._now = now
        self._looked = now()
        self._excess = 0

    def check(self) -> None:
        """LIMIT_REACHED for one too many. Looks now and then; in between it refuses as many as were found too many."""
        now = self._now()
        if self._under_way is not None and now - self._looked >= LOOK_SECONDS:
            self._looked = now
            self._excess = self._under_way() - self._most
        if self._excess > 0:
            self._excess -= 1
            message = f"more than {self._most} calls wait to be worked on, which is all that may: come back in a second"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "unary_calls_max"})


def _servers() -> list[int]:
    found: list[int] = []
    while True:
        page = json.loads(_core.channelz_get_servers(max(found, default=-1) + 1))
        found += [int(each["ref"]["serverId"]) for each in page.get("server", ())]
        if page.get("end") or not page.get("server"):
            return found
