"""One writer at a time for each book and each wallet in this process; the guarded writes are what keeps them right."""

import asyncio
from collections.abc import Iterable
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from weakref import WeakValueDictionary


class Locks:
    """Locks by name, kept as long as somebody holds or wants them."""

    def __init__(self) -> None:
        """Start with none."""
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    def hold(self, names: Iterable[str]) -> AbstractAsyncContextManager[None]:
        """Hold all of them, taken in one order so that nobody waits in a circle."""
        return _Held([self._lock(name) for name in sorted(set(names))])

    def _lock(self, name: str) -> asyncio.Lock:
        lock = self._locks.get(name)
        if lock is None:
            lock = self._locks[name] = asyncio.Lock()
        return lock


class _Held(AbstractAsyncContextManager[None]):
    """Locks taken one after the other, for the length of a block."""

    def __init__(self, locks: list[asyncio.Lock]) -> None:
        self._wanted = locks
        self._taken: list[asyncio.Lock] = []

    async def __aenter__(self) -> None:
        try:
            for lock in self._wanted:
                await lock.acquire()
                self._taken.append(lock)
        except BaseException:
            self._let_go()
            raise

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._let_go()

    def _let_go(self) -> None:
        while self._taken:
            self._taken.pop().release()
