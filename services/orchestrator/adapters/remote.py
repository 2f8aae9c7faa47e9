"""What every client of another service does: ask, translate the refusal, name the request."""

from collections.abc import Awaitable
from functools import lru_cache
from typing import Final, TypeVar
from uuid import UUID, uuid5

import grpc
from sevenstud.common.v1.rules_pb2 import ClockRules as ClockRulesMessage
from sevenstud.common.v1.rules_pb2 import HandRules as HandRulesMessage

from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import ClockRules, HandRules
from shared.observability.logging import get_log
from shared.rpc.client import RemoteError, refusal_from
from shared.rpc.mirror import to_proto

Answer = TypeVar("Answer")
_NOT_NOW: Final = {Reason.DEPENDENCY_UNAVAILABLE, Reason.LIMIT_REACHED, Reason.DRAINING, Reason.DEADLINE_PASSED}
"""Refusals that are as good as no answer: the service is away, has too many calls, stops, or took too long."""
_UNKNOWN_HERE: Final = {Reason.CALLER_UNKNOWN, Reason.NOT_PERMITTED}
"""Says something of us, not of what was asked: a token or certificate that is renewed, or revoked by mistake."""
_REQUESTS: Final = UUID("6d0c1f2e-6a0f-5f5b-9a55-0f7c0c6f5a11")
"""Name space of our request ids; never changed, or a retry after an upgrade would be another request."""


def request_id(*parts: str | int) -> str:
    """The id of a request, made from what it does: the same step asked again is the same request."""
    return str(uuid5(_REQUESTS, "\x1f".join(str(part) for part in parts)))


async def ask(service: str, call: Awaitable[Answer]) -> Answer:
    """The answer, or the refusal as it was, or ServiceAway."""
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        raise refusal(error, service) from error


def refusal(error: grpc.aio.AioRpcError, service: str) -> Exception:
    """What a failed call means to the game: a service that cannot work on it now voids no hand, the table waits."""
    meant = refusal_from(error, service)
    if isinstance(meant, RemoteError) and meant.reason in _UNKNOWN_HERE:
        get_log().error("not_let_in", service=service, reason=str(meant.reason))
        return ServiceAway(service)
    if isinstance(meant, DomainError) and meant.reason in _NOT_NOW:
        return ServiceAway(service)
    return meant


@lru_cache(maxsize=256)
def hand_rules_message(rules: HandRules) -> HandRulesMessage:
    """Rules of a hand as a message, made once for each set; it is copied wherever it is put."""
    return to_proto(rules, HandRulesMessage)


@lru_cache(maxsize=256)
def clock_rules_message(rules: ClockRules) -> ClockRulesMessage:
    """Clock rules as a message, made once for each set."""
    return to_proto(rules, ClockRulesMessage)
