"""One line a call, at a level that says whether anybody has to look; of those that went well, perhaps only some."""

from typing import Final

from shared.observability.logging import get_log

_OURS: Final = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "INTERNAL", "UNKNOWN", "DATA_LOSS"})
"""Not the caller's doing: overload, an outage, a fault of ours (whose stack is in a line of its own)."""


class CallLog:
    """Writes the lines of one server."""

    def __init__(self, well_every: int = 1) -> None:
        """Of the unary calls that went well, one line for every so many; of all others each."""
        self._log = get_log()
        self._well_every = well_every
        self._well = 0

    def over(self, *, kind: str, code: str, seconds: float, **about: str) -> None:
        """A call is over: info where it went well or was refused by the rules, warning where we could not serve it."""
        if code == "OK" and kind == "unary" and self._well_every > 1:
            self._well += 1
            if self._well % self._well_every:
                return
        say = self._log.warning if code in _OURS else self._log.info
        say("rpc", code=code, milliseconds=round(seconds * 1000, 3), **about)
