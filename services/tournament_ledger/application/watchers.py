"""Who watches at a time: so many in all, half of them at most for one caller, and our own services always."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final

from shared.kernel.errors import DomainError, Reason

OUR_SERVICES: Final = ""
"""In the place of a caller: the orchestrator, which starts tournaments by what it hears, takes nobody's place."""


class Watchers:
    """Counts the streams of facts."""

    def __init__(self, most: int) -> None:
        """Nobody watches; so many may, beside our services."""
        self._most = most
        self._of = Counter[str]()

    @contextmanager
    def place(self, who: str) -> Generator[None]:
        """One of them, for the length of a block; LIMIT_REACHED for one too many."""
        if who != OUR_SERVICES:
            self._check(who)
        self._of[who] += 1
        try:
            yield
        finally:
            self._of[who] -= 1
            if not self._of[who]:
                del self._of[who]

    def _check(self, who: str) -> None:
        own_most = max(1, self._most // 2)
        if self._of[who] >= own_most:
            message = f"{own_most} streams of facts are all that one caller may have: end one first"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "watchers_max"})
        if self._of.total() - self._of[OUR_SERVICES] >= self._most:
            message = f"{self._most} watchers are here already: try again later"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "watchers_max"})
