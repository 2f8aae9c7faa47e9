"""The network between the nodes of a simulated world: serialised requests and answers, delayed, lost, sent twice.

What crosses are the bytes of the contract; at both ends stand the real stubs and the real handlers with all that is
around them (identity, rights, validation, deadlines). Calls overtake one another; the items of one stream do not.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any, Final, Protocol, cast

import grpc
from grpc.aio import AioRpcError, Metadata

from shared.kernel.caller import Caller
from shared.rpc.call import REQUEST_ID_HEADER
from shared.rpc.channel import CallingChannel
from shared.rpc.identity import token_of
from tests.sim.calls import SimLink, UnaryCall
from tests.sim.loop import VirtualLoop

Pairs = Sequence[tuple[str, str | bytes]]
_NO_ANSWER: Final = "the connection was lost"


@dataclass(slots=True, kw_only=True)
class Weather:
    """How bad the network is."""

    delay_seconds: tuple[float, float] = (0.0002, 0.003)
    slow_rate: float = 0.0
    """Share of messages that take up to slow_seconds."""
    slow_seconds: float = 2.0
    loss_rate: float = 0.0
    """Share of requests, and of answers, that never arrive."""
    twice_rate: float = 0.0
    """Share of unary requests that arrive twice, the second one up to late_seconds later."""
    late_seconds: float = 20.0
    break_rate: float = 0.0
    """Share of stream items at which the stream breaks."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back of a call."""

    content: bytes | None
    code: grpc.StatusCode = grpc.StatusCode.OK
    details: str = ""
    trailer: Pairs = ()


AWAY: Final = Answer(None, grpc.StatusCode.UNAVAILABLE, _NO_ANSWER)


class Host(Protocol):
    """A node as the network sees it."""

    name: str

    @property
    def owner(self) -> str:
        """Whose tasks its handlers are; another with every start."""
        ...

    @property
    def up(self) -> bool:
        """Whether it listens."""
        ...

    def handler(self, method: str) -> Any:
        """The gRPC handler of a method."""
        ...


class CallContext:
    """What a handler gets of its call."""

    def __init__(
        self,
        loop: VirtualLoop,
        metadata: Pairs,
        deadline: float | None,
        send: Callable[[Any], Awaitable[None]] | None = None,
    ) -> None:
        self._loop = loop
        self._send = send
        self._metadata = tuple(metadata)
        self._deadline = deadline
        self._code = grpc.StatusCode.OK
        self.trailer: Pairs = ()

    def invocation_metadata(self) -> Pairs:
        return self._metadata

    def set_trailing_metadata(self, trailer: Pairs) -> None:
        self.trailer = tuple(trailer)

    def peer(self) -> str:
        return "ipv4:127.0.0.1:1"

    async def write(self, item: Any) -> None:
        assert self._send is not None
        await self._send(item)

    def time_remaining(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - self._loop.time())

    def code(self) -> grpc.StatusCode:
        return self._code

    async def abort(self, code: grpc.StatusCode, details: str = "", trailing_metadata: Pairs = ()) -> None:
        self._code, self.trailer = code, tuple(trailing_metadata)
        raise _Aborted(code, details)


class _Aborted(grpc.aio.AbortError):
    def __init__(self, code: grpc.StatusCode, details: str) -> None:
        super().__init__(details)
        self.code = code
        self.details = details


