"""One line a call, at a level that says whether anybody has to look; of those that went well, perhaps only some.

Whoever is refused for its pace, or for being nobody, has no pace that it is held to: the lines of such refusals are so
many a second, and the next one says how many were left out. The metrics count each.
"""

import time
from collections.abc import Callable
from typing import Final

from shared.observability.logging import get_log

_OURS: Final = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "INTERNAL", "UNKNOWN", "DATA_LOSS"})
"""Not the caller's doing: overload, an outage, a fault of ours (whose stack is in a line of its own)."""
_WITHOUT_END: Final = frozenset({"RESOURCE_EXHAUSTED", "UNAUTHENTICATED"})
"""Refused before anybody counts how often: as fast as a caller can send."""
WITHOUT_END_A_SECOND: Final = 20


class CallLog:
    """Writes the lines of one server."""

    def __init__(self, well_every: int = 1, now: Callable[[], float] = time.monotonic) -> None:
        """Of the unary calls that went well, one line for every so many."""
        self._log = get_log()
        self._well_every = well_every
        self._well = 0
        self._now = now
        self._second = now()
        self._told = 0
        self._left_out = 0

    def over(self, *, kind: str, code: str, seconds: float, **about: str) -> None:
        """A call is over: info where it went well or was refused by the rules, warning where we could not serve it."""
        if code == "OK" and kind == "unary" and self._well_every > 1:
            self._well += 1
            if self._well % self._well_every:
                return
        left_out: dict[str, int] = {}
        if code in _WITHOUT_END:
            if not self._room():
                self._left_out += 1
                return
            if self._left_out:
                left_out, self._left_out = {"left_out": self._left_out}, 0
        say = self._log.warning if code in _OURS else self._log.info
        say("rpc", code=code, milliseconds=round(seconds * 1000, 3), **about, **left_out)

    def _room(self) -> bool:
        """For one more line of those that have no end, in this second."""
        now = self._now()
        if now - self._second >= 1.0:
            self._second, self._told = now, 0
        self._told += 1
        return self._told <= WITHOUT_END_A_SECOND
