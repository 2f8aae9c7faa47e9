"""Counts the decks of closed hands, and looks at the counts again and again."""

from collections.abc import Sequence

from services.dealer.domain.live_watch import (
    CELLS,
    LOOK_EVERY_HANDS,
    NOTHING,
    WINDOW_HANDS,
    CardCounts,
    look_at,
    places_of,
)
from services.dealer.ports import WatchBook, Witness
from shared.kernel.cards import Card
from shared.storage.database import StoreError


class LiveWatch:
    """Between two looks the counts are in memory alone; a look adds them to what is kept."""

    def __init__(self, book: WatchBook, witness: Witness, look_every_hands: int = LOOK_EVERY_HANDS) -> None:
        """Use these."""
        self._book = book
        self._witness = witness
        self._look_every_hands = look_every_hands
        self._hands = 0
        self._cells = [0] * CELLS

    async def count(self, deck: Sequence[Card]) -> None:
        """See DeckWatch.count; looks when it is time."""
        for place in places_of(deck):
            self._cells[place] += 1
        self._hands += 1
        if self._hands >= self._look_every_hands:
            await self.look()

    async def look(self) -> None:
        """Add what was counted to what is kept, and say what the whole looks like."""
        if not self._hands:
            return
        counted = CardCounts(self._hands, tuple(self._cells))
        self._hands, self._cells = 0, [0] * CELLS
        try:
            total = await self._added(counted)
        except StoreError:  # a hand is closed whatever becomes of the count: it is tried again with the next hands
            self._hands += counted.hands
            self._cells = [one + two for one, two in zip(self._cells, counted.cells, strict=True)]
            return
        self._witness.decks_looked_at(look_at(total))

    async def _added(self, counted: CardCounts) -> CardCounts:
        """The sum that is kept from now on; WriteConflict where another process was first."""
        kept = await self._book.read()
        before = NOTHING if kept.counts.hands >= WINDOW_HANDS else kept.counts
        total = before + counted
        await self._book.save(kept.version, total)
        return total
