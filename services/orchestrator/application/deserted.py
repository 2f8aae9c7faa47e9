"""Tables at which nobody is: all of them together take one step at a time.

Where all who are dealt in are away, hands play themselves, as fast as the rules of the table say, and nobody is held to
a pace. Whoever has its players away at hundreds of tables without a pause between hands would have everybody else wait.
"""

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol

from services.orchestrator.domain.table import Table


class Waiting(Protocol):
    """A table that may have to wait."""

    @property
    def table(self) -> Table:
        """As its log has it."""
        ...

    def wake(self) -> None:
        """It may be its turn."""
        ...


class Deserted:
    """The tables at which nobody is, in the order in which they came to have something to do."""

    def __init__(self) -> None:
        """Nobody waits."""
        self._waiting: dict[Waiting, None] = {}
        self._busy = False

    def step(self, actor: Waiting) -> AbstractContextManager[None] | None:
        """The table's next step, for the length of a block; None: not yet, it is woken when it may be its turn.

        Where somebody is, it is always its turn.
        """
        if not is_deserted(actor.table):
            self.forget(actor)
            return _any_time()
        self._waiting.setdefault(actor)
        return None if self._busy or self._next is not actor else self._one_step(actor)

    def forget(self, actor: Waiting) -> None:
        """It waits no more: somebody is there, or nobody here goes on with it."""
        if actor in self._waiting:
            del self._waiting[actor]
            self._wake_next()

    @property
    def _next(self) -> Waiting | None:
        return next(iter(self._waiting), None)

    @contextmanager
    def _one_step(self, actor: Waiting) -> Generator[None]:
        del self._waiting[actor]
        self._busy = True
        try:
            yield
        finally:
            self._busy = False
            self._wake_next()

    def _wake_next(self) -> None:
        if not self._busy and self._next is not None:
            self._next.wake()


def is_deserted(table: Table) -> bool:
    """Whether all who play the hand, or would be dealt into the next one, are away."""
    hand = table.hand if table.in_hand else None
    playing = table.ready_seats if hand is None else [seat for seat in table.seats if hand.has(seat.player_id)]
    return bool(playing) and all(seat.sitting_out for seat in playing)


@contextmanager
def _any_time() -> Generator[None]:
    yield
