"""L8: the edges of the integers in every number of every request, over gRPC: answers or typed refusals."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import grpc
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import Message
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from shared.kernel.errors import Reason
from shared.observability.logging import configure_logging
from shared.rpc.client import unpack_error
from tests.batteries.ledger.edge_requests import Asking, askings
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.ledger_house import Ledger, fresh, ledger

WIDE = (0, -1, 1, 2**53, 2**53 + 1, 2**62, 2**63 - 2, 2**63 - 1, -(2**63))
NARROW = (0, 1, 2**31 - 1, 2**32 - 1)
SIGNED = (0, 1, -1, 2**31 - 1, -(2**31))
_EDGES = {
    FieldDescriptor.TYPE_INT64: WIDE,
    FieldDescriptor.TYPE_UINT32: NARROW,
    FieldDescriptor.TYPE_INT32: SIGNED,
}
Path_ = tuple[str, ...]


def number_paths(descriptor: Descriptor, above: Path_ = ()) -> Iterator[tuple[Path_, tuple[int, ...]]]:
    """Every number in a message, by the fields that lead to it."""
    for each in descriptor.fields:
        path = (*above, each.name)
        if each.type in _EDGES:
            yield path, _EDGES[each.type]
        elif each.message_type is not None and len(path) < 8:
            yield from number_paths(each.message_type, path)


def with_edge(request: Message, path: Path_, value: int) -> Message:
    """The request with one number changed; a list gets the number in its last item, or a first one."""
    changed = type(request)()
    changed.CopyFrom(request)
    inner: Any = changed
    for name in path[:-1]:
        inner = getattr(inner, name)
        if not isinstance(inner, Message):
            inner = inner[-1] if len(inner) else inner.add()
    last = path[-1]
    if inner.DESCRIPTOR.fields_by_name[last].is_repeated:
        getattr(inner, last).append(value)
    else:
        setattr(inner, last, value)
    return changed


class Edges:
    """Tries them all, and counts what came back."""

    def __init__(self, house: Ledger) -> None:
        self.house = house
        self.fields = self.tried = self.answered = 0
        self.refused: Counter[str] = Counter()
        self.faults: list[str] = []

    async def field(self, asking: Asking, path: Path_, values: tuple[int, ...]) -> None:
        """One number of one request, at each edge."""
        self.fields += 1
        for value in values:
            request: Any = with_edge(await asking.request(self.house), path, value)
            if "request_id" in request.DESCRIPTOR.fields_by_name:
                request.request_id = fresh()
            await self._try(asking, request, f"{asking.method} {'.'.join(path)} = {value}")

    async def _try(self, asking: Asking, request: Message, told: str) -> None:
        self.tried += 1
        try:
            await getattr(asking.stub(self.house), asking.method)(request)
            self.answered += 1
        except grpc.aio.AioRpcError as error:
            try:
                reason = unpack_error(error).reason
            except Exception as fault:  # noqa: BLE001  # whatever it was, it was no typed refusal
                self.faults.append(f"{told}: {error.code()} {fault}")
                return
            self.refused[str(reason)] += 1
            if reason is Reason.INTERNAL or error.code() in {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN}:
                self.faults.append(f"{told}: {error.code()} {error.details()}")

    async def sums(self, after: str) -> None:
        """The books are sound, whatever was tried."""
        verdict = await self.house.verify()
        if not verdict.sound or any(each.sum for each in verdict.sums):
            self.faults.append(f"after {after} the books are not sound: {verdict.faults}")


STREAMS = frozenset({"Watch"})
"""Tried elsewhere: a stream has no single answer."""


def not_asked() -> list[str]:
    """RPCs with a number in their request that nobody tries here: none, or the walk would be blind for them."""
    service = pb.DESCRIPTOR.services_by_name["TournamentLedgerService"]
    tried = {asking.method for asking in askings()} | STREAMS
    return [
        f"{method.name} has numbers and is not tried"
        for method in service.methods
        if method.name not in tried and any(True for _ in number_paths(cast("Descriptor", method.input_type)))
    ]


async def try_edges(folder: Path) -> Edges:
    """All numbers of all requests, at all edges."""
    async with ledger(folder) as house:
        edges = Edges(house)
        edges.faults += not_asked()
        progress = Progress(
            "L8 edges",
            len([path for each in askings() for path in number_paths(cast("Descriptor", each.kind.DESCRIPTOR))]),
        )
        for asking in askings():
            for path, values in number_paths(cast("Descriptor", asking.kind.DESCRIPTOR)):
                await edges.field(asking, path, values)
                progress.add(1, f"faults: {len(edges.faults)}")
            await edges.sums(asking.method)
        progress.finish()
    return edges


def edge_integers() -> Iterator[Row]:
    """Row L8."""
    configure_logging("tournament_ledger", "critical")
    with tempfile.TemporaryDirectory() as folder:
        edges = asyncio.run(try_edges(Path(folder)))
    for fault in edges.faults[:20]:
        print(f"  fault {fault}")
    yield judged(
        "L8",
        "0, -1, 2^53, 2^63-1 and their neighbours in every number of every request: typed refusals, 0 INTERNAL",
        f"{edges.fields} numbers, {edges.tried:,} calls over gRPC: {edges.answered:,} answered, "
        f"{edges.refused.total():,} refused with {len(edges.refused)} reasons, {len(edges.faults)} faults",
        holds=not edges.faults,
    )
