"""Cards that cannot be: refused with what was expected, and never with the cards themselves."""

from collections.abc import Iterable, Sequence

from services.evaluator.domain.strength_tables import CARDS_LEAST, CARDS_MOST
from shared.kernel.cards import DECK_SIZE, Card
from shared.kernel.errors import DomainError, FieldViolation, Reason

_FULL_MASK = (1 << DECK_SIZE) - 1


def refuse_cards(field: str, expected: str) -> DomainError:
    """The refusal CARDS_INVALID for a field of the request, saying what was expected there."""
    violation = FieldViolation(field, f"expected {expected}")
    return DomainError(Reason.CARDS_INVALID, f"{field}: expected {expected}", {"expected": expected}, (violation,))


def check_deck_cards(cards: Iterable[Card], field: str) -> None:
    """Refuse face-down cards and numbers that are no card of the deck."""
    if any(not 1 <= card <= DECK_SIZE for card in cards):
        raise refuse_cards(field, "cards of the deck, none of them face down")


def check_count(cards: Sequence[Card], least: int, most: int, field: str) -> None:
    """Refuse a wrong number of cards."""
    if not least <= len(cards) <= most:
        wanted = f"{least} cards" if least == most else f"{least} to {most} cards"
        raise refuse_cards(field, f"{wanted}, not {len(cards)}")


def check_all_different(cards: Sequence[Card], field: str) -> None:
    """Refuse a card that lies in two places."""
    if len(set(cards)) < len(cards):
        raise refuse_cards(field, "every card at most once in all")


def check_hand(cards: Sequence[Card], field: str) -> None:
    """Refuse anything but five to seven different cards of the deck."""
    check_count(cards, CARDS_LEAST, CARDS_MOST, field)
    check_deck_cards(cards, field)
    check_all_different(cards, field)


def check_hand_masks(masks: Sequence[int], field: str, first: int = 0) -> None:
    """Refuse the first mask that is no hand of five to seven cards; places in the batch count from ``first``."""
    for place, mask in enumerate(masks, start=first):
        if mask > _FULL_MASK or not CARDS_LEAST <= mask.bit_count() <= CARDS_MOST:
            raise refuse_cards(f"{field}[{place}]", f"{CARDS_LEAST} to {CARDS_MOST} of the lowest {DECK_SIZE} bits")
