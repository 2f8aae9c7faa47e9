"""Exactly once, request by request: every one that changes something is tried on its way to its handler.

An answer is lost and asked for again; it comes when nobody waits any more; the same id comes with other content; the
caller hangs up while the handler waits for the nth time. Whatever is done to it, a request has one effect and one
answer.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import coroutine
from typing import Any, Final

import grpc
from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

from shared.kernel.errors import Reason
from shared.rpc.client import unpack_error
from shared.storage.database import Statement
from tests.sim.network import Answer, Host, Network, Trip, failure
from tests.sim.world import World
from tests.support.contract import message_class, methods, path_of

_ANSWERED: Final = "INTO answered_requests"
_ANSWERS: Final = {path_of(each): message_class(each.output_type.full_name) for each in methods()}
_OUTAGES: Final = {grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED}


class Way(StrEnum):
    """What is done to a request that is new."""

    LOST = "its answer is lost, it is asked again at once, and then with other content"
    LATE = "its answer comes when the caller's deadline is over, who asks again"
    CUT = "its caller hangs up while the handler waits for the nth time, and asks again at once"


@dataclass(slots=True)
class Marks:
    """What was tried, by RPC, over any number of worlds."""

    again: Counter[str] = field(default_factory=Counter[str])
    """Asked again after an answer, and answered the same."""
    granted: Counter[str] = field(default_factory=Counter[str])
    """Asked again without an answer so far, as the call was cut off on its way, and granted."""
    other: Counter[str] = field(default_factory=Counter[str])
    """Asked again with other content, and refused as an id that was used."""
    cut: Counter[str] = field(default_factory=Counter[str])
    """Cut short while the handler waited."""
    deepest: dict[str, int] = field(default_factory=dict[str, int])
    """The latest wait at which a call was cut short."""
    remembered: Counter[str] = field(default_factory=Counter[str])
    """Asked again long after, by a suite that was started anew, and answered the same."""
    faults: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Exam:
    """Tries every new request of a world in one way."""

    world: World
    way: Way
    marks: Marks
    cut_at: int = 0
    late_every: int = 4
    """Every nth answer is late; where all are, players miss their turns."""
    first: dict[tuple[str, str], tuple[Trip, Answer]] = field(
        default_factory=dict[tuple[str, str], tuple[Trip, Answer]]
    )
    """The first answer to every request that was granted, by RPC and request id."""
    _begun: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    _granted: dict[str, str] = field(default_factory=dict[str, str])
    """RPCs by the id of a request that was granted."""

    def __post_init__(self) -> None:
        self.world.network.between = self.serve
        for node in self.world.nodes.values():
            usual = node._nature.committed

            def committed(name: str, statements: Sequence[Statement], usual: Any = usual) -> None:
                usual(name, statements)
                self._written(name, statements)

            node._nature.committed = committed

    @property
    def _network(self) -> Network:
        return self.world.network

    def _written(self, node: str, statements: Sequence[Statement]) -> None:
        """Nothing is done in the name of a request that was answered."""
        for statement in statements:
            named = self._granted.keys() & {each for each in statement.params if isinstance(each, str)}
            if named and _ANSWERED in statement.sql:
                self.world.fail(f"{node} wrote again for {sorted(self._granted[each] for each in named)}")

    async def serve(self, host: Host, trip: Trip) -> Answer:
        """In place of ``Network.handled``."""
        request_id = _id_of(host, trip)
        if not request_id:
            return await self._network.handled(host, trip)
        key = (trip.method, request_id)
        if key in self.first:
            if self.first[key][0].content != trip.content:
                return await self._network.handled(host, trip)  # a player tries what is refused
            return await self._asked_again(host, trip, key, self.marks.again)
        if key in self._begun:
            answer = self._keep(key, trip, await self._network.handled(host, trip))
            self.marks.granted[_name(trip)] += answer.content is not None
            return answer
        self._begun.add(key)
        match self.way:
            case Way.LOST:
                return await self._lost(host, trip, key)
            case Way.LATE if len(self._begun) % self.late_every == 0:
                answer = self._keep(key, trip, await self._network.handled(host, trip))
                await asyncio.sleep(trip.seconds + 1.0 if answer.content is not None else 0.0)
                return answer
            case Way.LATE:
                return self._keep(key, trip, await self._network.handled(host, trip))
            case _:
                return await self._cut_short(host, trip, key)

    def _keep(self, key: tuple[str, str], trip: Trip, answer: Answer) -> Answer:
        if answer.content is not None:
            self.first.setdefault(key, (trip, answer))
            self._granted[key[1]] = _name(trip)
        return answer

    async def _asked_again(self, host: Host, trip: Trip, key: tuple[str, str], counted: Counter[str]) -> Answer:
        _, first = self.first[key]
        again = await self._network.handled(host, trip.again())
        if again.code in _OUTAGES:
            return again
        if again.content is None or not (again.content == first.content or self._means_the_same(trip, first, again)):
            self.world.fail(f"{_name(trip)} {key[1]} was answered otherwise the second time: {_told(again)}")
        counted[_name(trip)] += 1
        return again

    def _means_the_same(self, trip: Trip, first: Answer, again: Answer) -> bool:
        """A table is told as it was; see ``_without_down_cards``."""
        kind = _ANSWERS[trip.method]
        one, two = (_without_down_cards(kind.FromString(each.content or b"")) for each in (first, again))
        return bool(one == two)

    # --- the ways ---------------------------------------------------------------------------

    async def _lost(self, host: Host, trip: Trip, key: tuple[str, str]) -> Answer:
        answer = self._keep(key, trip, await self._network.handled(host, trip))
        if answer.content is None:
            return answer
        answer = await self._asked_again(host, trip, key, self.marks.again)
        await self._with_other_content(host, trip)
        return answer

    async def _with_other_content(self, host: Host, trip: Trip) -> None:
        request = host.handler(trip.method).request_deserializer(trip.content)
        for other in changed(request):
            bent = trip.again()
            bent.content = other.SerializeToString()
            answer = await self._network.handled(host, bent)
            if answer.content is not None:
                self.world.fail(f"{_name(trip)} was granted with the id of another request: {other}")
            if unpack_error(failure(answer)).reason is Reason.REQUEST_ID_REUSED:
                self.marks.other[_name(trip)] += 1
                return

    async def _cut_short(self, host: Host, trip: Trip, key: tuple[str, str]) -> Answer:
        fired: list[int] = []
        work = cut_at(self._network.handled(host, trip), self.cut_at, fired.append)
        answer = await asyncio.ensure_future(_run(work))
        if not fired:
            return self._keep(key, trip, answer)
        self.marks.cut[_name(trip)] += 1
        self.marks.deepest[_name(trip)] = max(self.cut_at, self.marks.deepest.get(_name(trip), 0))
        answer = self._keep(key, trip, await self._network.handled(host, trip.again()))
        return await self._asked_again(host, trip, key, self.marks.again) if key in self.first else answer

    # --- long after -------------------------------------------------------------------------

    async def long_after(self, pass_days: int) -> None:
        """All services are started anew, and much later every request comes once more."""
        for name, node in self.world.nodes.items():
            node._nature.ahead_seconds += pass_days * 86_400.0
            self.world.crash(name)
            node.start()
        await self.world.until(lambda: all(node.up for node in self.world.nodes.values()), "the start")
        await asyncio.sleep(30.0)
        for key, (trip, _) in self.first.items():
            host = self._network.hosts[trip.target]
            trip.deadline = self.world.loop.time() + 60.0
            asked = self.world.loop.spawn(host.owner, _run(self._asked_again(host, trip, key, self.marks.remembered)))
            answer = await asked
            if answer.code in _OUTAGES:
                self.world.fail(f"{_name(trip)} was not answered long after: {_told(answer)}")


@coroutine
def cut_at(work: Coroutine[Any, Any, Answer], nth: int, told: Callable[[int], None]) -> Generator[Any, Any, Answer]:
    """Run a handler; as it waits for the nth time its task is cancelled, as when the caller hangs up right then."""
    step: Callable[[Any], Any] = work.send
    value: Any = None
    waits = 0
    while True:
        try:
            waiting = step(value)
        except StopIteration as over:
            return over.value  # type: ignore[no-any-return]  # what the coroutine returns
        waits += 1
        if waits == nth:
            told(waits)
            task = asyncio.current_task()
            assert task is not None
            task.cancel()
        try:
            value = yield waiting
            step = work.send
        except BaseException as fault:  # noqa: BLE001  # whatever is thrown in is the handler's
            step, value = work.throw, fault


async def _run(work: Any) -> Any:
    return await work


def changed(request: Message) -> Iterator[Message]:
    """The same request with one field changed, for each field but its id."""
    for each in request.DESCRIPTOR.fields:
        if each.name == "request_id":
            continue
        for value in _others(each, getattr(request, each.name)):
            other = type(request)()
            other.CopyFrom(request)
            if each.message_type is None and not each.is_repeated:
                setattr(other, each.name, value)
            else:
                other.ClearField(each.name)
                held = getattr(other, each.name)
                held.extend(value) if each.is_repeated else held.CopyFrom(value)
            yield other


def _others(each: FieldDescriptor, value: Any) -> Iterator[Any]:
    if each.is_repeated:
        yield from (list(value)[:-1], list(value)[::-1]) if len(value) > 1 else ()
    elif each.message_type is not None:
        yield from changed(value) if value.ByteSize() else ()
    elif each.enum_type is not None:
        yield from (number for number in each.enum_type.values_by_number if number not in {0, value})
    else:
        yield from _OTHER_VALUES[type(value)](value)


_OTHER_VALUES: Final[Mapping[type, Callable[[Any], tuple[Any, ...]]]] = {
    bool: lambda value: (not value,),
    int: lambda value: (value + 1, max(0, value - 1)),
    bytes: lambda value: (value[:-1] + bytes([value[-1] ^ 1]) if value else b"\x01" * 32,),
    str: lambda value: (f"{value}x",),
}


def _id_of(host: Host, trip: Trip) -> str:
    """The id of a request that changes something; empty for all others."""
    request = host.handler(trip.method).request_deserializer(trip.content)
    return str(request.request_id) if "request_id" in request.DESCRIPTOR.fields_by_name else ""


def _name(trip: Trip) -> str:
    service, method = trip.method.removeprefix("/").split("/")
    return f"{service.rsplit('.', 1)[1]}.{method}"


def _without_down_cards(answer: Any) -> Any:
    """Down cards of a hand that is over are in the hand's history: an answer that is repeated later leaves them out."""
    if "table" in answer.DESCRIPTOR.fields_by_name:
        for seat in answer.table.seats:
            seat.ClearField("down_cards")
    return answer


def _told(answer: Answer) -> str:
    return f"{answer.code.name} {answer.details}"
