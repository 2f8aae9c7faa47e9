"""The network between the nodes of a simulated world: serialised requests and answers, delayed, lost, sent twice.

What crosses are the bytes of the contract; at both ends stand the real stubs and the real handlers with all that is
around them (identity, rights, validation, deadlines). Calls overtake one another; the items of one stream do not.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from types import SimpleNamespace
from typing import Any, Final, Protocol, cast

import grpc
from grpc.aio import AioRpcError, Metadata

from tests.sim.loop import VirtualLoop
from tests.sim.weather import Weather

Pairs = Sequence[tuple[str, str | bytes]]
_NO_ANSWER: Final = "the connection was lost"


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back of a call."""

    content: bytes | None
    code: grpc.StatusCode = grpc.StatusCode.OK
    details: str = ""
    trailer: Pairs = ()


AWAY: Final = Answer(None, grpc.StatusCode.UNAVAILABLE, _NO_ANSWER)


@dataclass(frozen=True, slots=True)
class Sickness:
    """What callers are answered for a while by a host that is up."""

    answer: Answer
    heeded_rate: float
    """Share of the calls that are worked on nevertheless."""


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
        self._aborted: Aborted | None = None
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
        self._aborted = Aborted(code, details)
        raise self._aborted

    def check_aborted(self) -> None:
        """As gRPC does once a handler is over: an abort is one, though the handler raises nothing."""
        if self._aborted is not None:
            raise self._aborted


class Aborted(grpc.aio.AbortError):
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
    cut: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    """From whom to whom nothing arrives; the other way may be open."""
    sick: dict[tuple[str, str], Sickness] = field(default_factory=dict[tuple[str, str], Sickness])
    """From whom to whom calls get no sound answer, though everybody is up."""
    replicas: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Hosts that serve the same name over one database."""
    between: "Callable[[Host, Trip], Awaitable[Answer]] | None" = None
    """Stands between the network and the handlers, where something is tried on requests; see ``handled``."""
    counted: dict[str, int] = field(default_factory=dict[str, int])

    def hosts_of(self, name: str) -> tuple[str, ...]:
        """All that serve this name."""
        return self.replicas.get(name, (name,))

    def one_of(self, target: str) -> str:
        """The host that a call to this name goes to: where there are several, one that is up."""
        names = self.hosts_of(target)
        if len(names) == 1:
            return target
        return self.random.choice([name for name in names if self.hosts[name].up] or list(names))

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
        if self.cut and (origin, target) in self.cut:
            self.count("cut off")
            return True
        if self.random.random() < self.weather.loss_rate:
            self.count("lost")
            return True
        return False

    # --- calls with one answer --------------------------------------------------------------

    async def ask(self, trip: "Trip") -> Answer:
        """One unary call, from the caller's side."""
        trip.answer = self.loop.create_future()
        trip.target = self.one_of(trip.target)
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
        answer = await self._answered(host, trip)
        if self.lost(trip.target, trip.origin):
            return self._hang_up(trip)
        self.send_back(trip, answer)
        return None

    async def _answered(self, host: Host, trip: "Trip") -> Answer:
        sick = self.sick.get((trip.origin, trip.target))
        if sick is not None:
            self.count("sick")
            if self.random.random() >= sick.heeded_rate:
                return sick.answer
        answer = await (self.between or self.handled)(host, trip)
        return answer if sick is None else sick.answer

    async def handled(self, host: Host, trip: "Trip") -> Answer:
        """What the handler answers, with the pipeline around it."""
        owner = host.owner
        context = CallContext(self.loop, trip.metadata, trip.deadline)
        handler = host.handler(trip.method)
        try:
            response = await handler.unary_unary(handler.request_deserializer(trip.content), context)
            context.check_aborted()
            return Answer(handler.response_serializer(response), trailer=context.trailer)
        except Aborted as aborted:
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


def failure(answer: Answer) -> AioRpcError:
    """What a stub raises for an answer that is none."""
    return AioRpcError(answer.code, Metadata(), Metadata(*answer.trailer), answer.details)


def details_of(method: str) -> grpc.HandlerCallDetails:
    """What a generic handler needs to find the handler of a method."""
    return cast("grpc.HandlerCallDetails", SimpleNamespace(method=method, invocation_metadata=()))
