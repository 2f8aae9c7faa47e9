"""F3 to F7: whole decks on the way that hands get them, each from a fresh seed of the operating system."""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
import numpy.typing as npt

from services.dealer.adapters.system import SystemEntropy
from services.dealer.domain.commitment import fix_deck
from tests.fairness.battery.hand_classes import class_rows
from tests.fairness.battery.portions import in_portions
from tests.fairness.battery.rows import Row, Sizes, at_most, between, row
from tests.fairness.limits import chi_square, largest_of
from tests.fairness.statistics import (
    DECK,
    CardsByPosition,
    Decks,
    pairs_statistic,
    unordered_pairs_statistic,
)
from tests.support.dealer_hands import a_command

DECKS = 1_000_000
"""Looked at card by card."""
HASHED = 5_600_000
"""Looked at for repeats: a seed of 40 bits or fewer would show but for one run in a million."""
PORTION = 10_000
MINUS_ONE = bytes(max(number - 1, 0) for number in range(256))


@dataclass(frozen=True, slots=True)
class Drawn:
    """Some decks: their hashes, and the decks themselves where they are looked at."""

    hashes: npt.NDArray[np.uint64]
    """Two columns of 64 bits."""
    decks: Decks


def draw(looked_at: int, first: int, count: int) -> Drawn:
    """Decks number ``first`` and on, as OpenHand fixes them."""
    terms, entropy = a_command(8, preset="regulated_tournament").terms(), SystemEntropy()
    found, hashes = bytearray(), bytearray()
    for number in range(first, first + count):
        bound = replace(terms, hand_id=f"hand-{number}", hand_number=number + 1)
        deck = bytes(fix_deck(bound, entropy.seed(), ()).cards)
        hashes += hashlib.blake2b(deck, digest_size=16).digest()
        if number < looked_at:
            found += deck.translate(MINUS_ONE)
    whole = np.frombuffer(bytes(found), np.uint8).reshape(-1, DECK)
    return Drawn(np.frombuffer(bytes(hashes), np.uint64).reshape(-1, 2), whole)


def repeats(hashes: npt.NDArray[np.uint64]) -> int:
    """How many decks came before."""
    return len(hashes) - len(np.unique(hashes, axis=0)) if _may_repeat(hashes) else 0


def _may_repeat(hashes: npt.NDArray[np.uint64]) -> bool:
    """Half of the hash came twice; sorting one column is much faster than two."""
    ordered = np.sort(hashes[:, 0])
    return bool((ordered[1:] == ordered[:-1]).any())


def rows(sizes: Sizes) -> Iterator[Row]:
    """The rows of F3 to F7."""
    looked_at, hashed = sizes.of(DECKS, least=20_000), sizes.of(HASHED, least=20_000)
    hashes, decks, counted = list[npt.NDArray[np.uint64]](), list[Decks](), CardsByPosition()
    for drawn in in_portions("F3 to F7, whole decks", partial(draw, looked_at), hashed, PORTION):
        hashes.append(drawn.hashes)
        if len(drawn.decks):
            decks.append(drawn.decks)
            counted.add(drawn.decks)
    sample = np.concatenate(decks)
    yield from position_rows(counted)
    again = repeats(np.concatenate(hashes))
    yield row("F5", f"repeats among {hashed:,} decks", "0", str(again), holds=again == 0)
    yield from class_rows(sample)
    yield from pair_rows(sample)


def position_rows(counted: CardsByPosition) -> Iterator[Row]:
    """F3 and F4."""
    size = f"{counted.decks:,} decks"
    yield between("F3", f"card by position, {size}", counted.statistic, chi_square((DECK - 1) ** 2))
    yield at_most("F3", "largest of 2,704 cells, deviations", counted.largest_cell, largest_of(DECK * DECK))
    pairs = DECK * (DECK - 1) // 2
    yield at_most("F4", f"order of two cards, largest of {pairs:,}", counted.largest_order, largest_of(pairs))


def pair_rows(sample: Decks) -> Iterator[Row]:
    """First cards, hole cards, and hands that follow each other."""
    first, second, ninth = sample[:, 0], sample[:, 1], sample[:, 8]
    yield between("F2", "first two cards, in order", pairs_statistic(first, second, same=False), chi_square(2651))
    yield between("F2", "hole cards of seat 1, any order", unordered_pairs_statistic(first, ninth), chi_square(1325))
    even = len(sample) // 2 * 2
    statistic = pairs_statistic(first[0:even:2], first[1:even:2], same=True)
    yield between("F7", f"first cards of two hands, {even // 2:,} pairs", statistic, chi_square(2703))
