"""Every order and every place is equally likely (F2-F4), also of a reshuffle (F8); reduced sizes, fixed streams."""

import os
import subprocess
import sys
from collections import Counter
from math import factorial

import pytest

from services.dealer.domain.commitment import fix_deck
from services.dealer.domain.deck_out import River
from services.dealer.domain.hand import CardSource
from services.dealer.domain.shuffle import shuffle
from services.dealer.domain.stream import byte_stream, derive
from services.dealer.domain.streets import river_line
from shared.kernel.cards import parse_cards
from tests.fairness.statistics import (
    CARD_BY_POSITION,
    LARGEST_CELL,
    LARGEST_ORDER,
    ORDERS,
    CardsByPosition,
    orders_statistic,
    short_deck_statistic,
    within,
)
from tests.support.dealer_hands import a_command, seed_of

DECKS = int(os.environ.get("FAIRNESS_DECKS", "20000"))
"""Reduced for every day; a laboratory runs a million."""


@pytest.mark.parametrize("size", list(ORDERS))
def test_every_order_of_a_short_deck_is_equally_likely(size: int) -> None:
    decks = max(DECKS, 100 * factorial(size))
    assert within(short_deck_statistic(shuffle, size, decks, byte_stream(b"short", b"deck")), ORDERS[size])


def test_every_card_is_equally_likely_in_every_place_of_decks_as_hands_get_them() -> None:
    """The whole way from seeds to decks, as in a hand that is opened."""
    terms = a_command(8).terms()
    counted = CardsByPosition()
    for number in range(DECKS):
        counted.add([card - 1 for card in fix_deck(terms, seed_of(number), ()).cards])
    assert within(counted.statistic, CARD_BY_POSITION)
    assert counted.largest_cell < LARGEST_CELL
    assert counted.largest_order < LARGEST_ORDER


@pytest.mark.parametrize(("stub", "burned"), [((51,), (24, 33, 42)), ((49, 50, 51), (24, 33, 42))])
def test_every_order_of_a_reshuffle_of_stub_and_burns_is_equally_likely(
    stub: tuple[int, ...], burned: tuple[int, ...]
) -> None:
    size = len(stub) + len(burned)
    rank = {position: at for at, position in enumerate(stub + burned)}
    orders: Counter[tuple[int, ...]] = Counter()
    for number in range(max(DECKS, 100 * factorial(size))):
        key = derive(seed_of(number), b"", b"river")
        line = river_line(stub, burned, River(CardSource.RESHUFFLED_STUB_AND_BURNS), key)
        orders[tuple(rank[position] for position in line)] += 1
    assert within(orders_statistic(orders, size), ORDERS[size])


@pytest.mark.parametrize("source", [CardSource.COMMON_FROM_BURNS, CardSource.COMMON_FROM_STUB_AND_BURNS])
def test_every_card_of_the_pile_is_equally_likely_as_the_common_card(source: CardSource) -> None:
    first = Counter(
        river_line((51,), (24, 33, 42), River(source), derive(seed_of(number), b"", b"river"))[0]
        for number in range(DECKS)
    )
    expected = DECKS / len(first)
    assert set(first) == {24, 33, 42} | ({51} if source is CardSource.COMMON_FROM_STUB_AND_BURNS else set())
    assert sum((count - expected) ** 2 / expected for count in first.values()) < 45


def test_first_cards_of_hands_that_follow_each_other_are_independent() -> None:
    terms = a_command(8).terms()
    pairs: Counter[tuple[int, int]] = Counter()
    for number in range(0, DECKS, 2):
        one, other = (fix_deck(terms, seed_of(each), ()).cards[0] for each in (number, number + 1))
        pairs[(one - 1) // 4, (other - 1) // 4] += 1
    expected = DECKS / 2 / 169
    statistic = sum((pairs[a, b] - expected) ** 2 / expected for a in range(13) for b in range(13))
    assert 168 - 6.2 * 18.3 < statistic < 168 + 6.9 * 18.3  # mean and spread of chi-square with 168 degrees


def collected(*options: str) -> bytes:
    """What the dealer writes for a laboratory."""
    command = [sys.executable, "-m", "services.dealer", "collect", *options]
    return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout


def test_decks_for_a_laboratory_are_whole_fair_and_never_repeated() -> None:
    counted = CardsByPosition()
    lines = collected("--decks", "3000").decode().split()
    for line in lines:
        counted.add([card - 1 for card in parse_cards(line)])
    assert len(set(lines)) == 3000
    assert within(counted.statistic, CARD_BY_POSITION)
    assert len(set(collected("--decks", "500", "--hash").split())) == 500


def test_the_raw_stream_has_every_byte_equally_often() -> None:
    raw = Counter(collected("--decks", "1000", "--raw"))
    expected = 272_000 / 256
    assert sum(raw.values()) == 272_000
    assert 130 < sum((count - expected) ** 2 / expected for count in raw.values()) < 410
