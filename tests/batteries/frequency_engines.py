"""Every hand through a batch engine, as packed masks: the same count as of plain Python, hand by hand in portions."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Final

import numpy as np
from numpy.typing import NDArray

from services.evaluator.ports.batch_engine import BatchEngine

LOW: Final = 3
LOW_MASKS: Final = np.array(
    [1 << c | 1 << b | 1 << a for c in range(2, 52) for b in range(1, c) for a in range(b)], "<u8"
)
PORTION_HANDS: Final = 2_000_000
Masks = NDArray[np.uint64]


def portions(cards: int) -> Iterator[Masks]:
    """Every hand of so many cards once: its higher cards one by one, its three lowest from a list."""
    parts: list[Masks] = []
    size = 0
    for high in combinations(range(51, LOW - 1, -1), cards - LOW):
        head = np.uint64(sum(1 << place for place in high))
        parts.append(LOW_MASKS[: comb(high[-1], LOW)] | head)
        size += parts[-1].size
        if size > PORTION_HANDS:
            yield np.concatenate(parts)
            parts, size = [], 0
    yield np.concatenate(parts)


def strengths_by(engine: BatchEngine, masks: Masks) -> NDArray[np.uint32]:
    """What these hands are worth by an engine, asked as EvaluateBatch asks it, but for the size of a slice."""
    hands = engine.read_masks(masks.tobytes())
    engine.check(hands, "masks", 0)
    return np.frombuffer(engine.strengths(hands), "<u4")


def count_by(engine: BatchEngine, cards: int) -> Counter[int]:
    """How often each strength occurs among all hands of so many cards."""
    found: Counter[int] = Counter()
    for masks in portions(cards):
        strengths, counts = np.unique(strengths_by(engine, masks), return_counts=True)
        found.update(dict(zip(strengths.tolist(), counts.tolist(), strict=True)))
    return found
