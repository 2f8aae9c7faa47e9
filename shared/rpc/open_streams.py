"""Streams that need no caller: health to be watched, and reflection. Nobody is named, so they have limits of their own.

So many for one connection, of which a client that balances by health needs one for each service; and so many in all, so
that those who play have the rest of the places of the server. What is asked on them is held to the pace of all callers
without a name of one machine: questions to reflection on one stream have no end, and an answer has 30 KB. A client
whose watch of the health is UNIMPLEMENTED goes on without (gRPC's health checking protocol); any other refusal would
keep it from calling at all.
"""

import inspect
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any, Final

import grpc
from grpc_health.v1 import health

from shared.kernel.errors import DomainError, Reason
from shared.rpc.caller_limits import Place, streams_of
from shared.rpc.context import Context
from shared.rpc.errors import refusal_of

OF_CONNECTION_MAX: Final = 16
SHARE_OF_CALLS: Final = 2
"""One in so many of the server's calls and streams may be such a stream."""
_WATCH: Final = f"/{health.SERVICE_NAME}/Watch"
Refuse = Callable[[Context, str, int], Awaitable[None]]


class OpenStreams:
    """Counts the streams of health and reflection."""

    def __init__(self, service: str, calls_max: int) -> None:
        """Of a server of this service, which takes so many calls and streams at a time."""
        self._service = service
        self._most = max(1, calls_max // SHARE_OF_CALLS)
        self._in_all = streams_of(calls_max)
        self._taken: Counter[str] = Counter()
        self._made: dict[str, Any] = {}
        self.beside: Callable[[], int] = int
        """Streams of callers with a name now, which take places, too."""
        self.asked: Callable[[str, str], None] = lambda _peer, _method: None
        """Told of each question on a stream; LIMIT_REACHED for one too many."""

    @property
    def open(self) -> int:
        """How many there are."""
        return self._taken.total()

    def counted(self, method: str, handler: Any) -> Any:
        """The handler of a stream with its place taken while it lasts, made once; another one as it is."""
        if not handler.response_streaming:
            return handler
        if method not in self._made:
            self._made[method] = self._counted(method, handler)
        return self._made[method]

    def _counted(self, method: str, handler: Any) -> Any:
        behaviour = handler.stream_stream if handler.request_streaming else handler.unary_stream
        made = (
            grpc.stream_stream_rpc_method_handler if handler.request_streaming else grpc.unary_stream_rpc_method_handler
        )
        around = self._yielding if inspect.isasyncgenfunction(behaviour) else self._writing
        if handler.request_streaming:
            behaviour = self._paced(method, behaviour)
        refuse = self._go_on_without if method == _WATCH else self._refuse
        return made(around(behaviour, refuse), handler.request_deserializer, handler.response_serializer)

    def _yielding(self, behaviour: Callable[[Any, Context], AsyncIterator[Any]], refuse: Refuse) -> Any:
        async def handle(request: Any, context: Context) -> AsyncIterator[Any]:
            with await self._place(context, refuse):
                async for response in behaviour(request, context):
                    yield response

        return handle

    def _writing(self, behaviour: Callable[[Any, Context], Awaitable[None]], refuse: Refuse) -> Any:
        async def handle(request: Any, context: Context) -> None:
            with await self._place(context, refuse):
                await behaviour(request, context)

        return handle

    def _paced(self, method: str, behaviour: Any) -> Any:
        """The same, with each question counted as a call before it is answered."""

        async def questions(requests: AsyncIterator[Any], context: Context) -> AsyncIterator[Any]:
            async for request in requests:
                try:
                    self.asked(context.peer(), method)
                except DomainError as fault:
                    await self._end(context, fault)
                yield request

        def paced(requests: AsyncIterator[Any], context: Context) -> Any:
            return behaviour(questions(requests, context), context)

        return paced

    async def _place(self, context: Context, refuse: Refuse) -> Place:
        peer = context.peer()
        if self._taken[peer] >= OF_CONNECTION_MAX:
            await refuse(context, "of one connection", OF_CONNECTION_MAX)
        if self._taken.total() >= self._most or self._taken.total() + self.beside() >= self._in_all:
            await refuse(context, "in all", self._most)
        return Place(self._taken, peer)

    async def _refuse(self, context: Context, whose: str, most: int) -> None:
        message = f"{most} streams {whose} are all there may be without a name: end one first"
        await self._end(context, DomainError(Reason.LIMIT_REACHED, message, {"limit": "open_streams_max"}))

    async def _end(self, context: Context, fault: DomainError) -> None:
        refusal = refusal_of(fault, self._service)
        await context.abort(refusal.code, refusal.message, trailing_metadata=refusal.trailer)

    async def _go_on_without(self, context: Context, whose: str, most: int) -> None:
        message = f"{most} watches {whose} are all there may be: call without, or ask Check"
        await context.abort(grpc.StatusCode.UNIMPLEMENTED, message)
