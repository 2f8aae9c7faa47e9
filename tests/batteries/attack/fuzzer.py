"""Sends what the generator makes, and judges what comes back: an answer or a typed refusal, never a fault."""

import asyncio
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import grpc
from google.protobuf.descriptor import MethodDescriptor

from shared.kernel.caller import Caller, Role
from shared.rpc.client import unpack_error
from shared.rpc.identity import AUTHORIZATION_HEADER, token_of
from tests.batteries.attack.generator import Generator
from tests.support.contract import path_of

AT_ONCE = 12
CALL_SECONDS = 30.0
ITEMS_READ = 3
ITEMS_SECONDS = 0.5
"""How long the first items of a stream are waited for; so more streams than calls are open at once."""
STREAMS_AT_ONCE = 60
FAULT_CODES = frozenset(
    {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNKNOWN, grpc.StatusCode.DATA_LOSS, grpc.StatusCode.UNIMPLEMENTED}
)


@dataclass
class Outcome:
    """What came of all inputs."""

    planted: bool = False
    """Whether faults are meant to be there, so that nobody need be told of each."""
    sent: int = 0
    answered: int = 0
    refused: Counter[str] = field(default_factory=Counter[str])
    untyped: Counter[str] = field(default_factory=Counter[str])
    """Statuses without a reason of ours, which the transport or a deadline gives."""
    faults: list[str] = field(default_factory=list[str])
    by_method: Counter[str] = field(default_factory=Counter[str])

    def add_fault(self, method: str, told: str, content: bytes) -> None:
        """A fault, with the input that brings it about."""
        self.faults.append(f"{method} {told} for {content[:400].hex()}")
        if not self.planted:
            print(f"\n  fault {self.faults[-1]}", file=sys.stderr)


class Fuzzer:
    """Attacks one RPC at a time, many inputs at once."""

    def __init__(self, generator: Generator, outcome: Outcome, seed: str, players: Sequence[str] = ("ann",)) -> None:
        self._generator = generator
        self._outcome = outcome
        self._rng = Random(seed)
        self._players = players

    async def attack(
        self, channel: grpc.aio.Channel, method: MethodDescriptor, roles: Sequence[Role], inputs: int
    ) -> None:
        """So many inputs to one RPC, as any role that may call it."""
        gate = asyncio.Semaphore(STREAMS_AT_ONCE if method.server_streaming else AT_ONCE)
        pending: set[asyncio.Task[None]] = set()
        for _ in range(inputs):
            await gate.acquire()
            caller = self._caller(roles)
            task = asyncio.ensure_future(self.send(channel, method, caller, self._generator.request(method)))
            pending.add(task)
            task.add_done_callback(pending.discard)
            task.add_done_callback(lambda _: gate.release())
        await asyncio.gather(*pending)

    def _caller(self, roles: Sequence[Role]) -> Caller:
        role = self._rng.choice(roles)
        return Caller(role, self._rng.choice(self._players) if role is Role.PLAYER else "fuzzer")

    async def send(self, channel: Any, method: MethodDescriptor, caller: Caller, content: bytes) -> None:
        outcome = self._outcome
        outcome.sent += 1
        outcome.by_method[method.full_name] += 1
        metadata = [(AUTHORIZATION_HEADER, token_of(caller))]
        try:
            if method.server_streaming:
                await _some(channel.unary_stream(path_of(method))(content, metadata=metadata, timeout=CALL_SECONDS))
            else:
                await channel.unary_unary(path_of(method))(content, metadata=metadata, timeout=CALL_SECONDS)
            outcome.answered += 1
        except grpc.aio.AioRpcError as error:
            self._judge(method, error, content)

    def _judge(self, method: MethodDescriptor, error: grpc.aio.AioRpcError, content: bytes) -> None:
        try:
            reason = unpack_error(error).reason
        except Exception as fault:  # noqa: BLE001  # whatever it was, it was no typed refusal
            self._outcome.add_fault(method.full_name, f"cannot be read: {fault}", content)
            return
        if error.code() in FAULT_CODES:
            self._outcome.add_fault(method.full_name, f"{error.code().name} {error.details()}", content)
        elif reason is None:
            self._outcome.untyped[error.code().name] += 1
        else:
            self._outcome.refused[reason.name] += 1


async def _some(call: Any) -> None:
    """The first items of a stream, if they come."""
    try:
        async with asyncio.timeout(ITEMS_SECONDS):
            for _ in range(ITEMS_READ):
                if await call.read() is grpc.aio.EOF:
                    break
    except TimeoutError:
        pass
    code = await call.code() if call.done() else None
    call.cancel()
    if code is not None and code is not grpc.StatusCode.OK:
        raise grpc.aio.AioRpcError(
            code, await call.initial_metadata(), await call.trailing_metadata(), await call.details()
        )
