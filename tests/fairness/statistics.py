"""The statistics of the fairness plan, and their limits for a false alarm of one in a thousand million each."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, permutations
from math import factorial, sqrt

Shuffle = Callable[[Sequence[int], Iterator[int]], Sequence[int]]
Limits = tuple[float, float]

ORDERS: dict[int, Limits] = {3: (0.0, 52.2), 4: (1.7, 90.9), 5: (47.4, 238.6), 6: (511.0, 975.4)}
CARD_BY_POSITION: Limits = (2184.3, 3066.1)
LARGEST_CELL = 7.27
LARGEST_ORDER = 7.17
DECK = 52


def within(value: float, limits: Limits) -> bool:
    """Neither too far from chance nor too close to it."""
    return limits[0] <= value <= limits[1]


def orders_statistic(orders: Counter[tuple[int, ...]], size: int) -> float:
    """Chi-square over all orders of a few cards."""
    count = sum(orders.values())
    expected = count / factorial(size)
    seen = sum((orders[order] - expected) ** 2 / expected for order in permutations(range(size)))
    assert sum(orders[order] for order in permutations(range(size))) == count
    return seen


def short_deck_statistic(shuffle: Shuffle, size: int, decks: int, source: Iterator[int]) -> float:
    """Chi-square over the orders of a short deck."""
    cards = range(size)
    return orders_statistic(Counter(tuple(shuffle(cards, source)) for _ in range(decks)), size)


class CardsByPosition:
    """How often each card lay at each position, and which of two neighbours in rank came first."""

    def __init__(self) -> None:
        """Start empty."""
        self.decks = 0
        self.cells = [[0] * DECK for _ in range(DECK)]
        self.first = [0] * DECK

    def add(self, deck: Sequence[int]) -> None:
        """Count one deck of the cards 0 to 51."""
        self.decks += 1
        places = [0] * DECK
        for position, card in enumerate(deck):
            self.cells[card][position] += 1
            places[card] = position
        for card, (one, other) in enumerate(pairwise(places)):
            self.first[card] += one < other

    @property
    def statistic(self) -> float:
        """Chi-square with 2601 degrees of freedom, corrected for decks being permutations."""
        mean = self.decks / DECK
        return (DECK - 1) / self.decks * sum((count - mean) ** 2 for row in self.cells for count in row)

    @property
    def largest_cell(self) -> float:
        """The cell furthest from chance, in standard deviations."""
        mean = self.decks / DECK
        spread = sqrt(mean * (1 - 1 / DECK))
        return max(abs(count - mean) / spread for row in self.cells for count in row)

    @property
    def largest_order(self) -> float:
        """The pair of cards whose order is furthest from chance, in standard deviations."""
        half = self.decks / 2
        return max(abs(count - half) / sqrt(self.decks / 4) for count in self.first[:-1])


def cards_by_position(shuffle: Shuffle, decks: int, source: Iterator[int]) -> CardsByPosition:
    """Full decks counted."""
    counted = CardsByPosition()
    cards = range(DECK)
    for _ in range(decks):
        counted.add(shuffle(cards, source))
    return counted
