"""Amounts: integers in the smallest unit that fit into 64 bits, and money with its currency."""

from dataclasses import dataclass
from typing import Final

from shared.kernel.errors import DomainError, FieldViolation, Reason

AMOUNT_MAX: Final = 2**63 - 1
"""The largest amount of anything; a sum above it is refused, never wrapped."""
TABLE_CHIPS_MAX: Final = 10**18
"""The most chips of a cash table, or of a tournament, in all: one player may win them, and begin a hand with them."""

CURRENCY_LETTERS: Final = 3


@dataclass(frozen=True, slots=True)
class Money:
    """An amount of real money; never a float."""

    amount_minor: int
    currency: str


def invalid(field: str, description: str) -> DomainError:
    """A request whose field cannot be meant so."""
    violation = FieldViolation(field, description)
    return DomainError(Reason.REQUEST_INVALID, f"{field}: {description}", {"field": field}, (violation,))


def above_zero(amount: int, field: str) -> int:
    """The amount, if something would move at all."""
    if not 0 < amount <= AMOUNT_MAX:
        raise invalid(field, f"an amount from 1 to {AMOUNT_MAX}, in the smallest unit")
    return amount


def added(first: int, second: int, field: str) -> int:
    """The sum of two amounts that are not negative, refused where 64 bits do not hold it."""
    total = first + second
    if total > AMOUNT_MAX:
        raise invalid(field, f"at most {AMOUNT_MAX - first} more: an account holds at most {AMOUNT_MAX}")
    return total


def times(amount: int, factor: int, field: str) -> int:
    """The product of two amounts that are not negative, refused where 64 bits do not hold it."""
    product = amount * factor
    if product > AMOUNT_MAX:
        raise invalid(field, f"at most {AMOUNT_MAX // max(factor, 1)}: the value must stay within 64 bits")
    return product
