"""Who waits at a table until it is worked on for him.

Everything that happens to a table happens under its one lock, and a refusal looks into the log there, too; what was
begun goes to its end, though its caller goes. So that whoever acts does not wait behind all of them, one command of
each player wants the lock at a time, one of all who have no seat, and one of the house; and so many of each may wait.
"""

import asyncio
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from typing import Final
from weakref import WeakValueDictionary

from shared.kernel.errors import DomainError, Reason

OF_PLAYER_MAX: Final = 8
WITHOUT_SEAT_MAX: Final = 32
"""Of all players without a seat together, and of the house."""
HOUSE: Final = ""
"""In the place of a player's id: who opens, pauses and closes tables."""


class Line:
    """The commands that are begun at one table and not over."""

    def __init__(self) -> None:
        """Nobody waits."""
        self._of: Counter[str] = Counter()
        self._without_seat = 0
        self._gates: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @property
    def count(self) -> int:
        """How many there are."""
        return self._of.total()

    def gate(self, player_id: str, *, seated: bool) -> asyncio.Lock:
        """What to hold before the lock of the table is asked for; kept as long as somebody holds or wants it."""
        name = f"seat {player_id}" if seated else "without seat"
        gate = self._gates.get(name)
        if gate is None:
            gate = self._gates[name] = asyncio.Lock()
        return gate

    @contextmanager
    def place(self, player_id: str, *, seated: bool) -> Generator[None]:
        """One of them, for the length of a block; LIMIT_REACHED for one too many."""
        own_max = WITHOUT_SEAT_MAX if player_id == HOUSE else OF_PLAYER_MAX
        if self._of[player_id] >= own_max or (not seated and self._without_seat >= WITHOUT_SEAT_MAX):
            message = "too many commands wait at this table: come back in a second with the same request id"
            raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "commands_waiting_max"})
        self._of[player_id] += 1
        self._without_seat += not seated
        try:
            yield
        finally:
            self._without_seat -= not seated
            self._of[player_id] -= 1
            if not self._of[player_id]:
                del self._of[player_id]
