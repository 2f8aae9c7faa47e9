"""What a hand is called in English."""

from collections.abc import Callable, Sequence

from services.evaluator.domain.category import HandCategory
from services.evaluator.domain.strength import category_of, ranks_of

_ONE = (
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "jack",
    "queen",
    "king",
    "ace",
)
_SIX = 4
_MANY = tuple(f"{name}es" if rank == _SIX else f"{name}s" for rank, name in enumerate(_ONE))

Ranks = Sequence[int]


def describe_en(strength: int) -> str:
    """The hand in words, as in ``full house, tens full of kings``."""
    return _WORDS[category_of(strength)](ranks_of(strength))


def _named(ranks: Ranks) -> str:
    return ", ".join(_ONE[rank] for rank in ranks)


_WORDS: dict[HandCategory, Callable[[Ranks], str]] = {
    HandCategory.HIGH_CARD: lambda ranks: f"high card, {_named(ranks)}",
    HandCategory.PAIR: lambda ranks: f"pair of {_MANY[ranks[0]]} with {_named(ranks[2:])}",
    HandCategory.TWO_PAIR: lambda ranks: f"two pair, {_MANY[ranks[0]]} and {_MANY[ranks[2]]} with {_ONE[ranks[4]]}",
    HandCategory.THREE_OF_A_KIND: lambda ranks: f"three of a kind, {_MANY[ranks[0]]} with {_named(ranks[3:])}",
    HandCategory.STRAIGHT: lambda ranks: f"straight, {_ONE[ranks[0]]} high",
    HandCategory.FLUSH: lambda ranks: f"flush, {_named(ranks)}",
    HandCategory.FULL_HOUSE: lambda ranks: f"full house, {_MANY[ranks[0]]} full of {_MANY[ranks[3]]}",
    HandCategory.FOUR_OF_A_KIND: lambda ranks: f"four of a kind, {_MANY[ranks[0]]} with {_ONE[ranks[4]]}",
    HandCategory.STRAIGHT_FLUSH: lambda ranks: f"straight flush, {_ONE[ranks[0]]} high",
    HandCategory.ROYAL_FLUSH: lambda _: "royal flush",
}
