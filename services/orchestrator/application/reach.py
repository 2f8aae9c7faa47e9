"""Whether what other processes write is heard here: not while the database that they share cannot be reached.

Who watches would sit in silence and miss the own turn while others play on at another process. So every stream ends
then, to be gone on with elsewhere, and who wants to look is sent on.
"""

import asyncio
from collections.abc import Callable
from typing import Final

from services.orchestrator.ports import ServiceAway

LOOK_SECONDS: Final = 0.5
SILENT_SECONDS: Final = 2.0
"""A connection that breaks and is there again is no reason to send anybody away."""
DATABASE: Final = "database of this orchestrator"


class Reach:
    """Of one process."""

    def __init__(self, sound: Callable[[], bool] = lambda: True) -> None:
        """In reach for as long as the store says that it is sound."""
        self._sound = sound
        self._lost = asyncio.Event()

    @property
    def lost(self) -> bool:
        """Nothing is heard of what others write."""
        return self._lost.is_set()

    async def wait_lost(self) -> None:
        """Until that is so."""
        await self._lost.wait()

    def check(self) -> None:
        """ServiceAway where nothing new could be told."""
        if self.lost:
            raise ServiceAway(DATABASE)

    async def look_for_ever(self, tell: Callable[[], None]) -> None:
        """Look now and then; ``tell`` is called when it is lost. Cancel it to stop."""
        loop = asyncio.get_running_loop()
        heard_at = loop.time()
        while True:
            now = loop.time()
            if self._sound():
                heard_at = now
                self._lost.clear()
            elif now - heard_at >= SILENT_SECONDS and not self.lost:
                self._lost.set()
                tell()
            await asyncio.sleep(LOOK_SECONDS)
