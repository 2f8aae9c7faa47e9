"""Every hand of five, six and seven cards through the product's evaluator, one by one, against the published counts.

Nothing is weighted or sampled: each of the 133,784,560 seven-card hands is built as a mask and valued by
`strengths_of`, the function behind EvaluateBatch, and again by the engines over arrays and of machine code.
Rules 117 to 122.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb
from multiprocessing import get_context

from services.evaluator.adapters.engines import COMPILED, NUMPY, PLAIN, choose_engine
from services.evaluator.domain.category import HandCategory
from services.evaluator.domain.strength import category_of, strengths_of
from tests.batteries.frequency_engines import count_by
from tests.batteries.progress import Progress

CATEGORIES = tuple(HandCategory)
ENGINES = (PLAIN, NUMPY, COMPILED)
PUBLISHED: dict[int, tuple[int, ...]] = {
    5: (1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 36, 4),
    6: (6_612_900, 9_730_740, 2_532_816, 732_160, 361_620, 205_792, 165_984, 14_664, 1_656, 188),
    7: (23_294_460, 58_627_800, 31_433_400, 6_461_620, 6_180_020, 4_047_644, 3_473_184, 224_848, 37_260, 4_324),
}
"""Hands of each kind, high card first, royal flush last, by the number of cards."""
DISTINCT = {5: 7_462, 6: 6_075, 7: 4_824}
"""Different strengths by the number of cards."""

LOW = 3  # the lowest cards of a hand come from a list in which those below any card stand first
LOW_MASKS = [1 << c | 1 << b | 1 << a for c in range(2, 52) for b in range(1, c) for a in range(b)]


def hands_under(top: int, cards: int) -> Iterator[list[int]]:
    """Every hand whose highest card has this place in the deck, as masks, in portions."""
    for middle in combinations(range(LOW, top), cards - LOW - 1):
        head = 1 << top | sum(1 << place for place in middle)
        yield [head | low for low in LOW_MASKS[: comb(min((*middle, top)), LOW)]]


def count_under(question: tuple[int, int]) -> tuple[int, Counter[int]]:
    """How often each strength occurs among the hands with this highest card."""
    top, cards = question
    found: Counter[int] = Counter()
    portion: list[int] = []
    for hands in hands_under(top, cards):
        portion += hands
        if len(portion) > 50_000:
            found.update(strengths_of(portion))
            portion = []
    found.update(strengths_of(portion))
    return found.total(), found


def count_all(cards: int, processes: int = 1) -> Counter[int]:
    """How often each strength occurs among all hands of so many cards."""
    questions = [(top, cards) for top in range(51, cards - 2, -1)]
    progress = Progress(f"hands of {cards} cards", comb(52, cards))
    found: Counter[int] = Counter()
    with get_context("fork").Pool(processes) as pool:
        for hands, counted in pool.imap_unordered(count_under, questions):
            found.update(counted)
            progress.add(hands)
    progress.finish()
    return found


def differences(cards: int, found: Counter[int]) -> list[str]:
    """Where the counts are not the published ones; empty where all is well."""
    kinds: Counter[HandCategory] = Counter()
    for strength, hands in found.items():
        kinds[category_of(strength)] += hands
    wrong = [
        f"{kind.name}: {kinds[kind]:,} hands, {published:,} are published"
        for kind, published in zip(CATEGORIES, PUBLISHED[cards], strict=True)
        if kinds[kind] != published
    ]
    if len(found) != DISTINCT[cards]:
        wrong.append(f"{len(found):,} different strengths, {DISTINCT[cards]:,} are published")
    return wrong


def count_with(engine: str, cards: int) -> Counter[int]:
    """All hands of so many cards by an engine of this name."""
    if engine == PLAIN:
        return count_all(cards, processes=2)
    return count_by(choose_engine(engine).batch, cards)


def report(engine: str, cards: int) -> int:
    """Count, and say where it is not as published; how many faults."""
    found = count_with(engine, cards)
    wrong = differences(cards, found)
    print(f"{engine}, {cards} cards: {found.total():,} hands valued one by one, {len(found):,} different strengths")
    for kind, hands in zip(reversed(CATEGORIES), reversed(PUBLISHED[cards]), strict=True):
        print(f"  {kind.name:<16} {hands:>12,}")
    print("  as published" if not wrong else "  WRONG, the above is published: " + "; ".join(wrong))
    return len(wrong)


def main() -> int:
    """Count hands of five, six and seven cards with each engine, or with one; 1 where a count is wrong."""
    parser = argparse.ArgumentParser(prog="make frequencies", description=main.__doc__)
    parser.add_argument("--engine", choices=ENGINES, action="append")
    engines = parser.parse_args().engine or ENGINES
    return 1 if sum(report(engine, cards) for engine in engines for cards in PUBLISHED) else 0


if __name__ == "__main__":
    sys.exit(main())
