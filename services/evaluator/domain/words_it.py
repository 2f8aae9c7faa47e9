"""What a hand is called in Italian, in the words of document 000 (scala reale, scala di colore, fante, donna)."""

from collections.abc import Callable, Sequence

from services.evaluator.domain.category import HandCategory
from services.evaluator.domain.strength import category_of, ranks_of

_NUMBERS = ("due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci")
_ONE = (*_NUMBERS, "fante", "donna", "re", "asso")
_MANY = (*_NUMBERS, "fanti", "donne", "re", "assi")
_TO_ONE = tuple(
    {"otto": "all'otto", "donna": "alla donna", "asso": "all'asso"}.get(name, f"al {name}") for name in _ONE
)
_TO_MANY = tuple(
    {"otto": "agli otto", "donne": "alle donne", "assi": "agli assi"}.get(name, f"ai {name}") for name in _MANY
)

Ranks = Sequence[int]


def describe_it(strength: int) -> str:
    """The hand in words, as in ``full di dieci ai re``."""
    return _WORDS[category_of(strength)](ranks_of(strength))


def _named(ranks: Ranks) -> str:
    return ", ".join(_ONE[rank] for rank in ranks)


_WORDS: dict[HandCategory, Callable[[Ranks], str]] = {
    HandCategory.HIGH_CARD: lambda ranks: f"carta alta, {_named(ranks)}",
    HandCategory.PAIR: lambda ranks: f"coppia di {_MANY[ranks[0]]} con {_named(ranks[2:])}",
    HandCategory.TWO_PAIR: lambda ranks: f"doppia coppia di {_MANY[ranks[0]]} e {_MANY[ranks[2]]} con {_ONE[ranks[4]]}",
    HandCategory.THREE_OF_A_KIND: lambda ranks: f"tris di {_MANY[ranks[0]]} con {_named(ranks[3:])}",
    HandCategory.STRAIGHT: lambda ranks: f"scala {_TO_ONE[ranks[0]]}",
    HandCategory.FLUSH: lambda ranks: f"colore, {_named(ranks)}",
    HandCategory.FULL_HOUSE: lambda ranks: f"full di {_MANY[ranks[0]]} {_TO_MANY[ranks[3]]}",
    HandCategory.FOUR_OF_A_KIND: lambda ranks: f"poker di {_MANY[ranks[0]]} con {_ONE[ranks[4]]}",
    HandCategory.STRAIGHT_FLUSH: lambda ranks: f"scala di colore {_TO_ONE[ranks[0]]}",
    HandCategory.ROYAL_FLUSH: lambda _: "scala reale",
}
