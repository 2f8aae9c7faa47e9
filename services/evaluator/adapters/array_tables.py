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
from services.evaluator.domain.strength_tables import (
    FLUSH_STRENGTHS,
    MULTISET_STRENGTHS,
    PIECE_BITS,
    PIECE_MASK,
    PIECES,
    RANKS_SHIFT,
)
from shared.kernel.cards import DECK_SIZE

SUIT_COUNTS_SHIFT: Final = 40
SLOT_BITS: Final = 17
BUCKET_BITS: Final = 14
SLOT_MASK: Final = (1 << SLOT_BITS) - 1
GATHERING: Final = (
    (3, 0x03_0303_0303_0303),
    (6, 0x0F_000F_000F_000F),
    (12, 0xFF_0000_00FF),
    (24, 0xFFFF),
)
"""Shifts and masks that move every fourth bit, from bit 0 up, together: the ranks of one suit as 13 bits."""
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

    @property
    def cards(self) -> NDArray[np.uint64]:
        """What each card of the deck adds to the sum of a hand."""
        places = (divmod(card, PIECE_BITS) for card in range(DECK_SIZE))
        return np.array([self.pieces[piece][1 << bit] - self.pieces[piece][0] for piece, bit in places], np.uint64)

    def sum_of(self, mask: int) -> int:
        """The sum of some cards, which need be no hand."""
        pieces = (int(self.pieces[piece][mask >> piece * PIECE_BITS & PIECE_MASK]) for piece in range(len(self.pieces)))
        return sum(pieces)


def array_tables() -> ArrayTables:
    """Made in about a third of a second."""
    rng = Random(_SEED)  # noqa: S311  # numbers that spread, nothing secret
    numbers = [rng.getrandbits(32) for _ in range(RANK_COUNT)]
    keys = np.fromiter(MULTISET_STRENGTHS, np.uint64, len(MULTISET_STRENGTHS))
    sums = dict(zip(_sums_of(keys, numbers).tolist(), MULTISET_STRENGTHS.values(), strict=True))
    if len(sums) < len(MULTISET_STRENGTHS):
        raise AssertionError("two rank multisets have one sum: choose another seed")
    shifts, strengths = _hashed(sums, rng)
    return ArrayTables(
        pieces=tuple(_entries(np.array(piece, np.uint64), numbers) for piece in PIECES),
        shifts=shifts,
        strengths=strengths,
        flushes=np.array([_flush(ranks) for ranks in range(SET_COUNT)], np.uint32),
    )


def _sums_of(keys: NDArray[np.uint64], numbers: list[int]) -> NDArray[np.uint64]:
    """The sums of rank multisets, three bits a rank."""
    sums = np.zeros(keys.size, np.uint64)
    for rank, number in enumerate(numbers):
        sums += (keys >> np.uint64(_COUNT_BITS * rank) & np.uint64(7)) * np.uint64(number)
    return sums & np.uint64(_LOW_32)


def _entries(entries: NDArray[np.uint64], numbers: list[int]) -> NDArray[np.uint64]:
    counts = (entries & np.uint64(_LOW_16)) << np.uint64(SUIT_COUNTS_SHIFT)
    return counts | _sums_of(entries >> np.uint64(RANKS_SHIFT), numbers)


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
