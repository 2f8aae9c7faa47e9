"""Calls that nobody works at and that do not end: no message comes, or the answer is not read. gRPC waits without end.

Each takes a place of the server. So, while a share of the places is taken by such calls, those that come anew get a
handler of another kind, which is entered before the message is there and sends the answer itself: it looks who calls,
waits so long for the message and no longer, and one caller has so many of these calls at a time, until the answer is
taken. That costs a little more, so it is done only then.
"""

import asyncio
import inspect
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final, NoReturn

import grpc

from shared.kernel.errors import DomainError, Reason
from shared.observability.logging import get_log
from shared.rpc.backlog import Arrivals
from shared.rpc.caller_limits import Admission, CallerLimits, Place
from shared.rpc.context import Context
from shared.rpc.errors import refusal_of
from shared.rpc.identity import Identities

SHARE_OF_CALLS: Final = 4
"""One in so many of the server's places may be taken by silent calls before each is looked at."""
LOOK_CALLS: Final = 32
"""Calls between two looks: who begins many at once is noticed long before all places are taken."""
MESSAGE_SECONDS: Final = 3.0
AT_ONCE: Final = 8
"""Calls of one player then, from the first to the last byte."""


class SilentCalls:
    """Notices how many calls are silent, and looks at each that comes anew while they are too many."""

    def __init__(self, service: str, calls_max: int, arrivals: Arrivals, identities: Identities) -> None:
        """Of a server of this service, which takes so many calls and streams at a time."""
        self._service = service
        self._most = max(1, calls_max // SHARE_OF_CALLS)
        self._arrivals = arrivals
        self._identities = identities
        limits = CallerLimits(player_calls_at_once=AT_ONCE).within(calls_max, self._most)
        self._places = Admission(limits)
        self._looked_at = 0
        self._wary = False
        self._made: dict[str, Any] = {}
        self.handled: Callable[[], int] = lambda: 0
        """How many calls and streams somebody works at."""

    def watched(self, method: str, handler: Any) -> Any:
        """The handler, which reads its message by itself where calls are silent."""
        return self._impatient(method, handler) if not handler.request_streaming and self.wary() else handler

    def wary(self) -> bool:
        """Whether too many calls are silent; looks now and then."""
        if self._arrivals.handed_over - self._looked_at >= LOOK_CALLS:
            self._looked_at = self._arrivals.handed_over
            silent = self._arrivals.unfinished() - self.handled()
            if self._wary != (silent > self._most):
                self._wary = not self._wary
                get_log().warning("silent_calls", calls=silent, most=self._most, each_is_looked_at=self._wary)
        return self._wary

    def _impatient(self, method: str, handler: Any) -> Any:
        """The same handler, which waits for its message and sends its answer by itself; made once."""
        if method not in self._made:
            behaviour = handler.unary_stream if handler.response_streaming else handler.unary_unary
            around: Any = self._answering
            if handler.response_streaming:
                around = self._yielding if inspect.isasyncgenfunction(behaviour) else self._writing
            codecs = (handler.request_deserializer, handler.response_serializer)
            self._made[method] = grpc.stream_stream_rpc_method_handler(around(behaviour), *codecs)
        return self._made[method]

    def _answering(self, behaviour: Callable[[Any, Context], Awaitable[Any]]) -> Any:
        async def handle(requests: AsyncIterator[Any], context: Context) -> None:
            with await self._place(context):
                await context.write(await behaviour(await self._message(requests, context), context))

        return handle

    def _writing(self, behaviour: Callable[[Any, Context], Awaitable[None]]) -> Any:
        async def handle(requests: AsyncIterator[Any], context: Context) -> None:
            await behaviour(await self._first(requests, context), context)

        return handle

    def _yielding(self, behaviour: Callable[[Any, Context], AsyncIterator[Any]]) -> Any:
        async def handle(requests: AsyncIterator[Any], context: Context) -> AsyncIterator[Any]:
            async for response in behaviour(await self._first(requests, context), context):
                yield response

        return handle

    async def _first(self, requests: AsyncIterator[Any], context: Context) -> Any:
        """The message that asks for a stream; streams that are not read have a limit of their own."""
        with await self._place(context):
            return await self._message(requests, context)

    async def _place(self, context: Context) -> Place:
        try:
            identity = self._identities.identify(tuple(context.invocation_metadata() or ()), context)
            return self._places.call(None if identity is None else identity.caller, context.peer())
        except DomainError as fault:
            return await self._refuse(context, fault)

    async def _message(self, requests: AsyncIterator[Any], context: Context) -> Any:
        try:
            async with asyncio.timeout(MESSAGE_SECONDS):
                return await anext(requests)
        except TimeoutError:
            why = f"no message came within {MESSAGE_SECONDS:g} seconds: send it with the call"
            return await self._refuse(context, DomainError(Reason.DEADLINE_PASSED, why))
        except StopAsyncIteration:
            why = "the call ended without a message: send one"
            return await self._refuse(context, DomainError(Reason.REQUEST_INVALID, why))

    async def _refuse(self, context: Context, fault: DomainError) -> NoReturn:
        refusal = refusal_of(fault, self._service)
        await context.abort(refusal.code, refusal.message, trailing_metadata=refusal.trailer)
        raise AssertionError
