"""The statistics of the fairness plan, over decks of the cards 0 to 51."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import permutations
from math import factorial

import numpy as np
import numpy.typing as npt

Shuffle = Callable[[Sequence[int], Iterator[int]], Sequence[int]]
Decks = npt.NDArray[np.uint8]
"""One row a deck, position 0 first."""
DECK = 52


def chi_square_of(counts: npt.NDArray[np.int64], shares: npt.NDArray[np.float64] | float) -> float:
    """Pearson's statistic of counts against the shares that are expected of them."""
    expected = counts.sum() * shares
    return float(((counts - expected) ** 2 / expected).sum())


def orders_statistic(orders: Mapping[tuple[int, ...], int], size: int) -> float:
    """Chi-square over all orders of a few cards, with size! - 1 degrees of freedom."""
    counts = np.array([orders.get(order, 0) for order in permutations(range(size))], dtype=np.int64)
    assert counts.sum() == sum(orders.values())
    return chi_square_of(counts, 1 / factorial(size))


def orders_of(shuffle: Shuffle, size: int, decks: int, source: Iterator[int]) -> Counter[tuple[int, ...]]:
    """How often each order of a short deck came."""
    cards = range(size)
    return Counter(tuple(shuffle(cards, source)) for _ in range(decks))


def decks_of(shuffle: Shuffle, decks: int, source: Iterator[int]) -> Decks:
    """Whole decks of a shuffle."""
    cards = range(DECK)
    return np.frombuffer(b"".join(bytes(shuffle(cards, source)) for _ in range(decks)), np.uint8).reshape(-1, DECK)


class CardsByPosition:
    """How often each card lay at each position, and which of two cards came first; portions may be added."""

    def __init__(self) -> None:
        """Start empty."""
        self.decks = 0
        self.cells = np.zeros((DECK, DECK), np.int64)
        """By position and card."""
        self.before = np.zeros((DECK, DECK), np.int64)

    def add(self, decks: Decks) -> None:
        """Count some decks."""
        self.decks += len(decks)
        for position in range(DECK):
            self.cells[position] += np.bincount(decks[:, position], minlength=DECK)
        places = np.argsort(decks, axis=1).astype(np.uint8)
        for card in range(DECK):
            self.before[card] += (places[:, card : card + 1] < places).sum(axis=0)

    @property
    def statistic(self) -> float:
        """Chi-square with 2601 degrees of freedom, corrected for decks being permutations."""
        return float((DECK - 1) / self.decks * ((self.cells - self.decks / DECK) ** 2).sum())

    @property
    def largest_cell(self) -> float:
        """The cell furthest from chance, in standard deviations."""
        mean = self.decks / DECK
        return float(np.abs(self.cells - mean).max() / np.sqrt(mean * (1 - 1 / DECK)))

    @property
    def largest_order(self) -> float:
        """The pair of cards whose order is furthest from chance, in standard deviations."""
        pairs = self.before[np.triu_indices(DECK, 1)]
        return float(np.abs(pairs - self.decks / 2).max() / np.sqrt(self.decks / 4))


def pairs_statistic(first: npt.NDArray[np.uint8], second: npt.NDArray[np.uint8], *, same: bool) -> float:
    """Chi-square over pairs of two cards, in order; ``same``: a pair of two equal cards is possible."""
    table = np.bincount(first.astype(np.int64) * DECK + second, minlength=DECK * DECK)
    possible = np.ones(DECK * DECK, bool) if same else ~np.eye(DECK, dtype=bool).ravel()
    assert table[~possible].sum() == 0
    return chi_square_of(table[possible], 1 / int(possible.sum()))


def unordered_pairs_statistic(first: npt.NDArray[np.uint8], second: npt.NDArray[np.uint8]) -> float:
    """Chi-square over pairs of two different cards in any order, with 1325 degrees of freedom."""
    low, high = np.minimum(first, second).astype(np.int64), np.maximum(first, second)
    table = np.bincount(low * DECK + high, minlength=DECK * DECK).reshape(DECK, DECK)
    return chi_square_of(table[np.triu_indices(DECK, 1)], 1 / 1326)
