"""The hands and pots of a showdown, and the checks that they can be (rules 96, 107-112)."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.evaluator.domain.card_checks import (
    check_all_different,
    check_count,
    check_deck_cards,
    refuse_cards,
)
from services.evaluator.domain.seats import check_seats, refuse_seats
from services.evaluator.domain.strength_tables import CARDS_MOST
from shared.kernel.cards import Card

_UP_CARDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatHand:
    """A live seat's hand at the showdown."""

    seat: int
    """Seat number, 1 to 8."""
    cards: tuple[Card, ...]
    """Its own cards, 7, or 6 where there is a common card."""
    up_cards: tuple[Card, ...]
    """Those of them that lie up, 4."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PotToWin:
    """A pot to win."""

    pot_index: int
    """Index of the pot."""
    eligible_seats: tuple[int, ...]
    """Seats that can win it."""


def check_hands(hands: Sequence[SeatHand], common_card: Card | None) -> None:
    """Refuse hands that cannot lie on one table at the end of a hand."""
    check_seats([hand.seat for hand in hands], "hands")
    count = CARDS_MOST if common_card is None else CARDS_MOST - 1
    for place, hand in enumerate(hands):
        check_count(hand.cards, count, count, f"hands[{place}].cards")
        check_count(hand.up_cards, _UP_CARDS, _UP_CARDS, f"hands[{place}].up_cards")
        check_all_different(hand.up_cards, f"hands[{place}].up_cards")
        if not set(hand.up_cards) <= set(hand.cards):
            raise refuse_cards(f"hands[{place}].up_cards", "up cards that are among the cards of the hand")
    cards = [card for hand in hands for card in hand.cards]
    if common_card is not None:
        cards.append(common_card)
    check_deck_cards(cards, "hands")
    check_all_different(cards, "hands")


def check_pots(pots: Sequence[PotToWin], seats: Sequence[int]) -> None:
    """Refuse pots named twice, and seats that cannot win because they are not in the showdown."""
    if len({pot.pot_index for pot in pots}) < len(pots):
        raise refuse_seats("pots", "each pot_index at most once")
    for place, pot in enumerate(pots):
        check_seats(pot.eligible_seats, f"pots[{place}].eligible_seats")
        if not set(pot.eligible_seats) <= set(seats):
            raise refuse_seats(f"pots[{place}].eligible_seats", "only seats of the hands")
