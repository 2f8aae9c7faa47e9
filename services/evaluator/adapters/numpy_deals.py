"""Deals played out over arrays: which cards each hand gets, what it is worth then, and who wins.

A deal is a column of places: for each card drawn the place in the deck that it is changed for (`drawn_deals`).
"""

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from services.evaluator.adapters.array_tables import ArrayTables
from services.evaluator.adapters.numpy_engine import values_of_sums
from services.evaluator.domain.equity_question import Layout
from services.evaluator.domain.equity_tally import Tally, tally_of

Places = NDArray[np.uint8]
Values = NDArray[np.uint32]
_u64 = np.uint64


class ArrayDeals:
    """The deals of one question."""

    def __init__(self, tables: ArrayTables, layout: Layout) -> None:
        """Play with these tables and cards."""
        self._tables = tables
        self._layout = layout
        self._bits = np.array(layout.deck, _u64)
        cards = [card.bit_length() - 1 for card in layout.deck]
        self._entries = tables.cards[cards]
        self._known = tuple((_u64(known), _u64(tables.sum_of(known))) for known in layout.known)

    def count(self, places: Places) -> Tally:
        """Play these deals out."""
        return _tally(self._values(_cards(places)))

    def _values(self, cards: Places) -> Values:
        """What each hand is worth in each deal."""
        values = np.empty((len(self._known), cards.shape[1]), np.uint32)
        starts = self._layout.starts
        shared = cards[starts[-2] :]
        for hand, (start, end) in enumerate(pairwise(starts[:-1])):
            values[hand] = self._values_of(hand, [*cards[start:end], *shared])
        return values

    def _values_of(self, hand: int, drawn: list[Places]) -> Values:
        """What one hand is worth; one value for all deals where it gets no card."""
        mask, known = self._known[hand]
        sums = np.full(drawn[0].size if drawn else 1, known)
        for each in drawn:
            sums += self._entries[each]

        def masks_of(suited: NDArray[np.intp]) -> NDArray[np.uint64]:
            masks = np.full(suited.size, mask)
            for each in drawn:
                masks |= self._bits[each[suited]]
            return masks

        return values_of_sums(self._tables, sums, masks_of)


def _cards(places: Places) -> Places:
    """The cards drawn, as places in the deck in its order: each change of places is followed back to the first."""
    cards = places.copy()
    moved = np.empty(places.shape[1], np.bool_)
    for place in range(1, len(places)):
        for before in range(place - 1, -1, -1):
            np.equal(cards[place], places[before], out=moved)
            np.copyto(cards[place], before, where=moved)
    return cards


def _tally(values: Values) -> Tally:
    """Who won each deal, and beside how many others."""
    won = values == values.max(axis=0)
    winners: Any = won.view(np.uint8).sum(axis=0, dtype=np.uint8)
    alone = winners == 1
    counts = np.zeros((len(values), len(values)), np.int64)
    for hand, deals in enumerate(won):
        counts[hand, 0] = np.count_nonzero(deals & alone)
    (tied,) = (~alone).nonzero()
    won, winners = won[:, tied], winners[tied]
    for others in range(1, len(values)):
        counts[:, others] = (won & (winners == others + 1)).sum(axis=1)
    return tally_of(values.shape[1], counts.tolist())
