"""Batches over arrays: tens of millions of hands a second, where numpy is installed (the extra ``evaluator``)."""

from collections.abc import Callable, Sequence
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from services.evaluator.adapters.array_tables import (
    BUCKET_BITS,
    GATHERING,
    SLOT_MASK,
    SUIT_COUNTS_SHIFT,
    ArrayTables,
    array_tables,
)
from services.evaluator.domain.card_checks import check_hand_masks
from services.evaluator.domain.strength_tables import (
    CARDS_LEAST,
    CARDS_MOST,
    FLUSH_FLAGS,
    PIECE_BITS,
    PIECE_MASK,
    SUIT_MASK,
)
from shared.kernel.cards import DECK_SIZE

Masks = NDArray[np.uint64]
_u64, _u32 = np.uint64, np.uint32
_SUITS: Final = 4


class NumpyEngine:
    """The batch engine over arrays."""

    slice_hands = 32_768

    def __init__(self, tables: ArrayTables | None = None) -> None:
        """Look up in these tables, or in some made now."""
        self._tables = tables or array_tables()

    def read_masks(self, masks: bytes) -> Sequence[int]:
        """The hands of a run of 8-byte little-endian masks."""
        return cast("Sequence[int]", np.frombuffer(masks, "<u8").astype(_u64, copy=False))

    def check(self, hands: Sequence[int], field: str, first: int) -> None:
        """See BatchEngine.check."""
        masks = cast("Masks", hands)
        counts = np.bitwise_count(masks)
        if masks.size and (counts.min() < CARDS_LEAST or counts.max() > CARDS_MOST or int(masks.max()) >> DECK_SIZE):
            check_hand_masks(masks.tolist(), field, first)

    def strengths(self, hands: Sequence[int]) -> bytes:
        """The strengths of hands that were checked, 4 bytes each, little endian."""
        return self.values(cast("Masks", hands)).astype("<u4", copy=False).tobytes()

    def values(self, masks: Masks) -> NDArray[np.uint32]:
        """The strengths of hands as an array."""
        first, second, third, fourth = self._tables.pieces
        low = _u64(PIECE_MASK)
        sums = first[masks & low]
        sums += second[masks >> _u64(PIECE_BITS) & low]
        sums += third[masks >> _u64(2 * PIECE_BITS) & low]
        sums += fourth[masks >> _u64(3 * PIECE_BITS)]
        return values_of_sums(self._tables, sums, lambda suited: masks[suited])


def values_of_sums(
    tables: ArrayTables, sums: Masks, masks_of: Callable[[NDArray[np.intp]], Masks]
) -> NDArray[np.uint32]:
    """The strengths of hands whose entries in the tables were added; masks are asked for where there is a flush."""
    ranks = sums.astype(_u32)
    slots = tables.shifts[ranks >> _u32(32 - BUCKET_BITS)]
    slots += ranks
    slots &= _u32(SLOT_MASK)
    values: NDArray[np.uint32] = tables.strengths[slots]
    (suited,) = (sums & _u64(FLUSH_FLAGS << SUIT_COUNTS_SHIFT)).nonzero()
    if suited.size:
        values[suited] = _flushes(tables, masks_of(suited), sums[suited])
    return values


def _flushes(tables: ArrayTables, masks: Masks, sums: Masks) -> NDArray[np.uint32]:
    """Strengths of hands with five or more of a suit."""
    suits = np.zeros(masks.size, _u64)
    for suit in range(1, _SUITS):
        suits[(sums >> _u64(SUIT_COUNTS_SHIFT + 4 * suit + 3) & _u64(1)).astype(bool)] = suit
    ranks = masks >> suits & _u64(SUIT_MASK)
    for shift, kept in GATHERING:
        ranks = (ranks | ranks >> _u64(shift)) & _u64(kept)
    found: Any = tables.flushes[ranks]
    return cast("NDArray[np.uint32]", found)
