"""Real time that a test can move forward."""

import asyncio
from datetime import UTC, datetime, timedelta


class MovedClock:
    """Implements the orchestrator's Clock: the wall's time and whatever the test added."""

    def __init__(self) -> None:
        self._ahead = timedelta()
        self._moved = asyncio.Event()

    def now(self) -> datetime:
        return datetime.now(UTC) + self._ahead

    def move(self, seconds: float) -> None:
        """So much time passes at once; whoever sleeps looks again."""
        self._ahead += timedelta(seconds=seconds)
        self._moved.set()
        self._moved = asyncio.Event()

    async def sleep_until(self, moment: datetime) -> None:
        while (left := (moment - self.now()).total_seconds()) > 0:
            moved = asyncio.ensure_future(self._moved.wait())
            await asyncio.wait((moved,), timeout=left)
            moved.cancel()
