"""Where the strengths of many hands come from."""

from collections.abc import Sequence
from typing import Protocol


class BatchEngine(Protocol):
    """Values many hands at once. Plain Python, arrays or a compiled core: all give the same strengths."""

    slice_hands: int
    """Hands that take it about two milliseconds; callers give it no more at a time."""

    def read_masks(self, masks: bytes) -> Sequence[int]:
        """The hands of a run of 8-byte little-endian masks."""
        ...

    def check(self, hands: Sequence[int], field: str, first: int) -> None:
        """Refuse the first mask that is no hand of five to seven cards; places count from ``first``."""
        ...

    def strengths(self, hands: Sequence[int]) -> bytes:
        """The strengths of hands that were checked, 4 bytes each, little endian."""
        ...
