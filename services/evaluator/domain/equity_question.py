"""An equity question: whose cards are known, which cards can still come, and how they are shared out."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from math import comb

from services.evaluator.domain.card_checks import check_all_different, check_count, check_deck_cards, refuse_cards
from services.evaluator.domain.strength_tables import CARDS_MOST
from shared.kernel.cards import FULL_DECK, Card, mask_of


@dataclass(frozen=True, slots=True, kw_only=True)
class EquityHand:
    """One hand in an equity question."""

    cards: tuple[Card, ...]
    """Cards known, at most 7; none = an unknown hand."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What is known, and what is dealt to answer the question."""

    known: tuple[int, ...]
    """Known cards of each hand, as masks."""
    needs: tuple[int, ...]
    """Cards that each hand still gets for itself."""
    common: bool
    """One more card is dealt face up for all, because the deck cannot serve everybody (rules 87, 96)."""
    deck: tuple[int, ...]
    """Cards that can still come, each as a mask."""

    @property
    def portions(self) -> tuple[int, ...]:
        """Cards drawn together, in the order in which they are drawn: each hand's own, then the one for all."""
        return (*self.needs, int(self.common))

    @property
    def starts(self) -> tuple[int, ...]:
        """The place of the first card of each portion among those drawn, and the end of the last."""
        return tuple(accumulate(self.portions, initial=0))

    @property
    def drawn(self) -> int:
        """Cards drawn for one deal."""
        return sum(self.portions)

    @property
    def deals_count(self) -> int:
        """Number of different deals."""
        deals, left = 1, len(self.deck)
        for count in self.portions:
            deals *= comb(left, count)
            left -= count
        return deals


def lay_out(hands: Sequence[EquityHand], dead_cards: Sequence[Card]) -> Layout:
    """Check the question and work out what is to be dealt.

    Every hand gets seven cards of its own; where the cards left do not suffice for that, six and one for all, as at
    the table. CARDS_INVALID for doubled or face-down cards and where not even that is possible.
    """
    _check_question(hands, dead_cards)
    gone = {card for hand in hands for card in hand.cards} | set(dead_cards)
    deck = tuple(mask_of((card,)) for card in FULL_DECK if card not in gone)
    needs = [CARDS_MOST - len(hand.cards) for hand in hands]
    common = sum(needs) > len(deck)
    if common:
        needs = [need - 1 for need in needs]
    if min(needs) < 0 or sum(needs) + common > len(deck):
        raise refuse_cards("hands", f"hands that the {len(deck)} cards left can fill; name fewer hands or dead cards")
    return Layout(known=tuple(mask_of(hand.cards) for hand in hands), needs=tuple(needs), common=common, deck=deck)


def _check_question(hands: Sequence[EquityHand], dead_cards: Sequence[Card]) -> None:
    for place, hand in enumerate(hands):
        check_count(hand.cards, 0, CARDS_MOST, f"hands[{place}].cards")
    cards = [*(card for hand in hands for card in hand.cards), *dead_cards]
    check_deck_cards(cards, "hands")
    check_all_different(cards, "hands")
