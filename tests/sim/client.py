"""Whoever calls the suite from outside: asks, asks again without an answer, and keeps what became of each request."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final
from uuid import UUID

import grpc
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.caller import Caller
from shared.kernel.errors import Reason
from shared.rpc.client import unpack_error
from tests.sim.lines import open_line
from tests.sim.network import Network
from tests.sim.nodes import LEDGER, ORCHESTRATOR

_OUTAGES: Final = {
    grpc.StatusCode.UNAVAILABLE,
    grpc.StatusCode.DEADLINE_EXCEEDED,
    grpc.StatusCode.CANCELLED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
}
_CALL_SECONDS: Final = 5.0
_TRIES: Final = 8
_DROPPED: Final = 0.5
"""Share of requests without an answer that are never asked again."""


class Refused(Exception):  # noqa: N818  # read as a sentence: the request is refused
    """The suite refused: the rules, or the moment."""

    def __init__(self, reason: Reason | None, message: str) -> None:
        super().__init__(f"{reason.name if reason else 'without a reason'}: {message}")
        self.reason = reason


class Silent(Exception):  # noqa: N818
    """No answer after several tries: what became of the request is unknown for now."""


@dataclass(slots=True)
class Sent:
    """One mutating request, and what became of it."""

    what: str
    call: Callable[..., Awaitable[Any]]
    request: Any
    answer: Any = None
    reason: Reason | None = None
    dropped: bool = False
    """There was no answer, and nobody will ask again."""

    @property
    def known(self) -> bool:
        """It was answered or refused, or nobody wants to know."""
        return self.answer is not None or self.reason is not None or self.dropped


@dataclass(slots=True)
class Client:
    """One caller with a line of its own."""

    name: str
    caller: Caller
    network: Network
    random: Random
    complain: Callable[[str], None]
    """Something was answered that must never be."""
    hasty_rate: float = 0.0
    """Share of calls that hang up almost at once."""
    sent: list[Sent] = field(default_factory=list[Sent])
    tables: Any = None
    tournaments: Any = None
    ledger: Any = None

    def __post_init__(self) -> None:
        line = open_line(self.network, self.name, ORCHESTRATOR, self.caller)
        self.tables, self.tournaments = TableServiceStub(line), TournamentServiceStub(line)
        self.ledger = TournamentLedgerServiceStub(open_line(self.network, self.name, LEDGER, self.caller))

    def fresh(self) -> str:
        """A new request id, from the seed."""
        return str(UUID(bytes=self.random.randbytes(16), version=4))

    async def read(self, call: Callable[..., Awaitable[Any]], request: Any) -> Any:
        """Ask for something that changes nothing; Refused, or Silent."""
        for _ in range(self.random.choice((1, 3, _TRIES))):
            try:
                return await call(request, timeout=self._patience())
            except grpc.aio.AioRpcError as error:
                await self._may_ask_again(error)
        raise Silent

    async def read_firmly(self, call: Callable[..., Awaitable[Any]], request: Any) -> Any:
        """Ask until there is an answer, also who often hangs up too soon."""
        while True:
            with suppress(Silent):
                return await self.read(call, request)

    async def change(self, call: Callable[..., Awaitable[Any]], request: Any) -> Any:
        """Ask for a change, once whatever happens; Refused, or Silent."""
        name = type(request).__name__.removesuffix("Request")
        if not request.request_id:
            request.request_id = self.fresh()
        sent = Sent(name, call, request)
        self.sent.append(sent)
        try:
            return await self.settle(sent)
        except Silent:
            sent.dropped = self.random.random() < _DROPPED
            raise

    async def settle(self, sent: Sent) -> Any:
        """Ask, perhaps once more, until it is known what became of it."""
        try:
            answer = await self.read(sent.call, sent.request)
        except Refused as refused:
            if sent.answer is not None:
                self.complain(f"{self.name}: {sent.what} was answered before, now it is refused with {refused}")
            sent.reason = refused.reason
            raise
        if sent.answer is not None and _core(answer) != _core(sent.answer):
            self.complain(f"{self.name}: {sent.what} got another answer the second time")
        sent.answer = sent.answer or answer
        return answer

    def _patience(self) -> float:
        """Seconds until the caller hangs up; now and then in the middle of the handler."""
        return self.random.uniform(0.002, 0.03) if self.random.random() < self.hasty_rate else _CALL_SECONDS

    async def _may_ask_again(self, error: grpc.aio.AioRpcError) -> None:
        found = unpack_error(error)
        if found.code not in _OUTAGES:
            if found.reason in {None, Reason.INTERNAL, Reason.CALLER_UNKNOWN}:
                self.complain(f"{self.name} was answered with {found}")
            raise Refused(found.reason, found.message) from error
        await asyncio.sleep(self.random.uniform(0.05, 1.5))


def _core(answer: Any) -> Any:
    """What a repeated answer must have in common with the first: all of it; of a table, which version it is."""
    table = getattr(answer, "table", None)
    return answer if table is None else (table.table_id, table.version)
