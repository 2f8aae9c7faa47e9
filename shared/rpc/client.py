"""Calling a service: the channel with all it needs, and errors turned back into reasons."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, cast

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from shared.kernel.caller import Caller
from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.observability.tracing import current_tracer
from shared.rpc.channel import UNARY_SECONDS, CallingChannel
from shared.rpc.identity import token_of
from shared.rpc.link import Link, PlainLink, Secured, SecuredLink

RESPONSE_BYTES_MAX = 4 * 1024 * 1024
_SERVICE_CONFIG = json.dumps(
    {
        # Every mutating request is idempotent by its request id, so that UNAVAILABLE may be tried again. No `timeout`
        # here: gRPC for Python lets calls expire a second too early with it; deadlines are set call by call.
        "methodConfig": [
            {
                "name": [{}],
                "retryPolicy": {
                    "maxAttempts": 4,
                    "initialBackoff": "0.1s",
                    "maxBackoff": "1s",
                    "backoffMultiplier": 2,
                    "retryableStatusCodes": ["UNAVAILABLE"],
                },
            }
        ],
        "loadBalancingConfig": [{"round_robin": {}}],
        "healthCheckConfig": {"serviceName": ""},  # a replica that says NOT_SERVING gets no more calls
    }
)
_OPTIONS = [
    ("grpc.service_config", _SERVICE_CONFIG),
    ("grpc.enable_retries", 1),
    ("grpc.max_receive_message_length", RESPONSE_BYTES_MAX),
    ("grpc.max_send_message_length", RESPONSE_BYTES_MAX),
    ("grpc.keepalive_time_ms", 2_000),  # a replica that stands still is left alone after four seconds
    ("grpc.keepalive_timeout_ms", 2_000),
    ("grpc.http2.ping_timeout_ms", 2_000),  # without it gRPC waits a minute, whatever the line above says
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2000),
    ("grpc.use_local_subchannel_pool", 1),  # two channels of a process share nothing
]
_OUTAGES = {grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED}
_OF_THE_TRANSPORT = {grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.UNKNOWN}
"""Where they come without a reason of ours: a server with all hands full, or a connection whose headers are garbled."""
_NOT_THE_CALLERS_FAULT = {Reason.INTERNAL, Reason.CALLER_UNKNOWN, Reason.NOT_PERMITTED}


def open_channel(
    target: str, caller: Caller, unary_seconds: float = UNARY_SECONDS, secured: Secured | None = None
) -> CallingChannel:
    """A channel to a service; close it when done. Connects at the first call.

    ``target`` is host:port (all addresses of the name are used) or several IPv4 addresses, commas between.
    Without TLS as this caller; with it as whom the certificate and its tokens name, whatever ``caller`` says.
    """
    target = f"ipv4:{target}" if "," in target else target
    if secured is None:
        plain = PlainLink(lambda: grpc.aio.insecure_channel(target, options=_OPTIONS), token_of(caller))
        return _calling(plain, unary_seconds)
    options = [*_OPTIONS, *([("grpc.ssl_target_name_override", secured.expect)] if secured.expect else [])]
    link = SecuredLink(secured, lambda credentials: grpc.aio.secure_channel(target, credentials, options=options))
    return _calling(link, unary_seconds)


def _calling(link: Link, unary_seconds: float) -> CallingChannel:
    tracer = current_tracer()
    if tracer is None:
        return CallingChannel(link, unary_seconds)
    from shared.rpc.traced import TracedChannel

    return TracedChannel(link, unary_seconds, tracer)


@dataclass
class RemoteError(Exception):
    """What a service answered instead of a response."""

    code: grpc.StatusCode
    reason: Reason | None
    """None where the status carries no reason that we know: the transport failed, or the service is newer."""
    message: str
    metadata: Mapping[str, str] = field(default_factory=dict[str, str])
    violations: tuple[FieldViolation, ...] = ()

    def __str__(self) -> str:
        return f"{self.code.name} {self.reason.name if self.reason else 'without a reason'}: {self.message}"


def unpack_error(error: grpc.aio.AioRpcError) -> RemoteError:
    """Reason, message, metadata and field violations of a failed call."""
    message = error.details() or ""
    info = error_details_pb2.ErrorInfo()
    bad_request = error_details_pb2.BadRequest()
    status: Any = cast("Any", rpc_status).from_call(error)  # it needs only what AioRpcError has
    for detail in status.details if status is not None else ():
        if not detail.Unpack(info):
            detail.Unpack(bad_request)
    reason = Reason.__members__.get(info.reason)
    violations = tuple(FieldViolation(each.field, each.description) for each in bad_request.field_violations)
    return RemoteError(error.code(), reason, message, dict(info.metadata), violations)


def refusal_from(error: grpc.aio.AioRpcError, service: str) -> Exception:
    """What a service of ours raises when a call to another of ours failed.

    A refusal by the rules keeps its reason; an outage becomes DEPENDENCY_UNAVAILABLE naming the service; a fault of
    ours (INTERNAL, no rights, no reason) stays a RemoteError and so ends as INTERNAL.
    """
    remote = unpack_error(error)
    if remote.code in _OUTAGES or (remote.reason is None and remote.code in _OF_THE_TRANSPORT):
        message = f"the service {service} does not answer: ask again with the same request id"
        return DomainError(Reason.DEPENDENCY_UNAVAILABLE, message, {"service": service})
    if remote.reason is None or remote.reason in _NOT_THE_CALLERS_FAULT:
        return remote
    return DomainError(remote.reason, remote.message, remote.metadata, remote.violations)
