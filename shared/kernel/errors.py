"""Refusals: one error type with a reason from a closed list, the same list as in the contract.

A rule that refuses raises :class:`DomainError`; the edge of the service turns it into a status with one ErrorInfo. The
message says what was wrong, what is allowed and how to mend it, and never holds a card, a key or a token.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Reason(StrEnum):
    """Why a request was refused; the names of ``sevenstud.common.v1.ErrorReason`` without its prefix."""

    REQUEST_INVALID = "REQUEST_INVALID"
    RULES_INVALID = "RULES_INVALID"
    CARDS_INVALID = "CARDS_INVALID"
    REQUEST_ID_REUSED = "REQUEST_ID_REUSED"
    CALLER_UNKNOWN = "CALLER_UNKNOWN"
    NOT_PERMITTED = "NOT_PERMITTED"
    NOT_FOUND = "NOT_FOUND"
    ALREADY_EXISTS = "ALREADY_EXISTS"
    VERSION_CONFLICT = "VERSION_CONFLICT"
    STALE_TURN = "STALE_TURN"
    NOT_YOUR_TURN = "NOT_YOUR_TURN"
    ACTION_NOT_LEGAL = "ACTION_NOT_LEGAL"
    AMOUNT_NOT_LEGAL = "AMOUNT_NOT_LEGAL"
    OUT_OF_STEP = "OUT_OF_STEP"
    HAND_IN_PROGRESS = "HAND_IN_PROGRESS"
    NO_HAND = "NO_HAND"
    TABLE_FULL = "TABLE_FULL"
    SEAT_TAKEN = "SEAT_TAKEN"
    ALREADY_SEATED = "ALREADY_SEATED"
    NOT_SEATED = "NOT_SEATED"
    TABLE_CLOSED = "TABLE_CLOSED"
    TABLE_NOT_PAUSED = "TABLE_NOT_PAUSED"
    BUY_IN_NOT_ALLOWED = "BUY_IN_NOT_ALLOWED"
    FUNDS_INSUFFICIENT = "FUNDS_INSUFFICIENT"
    SPEND_CAP_REACHED = "SPEND_CAP_REACHED"
    CURRENCY_MISMATCH = "CURRENCY_MISMATCH"
    ACCOUNT_CLOSED = "ACCOUNT_CLOSED"
    HOLD_RESOLVED = "HOLD_RESOLVED"
    TOURNAMENT_STATE = "TOURNAMENT_STATE"
    REGISTRATION_CLOSED = "REGISTRATION_CLOSED"
    TOURNAMENT_FULL = "TOURNAMENT_FULL"
    ALREADY_REGISTERED = "ALREADY_REGISTERED"
    NOT_REGISTERED = "NOT_REGISTERED"
    REBUY_NOT_ALLOWED = "REBUY_NOT_ALLOWED"
    ADD_ON_NOT_ALLOWED = "ADD_ON_NOT_ALLOWED"
    DEAL_NOT_ALLOWED = "DEAL_NOT_ALLOWED"
    SCRIPTED_DECKS_REFUSED = "SCRIPTED_DECKS_REFUSED"
    CHIPS_NOT_CONSERVED = "CHIPS_NOT_CONSERVED"
    LIMIT_REACHED = "LIMIT_REACHED"
    PAGE_TOKEN_INVALID = "PAGE_TOKEN_INVALID"
    CURSOR_OUT_OF_RANGE = "CURSOR_OUT_OF_RANGE"
    DEPENDENCY_UNAVAILABLE = "DEPENDENCY_UNAVAILABLE"
    DRAINING = "DRAINING"
    INTERNAL = "INTERNAL"
    DEADLINE_PASSED = "DEADLINE_PASSED"
    RE_ENTRY_NOT_ALLOWED = "RE_ENTRY_NOT_ALLOWED"


@dataclass(frozen=True, slots=True)
class FieldViolation:
    """One field that is wrong: its path in the request, and what is allowed there."""

    field: str
    description: str


class DomainError(Exception):
    """A refusal: nothing was changed, and the caller can know why."""

    def __init__(
        self,
        reason: Reason,
        message: str,
        metadata: Mapping[str, str] | None = None,
        violations: tuple[FieldViolation, ...] = (),
    ) -> None:
        """Keep the reason, the sentence for people, the metadata keys of the reason, and the fields that are wrong."""
        super().__init__(message)
        self.reason = reason
        self.message = message
        self.metadata: Mapping[str, str] = dict(metadata or {})
        self.violations = violations


def not_found(kind: str, name: str, where: str = "") -> DomainError:
    """What the request names does not exist; ``where`` says which call lists what there is, or makes it."""
    message = f"there is no {kind} {name}: {where}" if where else f"there is no {kind} {name}"
    return DomainError(Reason.NOT_FOUND, message, {"kind": kind, "id": name})


def out_of_step(step: str, expected: str) -> DomainError:
    """The step asked for does not follow from the state reached."""
    message = f"{step} does not follow here: expected {expected}"
    return DomainError(Reason.OUT_OF_STEP, message, {"step": step, "expected": expected})
