"""The five cards that play (rules 119, 121, 125)."""

from collections.abc import Sequence

from services.evaluator.domain.category import HandCategory
from services.evaluator.domain.strength import category_of, ranks_of
from shared.kernel.cards import Card, rank_of, suit_of

_IN_ONE_SUIT = frozenset({HandCategory.FLUSH, HandCategory.STRAIGHT_FLUSH, HandCategory.ROYAL_FLUSH})
_FIVE = 5


def best_five(cards: Sequence[Card], strength: int) -> tuple[Card, ...]:
    """The five cards that play, most important first; of cards that serve alike the one of the best suit."""
    pool = sorted(_playable(cards, strength), reverse=True)
    chosen: list[Card] = []
    for rank in ranks_of(strength):
        card = next(card for card in pool if rank_of(card) == rank)
        pool.remove(card)
        chosen.append(card)
    return tuple(chosen)


def _playable(cards: Sequence[Card], strength: int) -> Sequence[Card]:
    if category_of(strength) not in _IN_ONE_SUIT:
        return cards
    suits = [suit_of(card) for card in cards]
    flush_suit = next(suit for suit in suits if suits.count(suit) >= _FIVE)
    return [card for card in cards if suit_of(card) == flush_suit]
