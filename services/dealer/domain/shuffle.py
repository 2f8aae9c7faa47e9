"""The one shuffle of the house, for decks, reshuffles and lots (rule 3): Fisher-Yates over a stream of bytes.

An index below n takes the fewest bytes that can hold n values. They are read as one number and divided into n buckets
of equal size; a number beyond the last bucket is thrown away and the next bytes are taken. So every index has exactly
as many numbers as every other: there is no remainder and no bias.
"""

from collections.abc import Iterator, Sequence
from typing import TypeVar

SHUFFLE_VERSION = "sevenstud-fisher-yates-1"
BYTE_VALUES = 256

T = TypeVar("T")


def bucket_of(number: int, bound: int, span: int) -> int | None:
    """The index below ``bound`` that a number below ``span`` means, or None where it must be thrown away."""
    index = number // (span // bound)
    return index if index < bound else None


def index_below(bound: int, source: Iterator[int]) -> int:
    """The next unbiased index from 0 to ``bound`` - 1."""
    while True:
        number, span = next(source), BYTE_VALUES
        while span < bound:
            number, span = number * BYTE_VALUES + next(source), span * BYTE_VALUES
        index = bucket_of(number, bound, span)
        if index is not None:
            return index


def shuffle(items: Sequence[T], source: Iterator[int]) -> tuple[T, ...]:
    """The items in random order: from the last place to the second, each swaps with a place up to its own."""
    order = list(items)
    for last in range(len(order) - 1, 0, -1):
        chosen = index_below(last + 1, source)
        order[last], order[chosen] = order[chosen], order[last]
    return tuple(order)
