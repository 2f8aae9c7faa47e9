"""Seats of a question: each named once, and only seats that are in it."""

from collections.abc import Sequence

from shared.kernel.errors import DomainError, FieldViolation, Reason


def refuse_seats(field: str, problem: str) -> DomainError:
    """The refusal REQUEST_INVALID for seats that make no sense."""
    return DomainError(
        Reason.REQUEST_INVALID, f"{field}: {problem}", {"field": field}, (FieldViolation(field, problem),)
    )


def check_seats(seats: Sequence[int], field: str) -> None:
    """Refuse a seat that is named twice."""
    if len(set(seats)) < len(seats):
        raise refuse_seats(field, "each seat at most once")


def clockwise_from(seat: int, seats: Sequence[int]) -> tuple[int, ...]:
    """Seats in dealing order, turned round so that they begin with this one."""
    at = seats.index(seat)
    return (*seats[at:], *seats[:at])


def first_at_or_after(seat: int, seats: Sequence[int]) -> int:
    """The seat itself, or the next one clockwise of those in the question."""
    return min(seats, key=lambda other: (other < seat, other))
