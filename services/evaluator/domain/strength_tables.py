"""The look-up tables behind every strength; built once, in well under a third of a second.

A hand is a 52-bit mask. Cut into four pieces of 13 bits, each piece is looked up in a table of its own, and the four
entries are added. The sum holds two things that cannot run into each other:

- bits 0 to 15: four bits for each suit, the number of its cards plus three, so that bit 3 says "five or more";
- bits 16 up: three bits for each rank, the number of its cards: the rank multiset, which a dictionary of all 73,775
  multisets of five to seven cards turns into the strength of the best five, flushes apart.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import Final

from services.evaluator.domain.category import HandCategory
from services.evaluator.domain.rank_sets import (
    RANK_COUNT,
    STRAIGHT_DIGITS,
    TOP_FIVE,
    TOP_ONE,
    TOP_THREE,
    TOP_TWO,
)

CATEGORY_SHIFT: Final = 20
RANKS_SHIFT: Final = 16
PIECE_BITS: Final = 13
PIECE_MASK: Final = (1 << PIECE_BITS) - 1
FLUSH_FLAGS: Final = 0x8888
SUIT_MASK: Final = 0x1_1111_1111_1111
CARDS_LEAST: Final = 5
CARDS_MOST: Final = 7

_SUIT_OFFSET: Final = 3
_ROYAL_DIGITS: Final = 0xCBA98
_PAIR: Final = 2
_TRIPLE: Final = 3

# Lowest rank, cards, key, ranks present, held twice, three times, four times.
_Node = tuple[int, int, int, int, int, int, int]


def _piece_tables() -> tuple[list[int], ...]:
    """The four tables; the first one carries the three that are added to each suit's count."""
    start = sum(_SUIT_OFFSET << 4 * suit for suit in range(4))
    return tuple(_piece_table(piece * PIECE_BITS, 0 if piece else start) for piece in range(4))


def _piece_table(first_bit: int, start: int) -> list[int]:
    table = [start] * (1 << PIECE_BITS)
    for place in range(PIECE_BITS):
        rank, suit = divmod(first_bit + place, 4)
        weight = (1 << RANKS_SHIFT + 3 * rank) + (1 << 4 * suit)
        half = 1 << place
        table[half : 2 * half] = [entry + weight for entry in table[:half]]
    return table


def _flush_strengths() -> dict[int, int]:
    """Strength by the cards of one suit, written as if they were clubs."""
    table: dict[int, int] = {}
    for count in range(CARDS_LEAST, CARDS_MOST + 1):
        for ranks in combinations(range(RANK_COUNT), count):
            table[sum(1 << 4 * rank for rank in ranks)] = _flush_strength(sum(1 << rank for rank in ranks))
    return table


def _flush_strength(ranks: int) -> int:
    run = STRAIGHT_DIGITS[ranks]
    if not run:
        return HandCategory.FLUSH << CATEGORY_SHIFT | TOP_FIVE[ranks]
    category = HandCategory.ROYAL_FLUSH if run == _ROYAL_DIGITS else HandCategory.STRAIGHT_FLUSH
    return category << CATEGORY_SHIFT | run


def _multiset_strengths() -> dict[int, int]:
    """Strength by rank multiset, for every multiset of five to seven cards of one deck."""
    return {key: _group_strength(present, twice, thrice, four) for key, present, twice, thrice, four in _multisets()}


def _multisets() -> Iterator[tuple[int, int, int, int, int]]:
    """Every multiset: its key, the ranks present, and those held twice, three times and four times."""
    nodes: list[_Node] = [(RANK_COUNT, 0, 0, 0, 0, 0, 0)]
    while nodes:
        node = nodes.pop()
        if node[1] >= CARDS_LEAST:
            yield node[2:]
        nodes.extend(_with_one_rank_more(node))


def _with_one_rank_more(node: _Node) -> Iterator[_Node]:
    """The multiset with one to four cards of each rank below its lowest, as far as a hand has room."""
    lowest, cards, key, present, twice, thrice, four = node
    for rank in range(lowest):
        bit, unit = 1 << rank, 1 << 3 * rank
        room = CARDS_MOST - cards
        if room >= 1:
            yield rank, cards + 1, key + unit, present | bit, twice, thrice, four
        if room >= _PAIR:
            yield rank, cards + 2, key + 2 * unit, present | bit, twice | bit, thrice, four
        if room >= _TRIPLE:
            yield rank, cards + 3, key + 3 * unit, present | bit, twice, thrice | bit, four
        if room > _TRIPLE:
            yield rank, cards + 4, key + 4 * unit, present | bit, twice, thrice, four | bit


def _group_strength(present: int, twice: int, thrice: int, four: int) -> int:
    """Strength of a rank multiset; each mask names the ranks held so many times."""
    if four:
        top = four.bit_length() - 1
        return HandCategory.FOUR_OF_A_KIND << CATEGORY_SHIFT | top * 0x11110 | TOP_ONE[present ^ (1 << top)]
    if thrice:
        return _triple_strength(present, twice, thrice)
    run = STRAIGHT_DIGITS[present]
    if run:
        return HandCategory.STRAIGHT << CATEGORY_SHIFT | run
    if twice:
        return _pair_strength(present, twice)
    return HandCategory.HIGH_CARD << CATEGORY_SHIFT | TOP_FIVE[present]


def _triple_strength(present: int, twice: int, thrice: int) -> int:
    top = thrice.bit_length() - 1
    bit = 1 << top
    filling = (twice | thrice) ^ bit
    if filling:
        return HandCategory.FULL_HOUSE << CATEGORY_SHIFT | top * 0x11100 | (filling.bit_length() - 1) * 0x11
    run = STRAIGHT_DIGITS[present]
    if run:
        return HandCategory.STRAIGHT << CATEGORY_SHIFT | run
    return HandCategory.THREE_OF_A_KIND << CATEGORY_SHIFT | top * 0x11100 | TOP_TWO[present ^ bit]


def _pair_strength(present: int, twice: int) -> int:
    top = twice.bit_length() - 1
    bit = 1 << top
    second = twice ^ bit
    if second:
        low = second.bit_length() - 1
        kicker = TOP_ONE[present ^ bit ^ (1 << low)]
        return HandCategory.TWO_PAIR << CATEGORY_SHIFT | top * 0x11000 | low * 0x110 | kicker
    return HandCategory.PAIR << CATEGORY_SHIFT | top * 0x11000 | TOP_THREE[present ^ bit]


PIECES: Final = _piece_tables()
FLUSH_STRENGTHS: Final = _flush_strengths()
MULTISET_STRENGTHS: Final = _multiset_strengths()
