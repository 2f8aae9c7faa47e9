"""Batches in plain Python: some two million hands a second, nothing to install."""

import sys
from array import array
from collections.abc import Sequence

from services.evaluator.domain.card_checks import check_hand_masks
from services.evaluator.domain.strength import strengths_of


class PlainEngine:
    """The batch engine that is always there."""

    slice_hands = 4_000

    def read_masks(self, masks: bytes) -> Sequence[int]:
        """The hands of a run of 8-byte little-endian masks."""
        return _little_endian(array("Q", masks))

    def check(self, hands: Sequence[int], field: str, first: int) -> None:
        """See BatchEngine.check."""
        check_hand_masks(hands, field, first)

    def strengths(self, hands: Sequence[int]) -> bytes:
        """The strengths of hands that were checked, 4 bytes each, little endian."""
        return _little_endian(array("I", strengths_of(hands))).tobytes()


def _little_endian(numbers: "array[int]") -> "array[int]":
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
