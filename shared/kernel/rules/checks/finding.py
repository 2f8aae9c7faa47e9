"""A check is a row: whether the rules break it, the field that is to blame, and what is allowed."""

from collections.abc import Hashable, Iterable, Sequence
from itertools import pairwise

from shared.kernel.errors import FieldViolation

Row = tuple[bool, str, str]


def violations(path: str, rows: Iterable[Row]) -> tuple[FieldViolation, ...]:
    """The rows that are broken, each with the path of its field."""
    return tuple(FieldViolation(f"{path}.{field}", description) for broken, field, description in rows if broken)


def has_doubles(items: Sequence[Hashable]) -> bool:
    """Whether a list names something twice."""
    return len(set(items)) < len(items)


def rises(numbers: Sequence[int]) -> bool:
    """Whether each number is larger than the one before."""
    return all(earlier < later for earlier, later in pairwise(numbers))


def falls_or_stays(numbers: Sequence[int]) -> bool:
    """Whether no number is larger than the one before."""
    return all(earlier >= later for earlier, later in pairwise(numbers))
