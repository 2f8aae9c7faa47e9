"""Who owes the bring-in, and who next if it is declined (rules 23-27)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from services.evaluator.domain.card_checks import check_all_different, check_deck_cards
from services.evaluator.domain.seats import check_seats
from shared.kernel.cards import Card, rank_of, suit_of
from shared.kernel.game import Structure
from shared.kernel.rules import BringInBy, HandRules, HighDoorTie, SuitOrder

_SUIT_PLACE = {SuitOrder.CDHS: (0, 1, 2, 3), SuitOrder.SHDC: (3, 2, 1, 0)}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatDoorCard:
    """A seat's door card."""

    seat: int
    """Seat number, 1 to 8."""
    card: Card
    """Its up card of third street."""


def order_bring_in(door_cards: Sequence[SeatDoorCard], rules: HandRules) -> tuple[int, ...]:
    """All seats; the first one owes the bring-in, the next ones in turn if it is declined.

    Door cards come in dealing order. CARDS_INVALID for a card twice or face down.
    """
    check_seats([door.seat for door in door_cards], "door_cards")
    cards = [door.card for door in door_cards]
    check_deck_cards(cards, "door_cards")
    check_all_different(cards, "door_cards")
    key = _highest_first(rules) if _highest_opens(rules) else _lowest_first(rules)
    return tuple(door.seat for door in sorted(door_cards, key=key))


def _highest_opens(rules: HandRules) -> bool:
    pot_limit = rules.structure is Structure.POT_LIMIT
    return rules.bring_in_by is BringInBy.HIGH or (rules.bring_in_by is BringInBy.LOW_LIMIT_HIGH_POT and pot_limit)


def _lowest_first(rules: HandRules) -> Callable[[SeatDoorCard], tuple[int, int]]:
    places = _SUIT_PLACE[rules.bring_in_suits]
    return lambda door: (rank_of(door.card), places[suit_of(door.card)])


def _highest_first(rules: HandRules) -> Callable[[SeatDoorCard], tuple[int, int]]:
    if rules.high_door_tie is HighDoorTie.POSITION:
        return lambda door: (-rank_of(door.card), 0)  # sorting keeps equal cards in dealing order
    places = _SUIT_PLACE[rules.bring_in_suits]
    return lambda door: (-rank_of(door.card), -places[suit_of(door.card)])
