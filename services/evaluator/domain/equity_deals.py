"""Deals that answer an equity question: all of them, or drawn one after the other. A deal is one mask for each hand."""

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations

from services.evaluator.domain.equity_question import Layout

Deal = Sequence[int]
Draw = Callable[[], float]
"""The next number of a sequence, evenly spread from 0 up to but not including 1."""


def all_deals(layout: Layout) -> Iterator[Deal]:
    """Every different deal once."""
    for hands, deck in _filled(layout.known, layout.needs, layout.deck):
        if not layout.common:
            yield hands
            continue
        for card in deck:
            yield [hand | card for hand in hands]


def _filled(
    known: Sequence[int], needs: Sequence[int], deck: tuple[int, ...]
) -> Iterator[tuple[list[int], tuple[int, ...]]]:
    if not known:
        yield [], deck
        return
    for chosen in combinations(deck, needs[0]):
        rest = tuple(card for card in deck if card not in chosen) if chosen else deck
        first = known[0] + sum(chosen)
        for hands, left in _filled(known[1:], needs[1:], rest):
            yield [first, *hands], left


def drawn_deals(layout: Layout, draw: Draw) -> Iterator[Deal]:
    """Deals without end, each from the whole deck in its order, shuffled as far as it is needed.

    Every engine draws in this way: the card at a place is changed for the one at the place, or behind it, that the
    next number names. So the same numbers are the same deals.
    """
    size, drawn = len(layout.deck), layout.drawn
    slices = _slices(layout)
    while True:
        deck = list(layout.deck)
        for place in range(drawn):
            other = place + int(draw() * (size - place))
            deck[place], deck[other] = deck[other], deck[place]
        shared = deck[drawn - 1] if layout.common else 0
        yield [known + sum(deck[start:end]) + shared for known, start, end in slices]


def _slices(layout: Layout) -> tuple[tuple[int, int, int], ...]:
    starts = layout.starts
    return tuple(zip(layout.known, starts, starts[1:], strict=False))
