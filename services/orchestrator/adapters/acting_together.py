"""Actions of many tables on their way to betting: alone while few are, together where they would wait for one another.

A call costs more than the rules of the action in it. So only one call is under way at a time; what comes meanwhile goes
together in the next one, which does not wait long for the one before. Nobody waits where nobody else acts.
"""

import asyncio
import contextvars
from collections import deque
from dataclasses import dataclass
from typing import Final

from sevenstud.betting.v1 import betting_service_pb2 as wire
from sevenstud.betting.v1.betting_service_pb2_grpc import BettingServiceStub

from services.orchestrator.adapters.remote import ask
from services.orchestrator.ports import ServiceAway

CALLS_MAX: Final = 1
"""Calls under way at a time, as long as they are answered soon: two cost a tenth more computing an action."""
PATIENCE_SECONDS: Final = 0.03
"""A call that takes longer, as to a betting service that hangs, holds up nobody else."""
TOGETHER_MAX: Final = 32
TOGETHER_BYTES_MAX: Final = 48 * 1024
"""A request may have 64 KiB; the state of a hand is one or two."""
_NAME: Final = "betting"


@dataclass(frozen=True, slots=True)
class _Waiting:
    """An action that waits for its turn to be asked for."""

    request: wire.ActRequest
    size_bytes: int
    answered: "asyncio.Future[wire.ActResponse | None]"
    """None: ask for it alone."""


class ActingTogether:
    """Asks betting for the actions of all tables of this process."""

    def __init__(self, stub: BettingServiceStub) -> None:
        """Ask through this stub."""
        self._stub = stub
        self._under_way = 0
        self._waiting: deque[_Waiting] = deque()
        self._calls: set[asyncio.Task[None]] = set()
        self._hurrying = False

    async def act(self, request: wire.ActRequest) -> wire.ActResponse:
        """The action applied, or the refusal of it, or ServiceAway."""
        if self._under_way >= CALLS_MAX:
            loop = asyncio.get_running_loop()
            answered: asyncio.Future[wire.ActResponse | None] = loop.create_future()
            self._waiting.append(_Waiting(request, request.ByteSize(), answered))
            if not self._hurrying:
                self._hurrying = True
                loop.call_later(PATIENCE_SECONDS, self._hurry)
            response = await answered  # every call has a deadline, and the last one answers whoever waits
            if response is not None:
                return response
        self._under_way += 1
        try:
            return await ask(_NAME, self._stub.Act(request))
        finally:
            self._done()

    def _done(self) -> None:
        """A call is over: the next one goes."""
        self._under_way -= 1
        if self._under_way < CALLS_MAX:
            self._send()

    def _hurry(self) -> None:
        """Whoever waits, waits no longer; where nobody does, look again when somebody comes."""
        self._hurrying = bool(self._waiting)
        if self._hurrying:
            self._send()
            asyncio.get_running_loop().call_later(PATIENCE_SECONDS, self._hurry)

    def _send(self) -> None:
        group = self._next_group()
        if group:
            self._under_way += 1
            work = self._together(group)
            call = asyncio.get_running_loop().create_task(work, context=contextvars.Context())
            self._calls.add(call)
            call.add_done_callback(self._calls.discard)

    def _next_group(self) -> list[_Waiting]:
        group: list[_Waiting] = []
        size_bytes = 0
        while self._waiting and len(group) < TOGETHER_MAX:
            if self._waiting[0].answered.done():  # whoever asked has gone
                self._waiting.popleft()
                continue
            size_bytes += self._waiting[0].size_bytes
            if group and size_bytes > TOGETHER_BYTES_MAX:
                break
            group.append(self._waiting.popleft())
        return group

    async def _together(self, group: list[_Waiting]) -> None:
        try:
            await self._answer(group)
        finally:
            for each in group:
                if not each.answered.done():
                    each.answered.set_result(None)
            self._done()

    async def _answer(self, group: list[_Waiting]) -> None:
        """Where the call is refused as a whole, or one action in it, whoever asked for it asks alone."""
        request = wire.ActTogetherRequest(actions=[each.request for each in group])
        try:
            response = await ask(_NAME, self._stub.ActTogether(request))
        except ServiceAway as away:
            for each in group:
                if not each.answered.done():
                    each.answered.set_exception(ServiceAway(away.service))
            return
        except Exception:  # noqa: BLE001  # each is told what is wrong with it, once it asks alone
            return
        for each, result in zip(group, response.results, strict=False):
            if not each.answered.done() and result.HasField("response"):
                each.answered.set_result(result.response)
