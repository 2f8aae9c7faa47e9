"""The live watch: do the cards of the decks that were really played lie where chance puts them?

Counted are the whole decks of closed hands, by card and position, so that nothing that players do with their cards can
shift a count. A deck that was voided is not counted: a house that voids what it does not like shows here too. The
limits raise a false alarm once in a thousand million looks (trust: live watch; every day, on real hands).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log, sqrt

from shared.kernel.cards import DECK_SIZE, Card

CELLS = DECK_SIZE * DECK_SIZE
LOOK_EVERY_HANDS = 1_000
"""Hands between two looks: figures of fewer hands could give a hidden card of one of them away."""
WINDOW_HANDS = 1_000_000
"""After so many hands the count begins anew, so that years of fair hands do not hide a fault of this week."""
FALSE_ALARM = 1e-9
STATISTIC_LEAST, STATISTIC_MOST = 2184.3, 3066.1
"""Chi-square with 2601 degrees of freedom, half of the false alarms on either side."""
DEVIATIONS_MOST = sqrt(2 * log(2 * CELLS / FALSE_ALARM))
"""Of one cell among 2,704, up or down, by Chernoff's bound: it holds for any number of hands."""


@dataclass(frozen=True, slots=True)
class CardCounts:
    """How often each card lay at each position."""

    hands: int
    cells: tuple[int, ...]
    """Position by position, in each the 52 cards."""

    def __add__(self, other: "CardCounts") -> "CardCounts":
        """Both counts together."""
        cells = tuple(one + two for one, two in zip(self.cells, other.cells, strict=True))
        return CardCounts(self.hands + other.hands, cells)


NOTHING = CardCounts(0, (0,) * CELLS)


class Figure(StrEnum):
    """What is looked at."""

    CARD_BY_POSITION = "card_by_position"
    FURTHEST_CELL = "furthest_cell"


@dataclass(frozen=True, slots=True)
class Look:
    """One look at the counts."""

    hands: int
    statistic: float
    """Card by position: chi-square with 2601 degrees of freedom, corrected for decks being permutations."""
    deviations: float
    """Of the cell that is furthest from chance."""

    @property
    def alarms(self) -> tuple[Figure, ...]:
        """The figures that are not chance."""
        fits = STATISTIC_LEAST <= self.statistic <= STATISTIC_MOST
        near = self.deviations <= DEVIATIONS_MOST
        return (() if fits else (Figure.CARD_BY_POSITION,)) + (() if near else (Figure.FURTHEST_CELL,))


def look_at(counts: CardCounts) -> Look:
    """The figures of counts of one hand or more."""
    mean = counts.hands / DECK_SIZE
    spread = sum((count - mean) ** 2 for count in counts.cells)
    furthest = max(_deviations(count, counts.hands) for count in (min(counts.cells), max(counts.cells)))
    return Look(counts.hands, (DECK_SIZE - 1) / counts.hands * spread, furthest)


def _deviations(count: int, hands: int) -> float:
    """How far a cell is from chance, as the tail of the binomial has it: near the mean, standard deviations."""
    share, chance = count / hands, 1 / DECK_SIZE
    own = count * log(share / chance) if count else 0.0
    others = (hands - count) * log((1 - share) / (1 - chance)) if count < hands else 0.0
    return sqrt(max(0.0, 2 * (own + others)))


def places_of(cards: Sequence[Card]) -> tuple[int, ...]:
    """The cells that a deck counts in."""
    return tuple(position * DECK_SIZE + card - 1 for position, card in enumerate(cards))
