"""Hands that are shown: which cards, in which order, with which words."""

from services.orchestrator.domain.hand import HandSeat
from services.orchestrator.domain.hand_facts import HandShown
from services.orchestrator.domain.ranking import HandValue, SeatHand, ShowdownRanking
from services.orchestrator.domain.visibility import DownCards
from shared.kernel.cards import Card
from shared.kernel.game import Street


def own_cards(seat: HandSeat, down_cards: DownCards) -> tuple[Card, ...]:
    """The seat's cards so far in deal order: two down, up to four up, one down (rule 5)."""
    first = down_cards.get((seat.seat, Street.THIRD), ())
    last = down_cards.get((seat.seat, Street.SEVENTH), ())
    if isinstance(first, bytes) or isinstance(last, bytes):
        raise TypeError("sealed cards are known to their player alone")
    return (*first, *seat.up_cards, *last)


def is_known(seat: HandSeat, down_cards: DownCards) -> bool:
    """All down cards of the seat are at hand, in clear."""
    known = (down_cards.get((seat.seat, street), ()) for street in (Street.THIRD, Street.SEVENTH))
    return sum(len(cards) for cards in known if isinstance(cards, tuple)) == seat.down_count


def is_sealed(seat: HandSeat, down_cards: DownCards) -> bool:
    """The seat's down cards are sealed to its key."""
    return isinstance(down_cards.get((seat.seat, Street.THIRD)), bytes)


def shown(seat: int, cards: tuple[Card, ...]) -> HandShown:
    """A hand shown outside a showdown: nothing is said about what it is worth."""
    return HandShown(seat=seat, cards=cards, best_five=(), description_en="", description_it="", category=None)


def shown_at_showdown(seat: int, hand: SeatHand, ranking: ShowdownRanking) -> HandShown:
    """A hand shown down, with the five that play."""
    return shown_with_value(seat, hand.cards, next(each.value for each in ranking.values if each.seat == seat))


def shown_with_value(seat: int, cards: tuple[Card, ...], value: HandValue) -> HandShown:
    """A hand whose value counts: at a showdown, or where showing unasked may earn a prize (rule 179)."""
    return HandShown(
        seat=seat,
        cards=cards,
        best_five=value.best_five,
        description_en=value.description_en,
        description_it=value.description_it,
        category=value.category,
    )
