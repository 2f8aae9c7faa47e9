"""Stopping without hurting anybody: streams are told first, so that each can end with a last word."""

import asyncio

from shared.kernel.errors import DomainError, Reason


class Drain:
    """Known to everything that waits for long; begun once, when the service is asked to stop."""

    def __init__(self) -> None:
        """Nothing is stopping yet."""
        self._begun = asyncio.Event()

    @property
    def begun(self) -> bool:
        """Whether the service is stopping."""
        return self._begun.is_set()

    def begin(self) -> None:
        """Tell everybody."""
        self._begun.set()

    async def wait(self) -> None:
        """Until the service is stopping."""
        await self._begun.wait()


def draining() -> DomainError:
    """The last word of a stream, and the answer to who comes too late."""
    message = "the service is stopping: ask another instance, or this one again; nothing was changed"
    return DomainError(Reason.DRAINING, message)
