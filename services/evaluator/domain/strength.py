"""Strength of a hand of five to seven cards: one number that compares, ties and decodes (rules 117-122)."""

from collections.abc import Iterable

from services.evaluator.domain.category import HandCategory
from services.evaluator.domain.strength_tables import (
    CATEGORY_SHIFT,
    FLUSH_FLAGS,
    FLUSH_STRENGTHS,
    MULTISET_STRENGTHS,
    PIECE_MASK,
    PIECES,
    RANKS_SHIFT,
    SUIT_MASK,
)

_FIRST, _SECOND, _THIRD, _FOURTH = PIECES
_CATEGORIES = tuple(HandCategory)


def strength_of(hand: int) -> int:
    """The strength of a hand given as a mask, bit = card - 1; it must hold five to seven cards, which is not checked.

    More is better, equal is a tie: category * 16^5 + the five ranks that decide, the most important first.
    """
    total = (
        _FIRST[hand & PIECE_MASK]
        + _SECOND[hand >> 13 & PIECE_MASK]
        + _THIRD[hand >> 26 & PIECE_MASK]
        + _FOURTH[hand >> 39]
    )
    flags = total & FLUSH_FLAGS
    if flags:
        suit = flags.bit_length() - 1 >> 2
        return FLUSH_STRENGTHS[hand >> suit & SUIT_MASK]
    return MULTISET_STRENGTHS[total >> RANKS_SHIFT]


def strengths_of(hands: Iterable[int]) -> list[int]:
    """The strengths of many hands, as `strength_of` gives them, without a call for each."""
    first, second, third, fourth, multisets, flushes = (
        _FIRST,
        _SECOND,
        _THIRD,
        _FOURTH,
        MULTISET_STRENGTHS,
        FLUSH_STRENGTHS,
    )
    strengths: list[int] = []
    add = strengths.append
    for hand in hands:
        total = (
            first[hand & PIECE_MASK]
            + second[hand >> 13 & PIECE_MASK]
            + third[hand >> 26 & PIECE_MASK]
            + fourth[hand >> 39]
        )
        flags = total & FLUSH_FLAGS
        if flags:
            add(flushes[hand >> (flags.bit_length() - 1 >> 2) & SUIT_MASK])
        else:
            add(multisets[total >> RANKS_SHIFT])
    return strengths


def category_of(strength: int) -> HandCategory:
    """The kind of hand that a strength names."""
    return _CATEGORIES[(strength >> CATEGORY_SHIFT) - 1]


def ranks_of(strength: int) -> tuple[int, int, int, int, int]:
    """The five ranks that decide, most important first, two = 0 to ace = 12; the wheel is led by its five."""
    return (
        strength >> 16 & 15,
        strength >> 12 & 15,
        strength >> 8 & 15,
        strength >> 4 & 15,
        strength & 15,
    )