@dataclass(slots=True)
class Network:
    """Carries every call of the world."""

    loop: VirtualLoop
    random: Random
    weather: Weather
    hosts: dict[str, Host] = field(default_factory=dict[str, Host])
    cut: set[frozenset[str]] = field(default_factory=set[frozenset[str]])
    """Pairs of hosts that cannot reach each other."""
    between: "Callable[[Host, Trip], Awaitable[Answer]] | None" = None
    """Stands between the network and the handlers, where something is tried on requests; see ``handled``."""
    counted: dict[str, int] = field(default_factory=dict[str, int])

    def channel(self, origin: str, target: str, caller: Caller, seconds: float = 5.0) -> CallingChannel:
        """A channel from one host to another, as our clients open it."""
        link = SimLink(cast("grpc.aio.Channel", SimChannel(self, origin, target)), token_of(caller))
        return CallingChannel(link, seconds)

    def count(self, what: str) -> None:
        """So many times did this happen."""
        self.counted[what] = self.counted.get(what, 0) + 1

    def delay(self) -> float:
        """How long a message is on its way."""
        if self.random.random() < self.weather.slow_rate:
            return self.random.uniform(0.0, self.weather.slow_seconds)
        return self.random.uniform(*self.weather.delay_seconds)

    def lost(self, origin: str, target: str) -> bool:
        """Whether a message does not arrive."""
        if self.cut and frozenset((origin, target)) in self.cut:
            return True
        if self.random.random() < self.weather.loss_rate:
            self.count("lost")
            return True
        return False

    # --- calls with one answer --------------------------------------------------------------

    async def ask(self, trip: "Trip") -> Answer:
        """One unary call, from the caller's side."""
        trip.answer = self.loop.create_future()
        self.loop.call_later(self.delay(), self._arrive, trip)
        if self.random.random() < self.weather.twice_rate:
            self.count("twice")
            self.loop.call_later(self.random.uniform(0.0, self.weather.late_seconds), self._arrive, trip.again())
        try:
            async with asyncio.timeout(trip.seconds):
                return await trip.answer
        except TimeoutError:
            trip.give_up(self)
            return Answer(None, grpc.StatusCode.DEADLINE_EXCEEDED, "deadline exceeded")
        except asyncio.CancelledError:
            trip.give_up(self)
            raise

    def _arrive(self, trip: "Trip") -> None:
        host = self.hosts[trip.target]
        if self.lost(trip.origin, trip.target):
            return self._hang_up(trip)
        if not host.up:
            return self.send_back(trip, AWAY)
        trip.task = self.loop.spawn(host.owner, self._serve(host, trip))
        return None

    def _hang_up(self, trip: "Trip") -> None:
        """A lost message: the connection breaks, or nobody hears anything before the deadline."""
        if self.random.random() < 0.5:
            self.loop.call_later(self.delay(), trip.arrived, AWAY)

    async def _serve(self, host: Host, trip: "Trip") -> None:
        answer = await (self.between or self.handled)(host, trip)
        if self.lost(trip.origin, trip.target):
            return self._hang_up(trip)
        self.send_back(trip, answer)
        return None

    async def handled(self, host: Host, trip: "Trip") -> Answer:
        """What the handler answers, with the pipeline around it."""
        owner = host.owner
        context = CallContext(self.loop, trip.metadata, trip.deadline)
        handler = host.handler(trip.method)
        try:
            response = await handler.unary_unary(handler.request_deserializer(trip.content), context)
            return Answer(handler.response_serializer(response), trailer=context.trailer)
        except _Aborted as aborted:
            return Answer(None, aborted.code, aborted.details, context.trailer)
        except asyncio.CancelledError:
            return AWAY if host.owner != owner else Answer(None, grpc.StatusCode.CANCELLED, "cancelled")

    def send_back(self, trip: "Trip", answer: Answer) -> None:
        """The answer is on its way."""
        self.loop.call_later(self.delay(), trip.arrived, answer)


@dataclass(slots=True, kw_only=True)
class Trip:
    """One unary call on its way."""

    origin: str
    target: str
    method: str
    content: bytes
    metadata: Pairs
    seconds: float
    deadline: float
    answer: "asyncio.Future[Answer] | None" = None
    task: "asyncio.Task[Any] | None" = None

    def again(self) -> "Trip":
        """The same request once more, from a proxy that nobody waits behind."""
        return Trip(
            origin=self.origin,
            target=self.target,
            method=self.method,
            content=self.content,
            metadata=self.metadata,
            seconds=self.seconds,
            deadline=self.deadline + self.seconds + 60.0,
        )

    def arrived(self, answer: Answer) -> None:
        """The answer is here, should anybody still wait for it."""
        if self.answer is not None and not self.answer.done():
            self.answer.set_result(answer)

    def give_up(self, network: Network) -> None:
        """The caller has gone: as grpc.aio does, the handler is cancelled where it stands."""
        if self.task is not None and not self.task.done():
            network.count("cancelled")
            network.loop.call_later(network.delay(), self.task.cancel)


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
            if network.lost(self._origin, self._target) or network.random.random() < network.weather.break_rate:
                network.count("streams broken")
                raise asyncio.CancelledError
            self._send(handler.response_serializer(item))

        context = CallContext(network.loop, self._metadata, self._deadline, send)
        try:
            await handler.unary_stream(handler.request_deserializer(self._content), context)
            self._send(Answer(None, trailer=context.trailer))
        except _Aborted as aborted:
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


def failure(answer: Answer) -> AioRpcError:
    """What a stub raises for an answer that is none."""
    return AioRpcError(answer.code, Metadata(), Metadata(*answer.trailer), answer.details)


def details_of(method: str) -> grpc.HandlerCallDetails:
    """What a generic handler needs to find the handler of a method."""
    return cast("grpc.HandlerCallDetails", SimpleNamespace(method=method, invocation_metadata=()))
