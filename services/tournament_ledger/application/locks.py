"""One writer at a time for each book and each wallet in this process; the guarded writes are what keeps them right."""

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager
from weakref import WeakValueDictionary


class Locks:
    """Locks by name, kept as long as somebody holds or wants them."""

    def __init__(self) -> None:
        """Start with none."""
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    @asynccontextmanager
    async def hold(self, names: Iterable[str]) -> AsyncGenerator[None, None]:
        """Hold all of them, taken in one order so that nobody waits in a circle."""
        held = [self._lock(name) for name in sorted(set(names))]
        async with AsyncExitStack() as stack:
            for lock in held:
                await stack.enter_async_context(lock)
            yield

    def _lock(self, name: str) -> asyncio.Lock:
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        return lock
