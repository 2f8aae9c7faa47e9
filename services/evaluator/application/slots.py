"""How much long work may run at once."""

from collections.abc import Generator
from contextlib import contextmanager

from shared.kernel.errors import DomainError, Reason


class Slots:
    """A fixed number of places for long work; who finds none is refused at once, nothing queues."""

    def __init__(self, limit: str, places: int) -> None:
        """Name the limit as its refusal names it, and say how many places it has."""
        self._limit = limit
        self._places = places
        self._taken = 0

    @contextmanager
    def taken(self) -> Generator[None]:
        """Hold a place as long as the block runs; LIMIT_REACHED where none is free."""
        if self._taken >= self._places:
            message = (
                f"{self._places} requests of this kind are being worked on, which is {self._limit}; ask again later"
            )
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": self._limit})
        self._taken += 1
        try:
            yield
        finally:
            self._taken -= 1
