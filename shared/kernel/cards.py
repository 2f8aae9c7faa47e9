"""The deck of 52 cards (rule 2) as small integers, the same numbers as on the wire.

A card is ``1 + 4 * rank + suit``: ranks 2 to ace are 0 to 12, suits clubs, diamonds, hearts, spades are 0 to 3, so that
2c is 1 and As is 52. A face-down card is 53 and occurs in views only. A set of cards is a bit mask, bit = card - 1.
"""

from collections.abc import Iterable
from typing import NewType

Card = NewType("Card", int)

RANKS = "23456789TJQKA"
SUITS = "cdhs"
DECK_SIZE = 52
FACE_DOWN = Card(53)
FULL_DECK: tuple[Card, ...] = tuple(Card(number) for number in range(1, DECK_SIZE + 1))

_TEXTS = tuple(rank + suit for rank in RANKS for suit in SUITS)
_CARDS = {text: Card(number) for number, text in enumerate(_TEXTS, start=1)}


def parse_card(text: str) -> Card:
    """The card written as rank then suit, as in ``Tc``; ValueError for anything else."""
    try:
        return _CARDS[text]
    except KeyError:
        raise ValueError(f"{text!r} is no card: write a rank of {RANKS} and a suit of {SUITS}, as in Tc") from None


def parse_cards(text: str) -> tuple[Card, ...]:
    """The cards of a run of text such as ``AsKd9c``; blanks are allowed between cards."""
    packed = text.replace(" ", "")
    return tuple(parse_card(packed[at : at + 2]) for at in range(0, len(packed), 2))


def card_text(card: Card) -> str:
    """A card as rank then suit; a face-down card as ``??``."""
    return "??" if card == FACE_DOWN else _TEXTS[card - 1]


def cards_text(cards: Iterable[Card]) -> str:
    """A run of cards, rank then suit each, without blanks."""
    return "".join(card_text(card) for card in cards)


def rank_of(card: Card) -> int:
    """The rank of a card: 0 for a deuce to 12 for an ace."""
    return (card - 1) >> 2


def suit_of(card: Card) -> int:
    """The suit of a card: clubs 0, diamonds 1, hearts 2, spades 3."""
    return (card - 1) & 3


def mask_of(cards: Iterable[Card]) -> int:
    """The set of cards as a bit mask, bit = card - 1."""
    mask = 0
    for card in cards:
        mask |= 1 << (card - 1)
    return mask


def cards_in(mask: int) -> tuple[Card, ...]:
    """The cards of a bit mask, lowest first."""
    return tuple(card for card in FULL_DECK if mask >> (card - 1) & 1)
