"""How good a hand looks to a robot: a rough figure from 0 to 1, made of what it sees.

This ranks no hands: the evaluator alone does that. Robots only guess.
"""

from collections import Counter
from collections.abc import Sequence

from shared.kernel.cards import FACE_DOWN, Card, rank_of, suit_of

_ACE = 12
_CARDS_IN_ALL = 7
_FIVE = 5
_WHEEL_ACE = -1

# Groups of equal ranks, largest first, and what they look like.
_SHAPES: tuple[tuple[tuple[int, ...], float], ...] = (
    ((4,), 0.99),
    ((3, 2), 0.95),
    ((3,), 0.78),
    ((2, 2), 0.64),
    ((2,), 0.40),
)
_FLUSH = 0.92
_STRAIGHT = 0.88


def strength(cards: Sequence[Card]) -> float:
    """How good the cards look: about 0.1 for rags, 0.4 to 0.5 for a pair, 0.9 for a flush."""
    known = [card for card in cards if card != FACE_DOWN]
    if not known:
        return 0.0
    made = max(_groups(known), _complete(known))
    return min(made + _hope(known), 1.0)


def threat(boards: Sequence[Sequence[Card]]) -> float:
    """How good the best of the opponents' up cards look."""
    return max((strength(board) for board in boards), default=0.0)


def _groups(cards: Sequence[Card]) -> float:
    counts = Counter(rank_of(card) for card in cards)
    sizes = sorted(counts.values(), reverse=True)
    top = max(rank for rank, count in counts.items() if count == sizes[0])
    for shape, worth in _SHAPES:
        if all(size <= have for size, have in zip(shape, sizes, strict=False)) and len(sizes) >= len(shape):
            return worth + 0.12 * top / _ACE * (1 - worth)
    return 0.05 + 0.20 * top / _ACE


def _complete(cards: Sequence[Card]) -> float:
    if _most_suited(cards) >= _FIVE:
        return _FLUSH
    return _STRAIGHT if _longest_window(cards) >= _FIVE else 0.0


def _hope(cards: Sequence[Card]) -> float:
    """What cards to come may add: four to a flush or straight early are worth most."""
    to_come = _CARDS_IN_ALL - len(cards)
    if to_come <= 0:
        return 0.0
    missing = min(_FIVE - _most_suited(cards), _FIVE - _longest_window(cards))
    if missing <= 0 or missing > to_come:
        return 0.0
    return {1: 0.08, 2: 0.05}.get(missing, 0.0) * min(to_come, 3)


def _most_suited(cards: Sequence[Card]) -> int:
    return max(Counter(suit_of(card) for card in cards).values())


def _longest_window(cards: Sequence[Card]) -> int:
    """Most different ranks within five neighbours, the ace at both ends."""
    ranks = {rank_of(card) for card in cards}
    if _ACE in ranks:
        ranks.add(_WHEEL_ACE)
    return max(len(ranks & set(range(low, low + _FIVE))) for low in range(_WHEEL_ACE, _ACE - _FIVE + 2))
