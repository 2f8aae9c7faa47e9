"""Refusals that are remembered beside the answers: a repeated request is refused in the same words."""

import json
from typing import Final

from shared.kernel.errors import DomainError, FieldViolation, Reason

_FINAL: Final = frozenset({Reason.FUNDS_INSUFFICIENT})
"""They stay what they are for every request id, so that a late repetition cannot turn into a payment."""
_PASSING: Final = frozenset({Reason.LIMIT_REACHED, Reason.VERSION_CONFLICT, Reason.REQUEST_ID_REUSED})
"""They say nothing about what was asked: the same may be taken the next moment."""


def stays_refused(refusal: DomainError, *, for_good: bool) -> bool:
    """It is the answer to its request id; ``for_good``: whatever the reason, for it is about money or a seat."""
    return refusal.reason in _FINAL or (for_good and refusal.reason not in _PASSING)


def refusal_bytes(refusal: DomainError) -> bytes:
    """A refusal as it is remembered; an earlier release knew no fields that were wrong."""
    wrong = [[each.field, each.description] for each in refusal.violations]
    content = [refusal.reason.value, refusal.message, dict(refusal.metadata)]
    return json.dumps([*content, wrong] if wrong else content).encode()


def refusal_of(content: bytes) -> DomainError:
    """The refusal again."""
    reason, message, metadata, *wrong = json.loads(content)
    violations = tuple(FieldViolation(field, allowed) for field, allowed in (wrong[0] if wrong else ()))
    return DomainError(Reason(reason), message, metadata, violations)
