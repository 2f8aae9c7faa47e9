"""Who gets the chip that cannot be split: winners in the order in which odd chips are given (rules 123-127)."""

from collections.abc import Sequence
from typing import Protocol

from shared.kernel.cards import Card
from shared.kernel.rules import OddChip


class Winner(Protocol):
    """What the order of odd chips needs to know of a winning hand."""

    @property
    def seat(self) -> int:
        """Seat number."""
        ...

    @property
    def best_five(self) -> tuple[Card, ...]:
        """The five cards that play."""
        ...

    @property
    def all_cards(self) -> tuple[Card, ...]:
        """All seven cards, the common card included."""
        ...


def in_odd_chip_order(winners: Sequence[Winner], odd_chip: OddChip) -> tuple[int, ...]:
    """Seats of tied winners, who come in dealing order, in the order in which odd chips are given.

    By suit, the highest card counts first, by rank, ace high, then by suit; a card that two hands share decides
    nothing between them, so the next one does.
    """
    if odd_chip is OddChip.POSITION:
        return tuple(winner.seat for winner in winners)
    five = odd_chip is OddChip.FIVE_CARD_SUIT

    def from_the_top(winner: Winner) -> list[Card]:
        return sorted(winner.best_five if five else winner.all_cards, reverse=True)

    return tuple(winner.seat for winner in sorted(winners, key=from_the_top, reverse=True))
