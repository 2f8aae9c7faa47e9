"""Refusals that say nothing about what was asked: the same may be taken the next moment."""

from typing import Final

from shared.kernel.errors import DomainError, Reason

_PASSING: Final = {
    Reason.LIMIT_REACHED,
    Reason.DEPENDENCY_UNAVAILABLE,
    Reason.DEADLINE_PASSED,
    Reason.DRAINING,
    Reason.INTERNAL,
    Reason.VERSION_CONFLICT,
}


def is_refused(fault: Exception) -> bool:
    """Asking again would get the same answer."""
    return isinstance(fault, DomainError) and fault.reason not in _PASSING


def stays_refused(refusal: DomainError) -> bool:
    """It is the answer to this request; an id that belongs to another one has that one's answer."""
    return is_refused(refusal) and refusal.reason is not Reason.REQUEST_ID_REUSED
