"""The evaluator's look-up tables as arrays, made from those of the domain, so that both give the same strengths.

An entry of the four tables holds, from bit 40 up, the suit counts as in the domain, and below a sum of one random
number of 32 bits for each card's rank instead of counts by rank. The sums of all rank multisets differ, so that one
look-up in a hash table without collisions gives the strength: slot = (sum + shift of its bucket) modulo the slots.
"""

from dataclasses import dataclass
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from services.evaluator.domain.rank_sets import RANK_COUNT, SET_COUNT
from services.evaluator.domain.strength_tables import FLUSH_STRENGTHS, MULTISET_STRENGTHS, PIECES, RANKS_SHIFT

SUIT_COUNTS_SHIFT: Final = 40
SLOT_BITS: Final = 17
BUCKET_BITS: Final = 14
SLOT_MASK: Final = (1 << SLOT_BITS) - 1
_LOW_16: Final = 0xFFFF
_LOW_32: Final = 0xFFFFFFFF
_COUNT_BITS: Final = 3
_SEED: Final = 7
_TRIES_MAX: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class ArrayTables:
    """All that an array engine looks up."""

    pieces: tuple[NDArray[np.uint64], ...]
    """For each 13 bits of a mask: suit counts above, sum of rank numbers below."""
    shifts: NDArray[np.uint32]
    """By the highest bits of a sum."""
    strengths: NDArray[np.uint32]
    """By slot."""
    flushes: NDArray[np.uint32]
    """By the ranks of one suit, as 13 bits."""


def array_tables() -> ArrayTables:
    """Made in about half a second."""
    rng = Random(_SEED)  # noqa: S311  # numbers that spread, nothing secret
    numbers = [rng.getrandbits(32) for _ in range(RANK_COUNT)]
    sums = {_sum_of(key, numbers): strength for key, strength in MULTISET_STRENGTHS.items()}
    if len(sums) < len(MULTISET_STRENGTHS):
        raise AssertionError("two rank multisets have one sum: choose another seed")
    shifts, strengths = _hashed(sums, rng)
    return ArrayTables(
        pieces=tuple(np.array([_entry(each, numbers) for each in piece], np.uint64) for piece in PIECES),
        shifts=shifts,
        strengths=strengths,
        flushes=np.array([_flush(ranks) for ranks in range(SET_COUNT)], np.uint32),
    )


def _sum_of(key: int, numbers: list[int]) -> int:
    """The sum of a rank multiset, three bits a rank."""
    return sum((key >> _COUNT_BITS * rank & 7) * number for rank, number in enumerate(numbers)) & _LOW_32


def _entry(entry: int, numbers: list[int]) -> int:
    return (entry & _LOW_16) << SUIT_COUNTS_SHIFT | _sum_of(entry >> RANKS_SHIFT, numbers)


def _flush(ranks: int) -> int:
    """Strength of the cards of one suit; 0 where they are too few or more than a hand has."""
    return FLUSH_STRENGTHS.get(sum(1 << 4 * rank for rank in range(RANK_COUNT) if ranks >> rank & 1), 0)


def _hashed(sums: dict[int, int], rng: Random) -> tuple[NDArray[np.uint32], NDArray[np.uint32]]:
    """Buckets, the largest first, each shifted until all its sums fall on free slots."""
    buckets: dict[int, list[int]] = {}
    for each in sums:
        buckets.setdefault(each >> 32 - BUCKET_BITS, []).append(each)
    shifts = np.zeros(1 << BUCKET_BITS, np.uint32)
    strengths = np.zeros(1 << SLOT_BITS, np.uint32)
    free = bytearray(b"\x01" * (1 << SLOT_BITS))
    for bucket, members in sorted(buckets.items(), key=lambda item: -len(item[1])):
        shift, slots = _fitting([each & SLOT_MASK for each in members], free, rng)
        shifts[bucket] = shift
        for each, slot in zip(members, slots, strict=True):
            free[slot] = 0
            strengths[slot] = sums[each]
    return shifts, strengths


def _fitting(low_bits: list[int], free: Any, rng: Random) -> tuple[int, list[int]]:
    for _ in range(_TRIES_MAX):
        shift = rng.getrandbits(SLOT_BITS)
        slots = [(each + shift) & SLOT_MASK for each in low_bits]
        if all(free[slot] for slot in slots) and len(set(slots)) == len(slots):
            return shift, slots
    raise AssertionError("no room for a bucket: choose another seed")
