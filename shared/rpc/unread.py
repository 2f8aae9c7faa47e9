"""Streams that nobody reads: cut off after a while, with a last word that says where to resume.

A message that the transport cannot pass on stays with it, and no status can be sent before it. So the handler of a
stream whose reader takes nothing is ended; the message on its way is left alone, and once the reader has taken it after
all, the status follows. Where it never does, the connection ends one day and all with it. Until then the stream counts
among those of its caller: the transport holds a place of the server for it.
"""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from typing import Any, Final

from google.protobuf.message import Message

from shared.kernel.errors import DomainError, Reason
from shared.rpc.context import Context
from shared.rpc.errors import refusal_of

UNREAD_SECONDS_MAX: Final = 6.0
LINGERING_MAX: Final = 10_000
"""Streams cut off whose last word is still to be read; beyond it the oldest goes without."""


class CutOffError(Exception):
    """The stream was cut off; its last word follows by itself, so that nothing is to be sent."""

    def __init__(self, refusal: DomainError, last_word: "asyncio.Future[None] | None" = None) -> None:
        """Keep what is said to the reader, and until when that is on its way."""
        super().__init__(refusal.message)
        self.refusal = refusal
        self.last_word = last_word


class Senders:
    """Sends the streams of one server."""

    def __init__(self, service: str, unread_seconds_max: float = UNREAD_SECONDS_MAX) -> None:
        """Cut off who takes nothing for so long."""
        self._service = service
        self._seconds = unread_seconds_max
        self._lingering: deque[asyncio.Task[None]] = deque()

    @property
    def lingering(self) -> int:
        """Streams cut off whose last word is still to be read."""
        return sum(not task.done() for task in self._lingering)

    async def send(self, context: Context, responses: AsyncIterator[Any], sent: Callable[[], None]) -> None:
        """Send all, and say so of each; CutOffError where one waits for too long to be taken."""
        sending = _Sending(context, responses, self._seconds, sent)
        task = asyncio.ensure_future(sending.run())
        try:
            await asyncio.wait({task, sending.cut}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            task.cancel()
            await asyncio.wait({task})
            raise
        if task.done():
            task.result()
            if sending.cut.done():  # it was taken at the last moment, and the rest was not sent
                raise self._unread(sending.taken)
            return
        if isinstance(responses, AsyncGenerator):
            await responses.aclose()
        refusal = self._unread(sending.taken)
        last_word = asyncio.ensure_future(self._last_word(task, context, refusal))
        self._linger(last_word)
        raise CutOffError(refusal, last_word)

    def _unread(self, taken: Message | None) -> DomainError:
        message = f"nothing was read for {self._seconds:g} seconds: watch again and resume after the last one read"
        metadata = {"limit": "unread_seconds_max"}
        version = version_of(taken)
        if version is not None:
            metadata["resume_after_version"] = str(version)
        return DomainError(Reason.LIMIT_REACHED, message, metadata)

    def _linger(self, last_word: asyncio.Task[None]) -> None:
        self._lingering.append(last_word)
        while self._lingering and (self._lingering[0].done() or len(self._lingering) > LINGERING_MAX):
            self._lingering.popleft().cancel()

    async def _last_word(self, sending: asyncio.Task[None], context: Context, refusal: DomainError) -> None:
        """As soon as the message on its way was taken; nobody hears it where the connection ended."""
        answer = refusal_of(refusal, self._service)
        with suppress(Exception):
            await sending
            await context.abort(answer.code, answer.message, trailing_metadata=answer.trailer)


class _Sending:
    """One stream on its way."""

    def __init__(
        self, context: Context, responses: AsyncIterator[Any], seconds: float, sent: Callable[[], None]
    ) -> None:
        self._context = context
        self._responses = responses
        self._seconds = seconds
        self._sent = sent
        self._loop = asyncio.get_running_loop()
        self._since: float | None = None
        """When the message that is on its way was handed over; None where none is."""
        self._watchdog: asyncio.TimerHandle | None = None
        self.cut: asyncio.Future[None] = self._loop.create_future()
        self.taken: Message | None = None

    async def run(self) -> None:
        try:
            async for response in self._responses:
                self._since = self._loop.time()
                if self._watchdog is None:
                    self._watchdog = self._loop.call_later(self._seconds, self._look)
                await self._context.write(response)
                self._since = None
                self._sent()
                if self.cut.done():
                    return
                self.taken = response
        finally:
            if self._watchdog is not None:
                self._watchdog.cancel()

    def _look(self) -> None:
        """One timer serves many messages: it goes on for as long as the one on its way now still has."""
        self._watchdog = None
        if self._since is None or self.cut.done():
            return
        left = self._since + self._seconds - self._loop.time()
        if left > 0:
            self._watchdog = self._loop.call_later(left, self._look)
        else:
            self.cut.set_result(None)


def version_of(message: Message | None) -> int | None:
    """The version that an item of a stream stands for: its own field, or that of what it holds."""
    if message is None:
        return None
    for field, value in message.ListFields():
        if field.name == "version":
            return int(value)
        if isinstance(value, Message) and "version" in value.DESCRIPTOR.fields_by_name:
            return int(getattr(value, "version"))  # noqa: B009  # its type is known at run time only
    return None
