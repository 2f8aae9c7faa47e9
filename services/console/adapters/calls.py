"""Asking a service as somebody: identity, deadline, and asking again with the same request id while it is away."""

import asyncio
import math
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message

from services.console.adapters.credentials import secured_as
from services.console.domain.printable import printable
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.client import RemoteError, open_channel, unpack_error

RequestT = TypeVar("RequestT", bound=Message)
ResponseT = TypeVar("ResponseT", bound=Message)

PATIENCE_SECONDS = 20.0
IMPATIENT_SECONDS = 3.0
"""Patience of a command that a person waits for and that needs nothing to come back."""
MAY_HELP = "is the suite up (sevenstud up), and does it want certificates from us, or none?"
_PAUSE_FIRST_SECONDS = 0.05
_PAUSE_MOST_SECONDS = 1.0
_POLL_SECONDS = 0.1
_AWAY = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED})


class Refused(Exception):  # noqa: N818  # a refusal, as the contract calls it
    """The service answered: no; nothing was changed."""

    def __init__(self, error: RemoteError) -> None:
        """Keep what the service said, with a line for each field that is wrong."""
        fields = ((printable(each.field), printable(each.description)) for each in error.violations)
        wrong = "".join(f"\n  {name}: {problem}" for name, problem in fields)
        super().__init__(f"{printable(error.message)} ({error.reason or error.code.name}){wrong}")
        self.reason: Reason | None = error.reason


class Away(Exception):  # noqa: N818  # a state, not a mistake
    """The service did not answer for longer than the caller waits."""


class Pauses:
    """Growing pauses between attempts, until the caller's patience is over."""

    def __init__(self, patience_seconds: float, most_seconds: float = _PAUSE_MOST_SECONDS) -> None:
        """Start the clock."""
        self._until = _now() + patience_seconds
        self._most_seconds = most_seconds
        self._next_seconds = _PAUSE_FIRST_SECONDS

    async def take(self) -> bool:
        """Pause; False instead when the patience is over."""
        if _now() + self._next_seconds > self._until:
            return False
        await asyncio.sleep(self._next_seconds)
        self._next_seconds = min(2 * self._next_seconds, self._most_seconds)
        return True


@dataclass(slots=True)
class Line:
    """The line to one service, as one caller. Made by connect()."""

    address: str
    channel: grpc.aio.Channel
    caller: Caller
    patience_seconds: float
    """For how long the service may be away."""
    retries_count: int = 0

    async def ask(
        self,
        method: grpc.aio.UnaryUnaryMultiCallable[RequestT, ResponseT],
        request: RequestT,
        seconds: float | None = None,
    ) -> ResponseT:
        """The answer, asked for again while the service is away; Refused or Away otherwise."""
        pauses = Pauses(self.patience_seconds)
        while True:
            try:
                return await method(request, timeout=seconds)
            except grpc.aio.AioRpcError as error:
                if not is_away(error):
                    raise Refused(unpack_error(error)) from None
                self.retries_count += 1
                if not await pauses.take():
                    raise Away(self.away_text()) from None

    def away_text(self) -> str:
        """That the service is away, and what may help."""
        what = f"no answer from {self.address} within {self.patience_seconds:g} s"
        return f"{what}: {MAY_HELP}"


@asynccontextmanager
async def connect(
    address: str, role: Role, name: str, patience_seconds: float = PATIENCE_SECONDS
) -> AsyncGenerator[Line, None]:
    """A line to the service at this address, as this caller; closed at the end."""
    caller = Caller(role, name)
    channel = open_channel(address, caller, secured=secured_as(caller))
    try:
        yield Line(address, channel, caller, patience_seconds)
    finally:
        await channel.close()


async def until(holds: Callable[[], Awaitable[bool]], patience_seconds: float = math.inf) -> None:
    """Ask again and again until it holds; Away when it does not in time."""
    pauses = Pauses(patience_seconds, _POLL_SECONDS)
    while not await holds():
        if not await pauses.take():
            raise Away(f"it did not come about within {patience_seconds:g} s")


def new_request_id() -> str:
    """The id of one wish; asking again with it is the same wish."""
    return str(uuid.uuid4())


def is_away(error: grpc.aio.AioRpcError) -> bool:
    """The service may be back soon, or has more calls at hand than it takes: the transport says so without a reason."""
    crowded = error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED and unpack_error(error).reason is None
    return crowded or error.code() in _AWAY


async def settle(tasks: Iterable["asyncio.Future[Any]"]) -> None:
    """Cancel tasks and wait until they are gone; what they raise no longer matters."""
    pending = list(tasks)
    for task in pending:
        task.cancel()
    await asyncio.gather(*pending, return_exceptions=True)


def _now() -> float:
    return asyncio.get_running_loop().time()
