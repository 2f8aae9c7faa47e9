"""Lines through the network of a world: what generated stubs need of a channel, unary calls and streams."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any, cast

import grpc

from shared.kernel.caller import Caller
from shared.rpc.call import REQUEST_ID_HEADER
from shared.rpc.channel import CallingChannel
from shared.rpc.identity import token_of
from tests.sim.calls import SimLink, UnaryCall
from tests.sim.network import AWAY, Aborted, Answer, CallContext, Host, Network, Pairs, Trip, failure


def open_line(network: Network, origin: str, target: str, caller: Caller, seconds: float = 5.0) -> CallingChannel:
    """A channel from one host to another, as our clients open it."""
    link = SimLink(cast("grpc.aio.Channel", SimChannel(network, origin, target)), token_of(caller))
    return CallingChannel(link, seconds)


class SimChannel:
    """What generated stubs need of a channel."""

    def __init__(self, network: Network, origin: str, target: str) -> None:
        self._network = network
        self._origin = origin
        self._target = target
        self._calls = 0

    def unary_unary(
        self, method: str, request_serializer: Any = None, response_deserializer: Any = None, **_: Any
    ) -> Any:
        def call(request: Any, *, timeout: float | None = None, metadata: Pairs = (), **_: Any) -> UnaryCall:
            content = request_serializer(request)
            return UnaryCall(self._ask(method, content, timeout or 5.0, metadata, response_deserializer))

        return call

    async def _ask(self, method: str, content: bytes, seconds: float, metadata: Pairs, read: Any) -> Any:
        network = self._network
        trip = Trip(
            origin=self._origin,
            target=self._target,
            method=method,
            content=content,
            metadata=self._named(metadata),
            seconds=seconds,
            deadline=network.loop.time() + seconds,
        )
        answer = await network.ask(trip)
        if answer.code is not grpc.StatusCode.OK or answer.content is None:
            raise failure(answer)
        return read(answer.content)

    def unary_stream(
        self, method: str, request_serializer: Any = None, response_deserializer: Any = None, **_: Any
    ) -> Any:
        def call(request: Any, *, timeout: float | None = None, metadata: Pairs = (), **_: Any) -> "StreamCall":
            content = request_serializer(request)
            trip = (self._origin, self._target, method, content, self._named(metadata))
            return StreamCall(self._network, trip, timeout, response_deserializer)

        return call

    def _named(self, metadata: Pairs) -> Pairs:
        """Every call has an id of its own, so that no server has to draw one."""
        if any(key == REQUEST_ID_HEADER and value for key, value in metadata):
            return tuple(metadata)
        self._calls += 1
        return (*metadata, (REQUEST_ID_HEADER, f"{self._origin}-{self._target}-{self._calls}"))

    async def close(self, grace: float | None = None) -> None:
        del grace


class StreamCall:
    """A stream of answers, from the caller's side."""

    def __init__(
        self, network: Network, trip: tuple[str, str, str, bytes, Pairs], timeout: float | None, read: Any
    ) -> None:
        self._network = network
        self._origin, self._target, self._method, self._content, self._metadata = trip
        self._deadline = None if timeout is None else network.loop.time() + timeout
        self._read = read
        self._items: asyncio.Queue[bytes | Answer] = asyncio.Queue()
        self._arrives_at = 0.0
        self._task: asyncio.Task[Any] | None = None
        self._over = False
        network.loop.call_later(network.delay(), self._arrive)

    def _arrive(self) -> None:
        self._target = self._network.one_of(self._target)
        host = self._network.hosts[self._target]
        if self._over:
            return
        if not host.up or self._network.lost(self._origin, self._target):
            self._send(AWAY)
        else:
            self._task = self._network.loop.spawn(host.owner, self._serve(host))

    async def _serve(self, host: Host) -> None:
        network, handler = self._network, host.handler(self._method)

        async def send(item: Any) -> None:
            if network.lost(self._target, self._origin) or network.random.random() < network.weather.break_rate:
                network.count("streams broken")
                raise asyncio.CancelledError
            self._send(handler.response_serializer(item))

        context = CallContext(network.loop, self._metadata, self._deadline, send)
        try:
            await handler.unary_stream(handler.request_deserializer(self._content), context)
            context.check_aborted()
            self._send(Answer(None, trailer=context.trailer))
        except Aborted as aborted:
            self._send(Answer(None, aborted.code, aborted.details, context.trailer))
        except asyncio.CancelledError:
            self._send(AWAY)
            raise

    def _send(self, item: bytes | Answer) -> None:
        """In order: no item overtakes another."""
        loop = self._network.loop
        self._arrives_at = max(self._arrives_at + 1e-6, loop.time() + self._network.delay())
        loop.call_at(self._arrives_at, self._items.put_nowait, item)

    def cancel(self) -> bool:
        """The caller wants no more."""
        if self._over:
            return False
        self._over = True
        if self._task is not None:
            self._network.loop.call_later(self._network.delay(), self._task.cancel)
        return True

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        try:
            async with asyncio.timeout_at(self._deadline):
                item = await self._items.get()
        except TimeoutError:
            self.cancel()
            raise failure(Answer(None, grpc.StatusCode.DEADLINE_EXCEEDED, "deadline exceeded")) from None
        if isinstance(item, bytes):
            return self._read(item)
        self._over = True
        if item.code is grpc.StatusCode.OK:
            raise StopAsyncIteration
        raise failure(item)
