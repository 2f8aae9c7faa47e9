"""F6: real odds of hands and of third street, for the first, the middle and the last seat."""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from services.dealer.domain.hand import STREETS
from services.dealer.domain.rules import dealing_rules
from services.dealer.domain.streets import after_deal, plan_deal, undealt
from services.evaluator.domain.category import HandCategory
from services.evaluator.domain.strength import category_of, strengths_of
from shared.kernel.rules.presets import PRESETS
from tests.batteries.frequencies import PUBLISHED
from tests.fairness.battery.rows import Row, between
from tests.fairness.limits import chi_square
from tests.fairness.statistics import Decks, chi_square_of

SEATS = (1, 4, 8)
OF_SEVEN = np.array([*PUBLISHED[7][:8], sum(PUBLISHED[7][8:])], np.float64)
"""Hands of seven cards by class, straight flushes with the royal one."""
OF_THREE = np.array([18_304, 3_744, 52], np.float64)
"""Hands of three cards: none, a pair, trips."""
CATEGORIES = tuple(HandCategory)


def places_of() -> dict[int, list[int]]:
    """Where the dealer takes the seven cards of those seats from when all others fold on third street."""
    rules = dealing_rules(PRESETS["regulated_tournament"].hand)
    dealing = undealt(tuple(range(1, 9)))
    for street in STREETS:
        live = SEATS if dealing.street else dealing.live
        dealing = after_deal(dealing, plan_deal(dealing, street, live, rules, bytes(32)), live)
    return {seat: [each.position for each in dealing.given if each.seat == seat] for seat in SEATS}


def class_rows(decks: Decks) -> Iterator[Row]:
    """Two rows for each seat."""
    for seat, places in places_of().items():
        seven = chi_square_of(count_of_seven(decks[:, places]), OF_SEVEN / OF_SEVEN.sum())
        yield between("F6", f"classes of seven cards, seat {seat}, {len(decks):,} hands", seven, chi_square(8))
        three = chi_square_of(count_of_three(decks[:, places[:3]]), OF_THREE / OF_THREE.sum())
        yield between("F6", f"pairs and trips on third street, seat {seat}", three, chi_square(2))


def count_of_seven(cards: Decks) -> npt.NDArray[np.int64]:
    """How often each class came, valued by the evaluator."""
    masks = (np.int64(1) << cards.astype(np.int64)).sum(axis=1)
    strengths, counts = np.unique(np.array(strengths_of(masks.tolist())), return_counts=True)
    found = np.zeros(9, np.int64)
    for strength, count in zip(strengths.tolist(), counts, strict=True):
        found[min(CATEGORIES.index(category_of(strength)), 8)] += count
    return found


def count_of_three(cards: Decks) -> npt.NDArray[np.int64]:
    """How often none, a pair and trips came."""
    ranks = np.sort(cards // 4, axis=1)
    equal = (ranks[:, 1:] == ranks[:, :-1]).sum(axis=1)
    return np.bincount(equal, minlength=3).astype(np.int64)
