"""The ledger as a process of its own, asked over gRPC: requests with an id, and what came of each."""

import asyncio
import uuid
from dataclasses import dataclass
from random import Random
from typing import Any

import grpc
from google.protobuf.message import Message
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.caller import Caller, Role
from shared.rpc.client import unpack_error

ALL_ROLES = {
    "backend": Caller(Role.BACKEND, "lobby"),
    "service": Caller(Role.SERVICE, "orchestrator"),
    "auditor": Caller(Role.AUDITOR, "auditor"),
}
PASSING = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED})


@dataclass(frozen=True, slots=True)
class Asked:
    """A mutating request."""

    method: str
    request: Any
    role: str = "backend"

    @property
    def key(self) -> str:
        """Its id."""
        return str(self.request.request_id)

    def other(self) -> "Asked":
        """The same id with other content."""
        changed = type(self.request)()
        changed.CopyFrom(self.request)
        if "amount" in changed.DESCRIPTOR.fields_by_name:
            changed.amount.amount_minor += 1
        elif "chips" in changed.DESCRIPTOR.fields_by_name:
            changed.chips += 1
        else:
            changed.player_id += "x"
        return Asked(self.method, changed, self.role)


@dataclass(frozen=True, slots=True)
class Told:
    """What a request was answered: bytes, or the reason of its refusal with all that was said."""

    content: bytes
    reason: str = ""


async def ask(stubs: dict[str, Any], asked: Asked, seconds: float = 30.0) -> Told | None:
    """The answer or refusal; None where nothing is known of it."""
    try:
        answer: Message = await getattr(stubs[asked.role], asked.method)(asked.request, timeout=seconds)
    except grpc.aio.AioRpcError as error:
        if error.code() in PASSING:
            return None
        remote = unpack_error(error)
        return Told(repr((remote.message, sorted(remote.metadata.items()))).encode(), str(remote.reason))
    except asyncio.CancelledError:
        raise
    return Told(answer.SerializeToString(deterministic=True))


def stubs_of(channels: dict[str, Any]) -> dict[str, Any]:
    """A stub for each role."""
    return {role: TournamentLedgerServiceStub(channel) for role, channel in channels.items()}


def new_id(rng: Random) -> str:
    """A request id."""
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))
