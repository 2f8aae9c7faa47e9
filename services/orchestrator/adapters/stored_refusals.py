"""Refusals that are remembered beside the answers: a repeated request is refused in the same words."""

from typing import Final

from sevenstud.common.v1.error_reason_pb2 import ErrorReason
from sevenstud.orchestrator.stored.v1.table_row_pb2 import Refusal

from shared.kernel.errors import DomainError, FieldViolation, Reason

_REFUSED: Final = b"\x00"
"""No answer begins with it: neither a message nor a number in digits."""
_PREFIX: Final = "ERROR_REASON_"


def refusal_bytes(refusal: DomainError) -> bytes:
    """A refusal as it is remembered."""
    message = Refusal(
        reason=ErrorReason.Value(_PREFIX + refusal.reason.name),
        message=refusal.message,
        keys=[Refusal.Key(name=name, value=value) for name, value in sorted(refusal.metadata.items())],
        violations=[Refusal.Violation(field=each.field, allowed=each.description) for each in refusal.violations],
    )
    return _REFUSED + message.SerializeToString()


def unless_refused(answer: bytes) -> bytes:
    """The answer that is remembered; raises the refusal where it is one."""
    if not answer.startswith(_REFUSED):
        return answer
    message = Refusal.FromString(answer[len(_REFUSED) :])
    raise DomainError(
        Reason[ErrorReason.Name(message.reason).removeprefix(_PREFIX)],
        message.message,
        {each.name: each.value for each in message.keys},
        tuple(FieldViolation(each.field, each.allowed) for each in message.violations),
    )
