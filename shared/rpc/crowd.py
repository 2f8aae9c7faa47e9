"""How many calls are worked on at once: more are refused at once, so that those accepted do not wait for them.

A service that takes in everything answers everybody late. One that refuses what it cannot do soon says when to come
back (LIMIT_REACHED with RetryInfo), and what it took in keeps its time.
"""

from types import TracebackType
from typing import Final

from shared.kernel.errors import DomainError, Reason

UNARY_CALLS_MAX: Final = 500


class Crowd:
    """The calls that are being handled; streams are counted elsewhere."""

    __slots__ = ("_inside", "_most")

    def __init__(self, most: int) -> None:
        """At most so many."""
        self._most = most
        self._inside = 0

    def one_more(self) -> "Crowd":
        """A place for the length of a with block; LIMIT_REACHED where there is none."""
        if self._inside >= self._most:
            message = f"{self._most} calls are being worked on, which is all there may be: come back in a second"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "unary_calls_max"})
        return self

    def __enter__(self) -> None:
        self._inside += 1

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inside -= 1
