"""The one place where a refusal becomes a status of the wire: code, message, and exactly one ErrorInfo.

A DomainError says what it says. A store that cannot write is UNAVAILABLE. Anything else is a fault of ours: INTERNAL
with a correlation id, its text in the log only.
"""

from dataclasses import dataclass
from typing import Any, cast

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status

from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.storage.database import StoreBroken, StoreUnavailable, StoreUnclear, WriteConflict

MESSAGE_CHARACTERS_MAX = 1000
VIOLATIONS_MAX = 20
FIELDS_CHARACTERS_MAX = 1000
MESSAGE_WIRE_BYTES_MAX = 1200
STATUS_BYTES_MAX = 4200
"""With the message, in base64 and in one header each, below the 8 KiB of headers that gRPC clients take unasked; with
more, the caller would be told RESOURCE_EXHAUSTED by its own library instead of what is wrong."""
_DESCRIPTION_CHARACTERS = (200, 80)
DOMAIN_PREFIX = "sevenstud."
_RETRY_SECONDS = 1

_Code = grpc.StatusCode
_OTHER_THAN_FAILED_PRECONDITION = {
    Reason.REQUEST_INVALID: _Code.INVALID_ARGUMENT,
    Reason.RULES_INVALID: _Code.INVALID_ARGUMENT,
    Reason.CARDS_INVALID: _Code.INVALID_ARGUMENT,
    Reason.REQUEST_ID_REUSED: _Code.ALREADY_EXISTS,
    Reason.CALLER_UNKNOWN: _Code.UNAUTHENTICATED,
    Reason.NOT_PERMITTED: _Code.PERMISSION_DENIED,
    Reason.NOT_FOUND: _Code.NOT_FOUND,
    Reason.ALREADY_EXISTS: _Code.ALREADY_EXISTS,
    Reason.VERSION_CONFLICT: _Code.ABORTED,
    Reason.LIMIT_REACHED: _Code.RESOURCE_EXHAUSTED,
    Reason.PAGE_TOKEN_INVALID: _Code.INVALID_ARGUMENT,
    Reason.CURSOR_OUT_OF_RANGE: _Code.OUT_OF_RANGE,
    Reason.DEPENDENCY_UNAVAILABLE: _Code.UNAVAILABLE,
    Reason.DRAINING: _Code.UNAVAILABLE,
    Reason.INTERNAL: _Code.INTERNAL,
    Reason.DEADLINE_PASSED: _Code.DEADLINE_EXCEEDED,
}


def code_of(reason: Reason) -> grpc.StatusCode:
    """The status code that a reason stands under, as its comment in the contract says."""
    return _OTHER_THAN_FAILED_PRECONDITION.get(reason, _Code.FAILED_PRECONDITION)


@dataclass(frozen=True, slots=True)
class Refusal:
    """What goes back to the caller instead of a response."""

    code: grpc.StatusCode
    reason: Reason
    message: str
    trailer: tuple[tuple[str, str | bytes], ...]
    """The google.rpc.Status, serialised into the metadata that ends the call."""


def as_domain_error(error: BaseException, correlation_id: str) -> DomainError:
    """The refusal that an exception stands for; INTERNAL for everything that nobody foresaw."""
    if isinstance(error, DomainError):
        return error
    if isinstance(error, StoreUnavailable | StoreUnclear | StoreBroken):
        message = "the storage does not answer now: ask again with the same request id"
        return DomainError(Reason.DEPENDENCY_UNAVAILABLE, message, {"service": "storage"})
    if isinstance(error, WriteConflict):
        message = "something else was changed first: read again and decide anew"
        return DomainError(Reason.VERSION_CONFLICT, message, {"expected": "unchanged", "current": "changed"})
    message = f"a fault of the service, logged as {correlation_id}: ask again, or report it with this id"
    return DomainError(Reason.INTERNAL, message, {"correlation_id": correlation_id})


def refusal_of(error: DomainError, service: str) -> Refusal:
    """The status of a refusal by one of our services."""
    code = code_of(error.reason)
    message = _fitting(error.message)
    status = _status(error, service, message)
    trailer = cast("Any", rpc_status).to_status(status).trailing_metadata
    return Refusal(code, error.reason, message, tuple((key, value) for key, value in trailer))


def _fitting(message: str) -> str:
    """As much of a message as a header may hold; what is not plain ASCII takes three bytes for each of its bytes."""
    message = message[:MESSAGE_CHARACTERS_MAX]
    while _wire_bytes(message) > MESSAGE_WIRE_BYTES_MAX:
        message = message[: len(message) * 9 // 10]
    return message


def _wire_bytes(message: str) -> int:
    return sum(1 if " " <= each <= "~" else 3 * len(each.encode()) for each in message)


def _status(error: DomainError, service: str, message: str) -> status_pb2.Status:
    """With all that is wrong, or as much as fits: descriptions are shortened first, then the last ones left out."""
    number: int = code_of(error.reason).value[0]
    violations, shorter = error.violations[:VIOLATIONS_MAX], list(_DESCRIPTION_CHARACTERS)
    while True:
        status = status_pb2.Status(code=number, message=message, details=_details(error, service, violations))
        if status.ByteSize() <= STATUS_BYTES_MAX or not (shorter or violations[1:]):
            return status
        if shorter:
            most = shorter.pop(0)
            violations = tuple(FieldViolation(each.field, _cut(each.description, most)) for each in violations)
        else:
            violations = violations[:-1]


def _cut(text: str, characters: int) -> str:
    return text if len(text) <= characters else f"{text[: characters - 3]}..."


def _details(error: DomainError, service: str, violations: tuple[FieldViolation, ...]) -> list[AnyMessage]:
    metadata = {name: _cut(value, FIELDS_CHARACTERS_MAX) for name, value in _metadata(error).items()}
    info = error_details_pb2.ErrorInfo(reason=error.reason.name, domain=DOMAIN_PREFIX + service, metadata=metadata)
    details: list[Message] = [info]
    if violations:
        details.append(
            error_details_pb2.BadRequest(
                field_violations=[
                    error_details_pb2.BadRequest.FieldViolation(field=each.field, description=each.description)
                    for each in violations
                ]
            )
        )
    if error.reason is Reason.LIMIT_REACHED:
        details.append(error_details_pb2.RetryInfo(retry_delay=Duration(seconds=_RETRY_SECONDS)))
    return [_packed(detail) for detail in details]


def _metadata(error: DomainError) -> dict[str, str]:
    """The keys of the reason and the paths of all wrong fields, for callers that read only these.

    One path that stands under ``field`` is not repeated. A list that would be too long for a header ends with the last
    path that fits; BadRequest has them all.
    """
    metadata = dict(error.metadata)
    paths = list(dict.fromkeys(each.field for each in error.violations[:VIOLATIONS_MAX]))
    if len(paths) > 1 or (paths and "field" not in metadata):
        while len(paths) > 1 and len(",".join(paths)) > FIELDS_CHARACTERS_MAX:
            paths.pop()
        metadata["fields"] = ",".join(paths)
    return metadata


def _packed(detail: Message) -> AnyMessage:
    packed: Any = AnyMessage()
    packed.Pack(detail)
    return cast("AnyMessage", packed)
