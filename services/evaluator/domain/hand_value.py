"""What a hand is worth: its strength, its kind, the cards that play and what it is called."""

from collections.abc import Sequence
from dataclasses import dataclass

from services.evaluator.domain.best_five import best_five
from services.evaluator.domain.category import HandCategory
from services.evaluator.domain.strength import category_of, strength_of
from services.evaluator.domain.words_en import describe_en
from services.evaluator.domain.words_it import describe_it
from shared.kernel.cards import Card, mask_of


@dataclass(frozen=True, slots=True, kw_only=True)
class HandValue:
    """What a hand is worth."""

    strength: int
    """More is better, equal is a tie; decodes without a call."""
    category: HandCategory
    """Kind of hand."""
    best_five: tuple[Card, ...]
    """The five cards that play, most important first."""
    description_en: str
    """In English words."""
    description_it: str
    """In Italian words."""


def value_of(cards: Sequence[Card]) -> HandValue:
    """The value of five to seven different cards, the common card included (rules 117-122); they must be checked."""
    strength = strength_of(mask_of(cards))
    return HandValue(
        strength=strength,
        category=category_of(strength),
        best_five=best_five(cards, strength),
        description_en=describe_en(strength),
        description_it=describe_it(strength),
    )
