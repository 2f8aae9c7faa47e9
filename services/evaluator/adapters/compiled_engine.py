"""Batches by machine code: hundreds of millions of hands a second, with numba (the extra ``compiled``)."""

from collections.abc import Sequence
from random import Random
from typing import Final, cast

import numpy as np

from services.evaluator.adapters import compiled_code as code
from services.evaluator.adapters.array_tables import ArrayTables
from services.evaluator.adapters.numpy_engine import Masks
from services.evaluator.domain.card_checks import check_hand_masks
from services.evaluator.domain.strength import strengths_of
from services.evaluator.domain.strength_tables import CARDS_LEAST, CARDS_MOST
from shared.kernel.cards import DECK_SIZE

_TRIED_HANDS: Final = 3_000


def code_tables(tables: ArrayTables) -> code.Tables:
    """The tables as the machine code takes them."""
    return code.Tables(np.stack(tables.pieces), tables.shifts, tables.strengths, tables.flushes)


class CompiledEngine:
    """The batch engine of machine code."""

    slice_hands = 262_144

    def __init__(self, tables: ArrayTables) -> None:
        """Compile, or load what was kept, and try it: a core that values hands wrongly never serves."""
        self._tables = code_tables(tables)
        rng = Random(1)  # noqa: S311 - hands to try, no deck of a game
        tried = [_some_hand(rng) for _ in range(_TRIED_HANDS)]
        masks = self.read_masks(np.array(tried, "<u8").tobytes())
        self.check(masks, "masks", 0)
        if self.strengths(masks) != np.array(strengths_of(tried), "<u4").tobytes():
            raise AssertionError("the compiled core gives other strengths than the tables: delete what numba kept")

    def read_masks(self, masks: bytes) -> Sequence[int]:
        """The hands of a run of 8-byte little-endian masks."""
        return cast("Sequence[int]", np.frombuffer(masks, "<u8").astype(np.uint64, copy=False))

    def check(self, hands: Sequence[int], field: str, first: int) -> None:
        """See BatchEngine.check."""
        masks = cast("Masks", hands)
        if not code.all_are_hands(masks):
            check_hand_masks(masks.tolist(), field, first)

    def strengths(self, hands: Sequence[int]) -> bytes:
        """The strengths of hands that were checked, 4 bytes each, little endian."""
        masks = cast("Masks", hands)
        values = np.empty(masks.size, np.uint32)
        code.value_hands(masks, values, self._tables)
        return values.astype("<u4", copy=False).tobytes()


def _some_hand(rng: Random) -> int:
    cards = rng.sample(range(DECK_SIZE), rng.randint(CARDS_LEAST, CARDS_MOST))
    return sum(1 << card for card in cards)
