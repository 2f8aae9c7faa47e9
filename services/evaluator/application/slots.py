"""How much long work may run at once, and how much of it may be one caller's."""

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager

from shared.kernel.errors import DomainError, Reason

KEPT_FOR_OTHERS = 4
"""One in so many places, and one at least, is not for whoever has all the rest."""


class Slots:
    """A fixed number of places for long work; who finds none is refused at once, nothing queues."""

    def __init__(self, limit: str, places: int) -> None:
        """Name the limit as its refusal names it, and say how many places it has."""
        self._limit = limit
        self._places = places
        self._of_one_caller = max(1, places - max(1, places // KEPT_FOR_OTHERS))
        self._taken: Counter[str] = Counter()

    @contextmanager
    def taken(self, caller: str = "") -> Generator[None]:
        """Hold a place as long as the block runs; LIMIT_REACHED where none is free, or none for this caller."""
        if self._taken.total() >= self._places:
            raise self._refused(f"{self._places} requests of this kind are being worked on, which is {self._limit}")
        if self._taken[caller] >= self._of_one_caller:
            raise self._refused(f"{self._taken[caller]} of your requests of this kind are being worked on, no more is")
        self._taken[caller] += 1
        try:
            yield
        finally:
            self._taken[caller] -= 1
            if not self._taken[caller]:
                del self._taken[caller]

    def _refused(self, problem: str) -> DomainError:
        return DomainError(Reason.LIMIT_REACHED, f"{problem}; ask again later", {"limit": self._limit})
