"""The tests bite (F10): every faulty shuffle of the field is rejected by the statistic that is named for it."""

from collections.abc import Callable, Iterator, Sequence

import pytest

from services.dealer.domain.shuffle import index_below, shuffle
from services.dealer.domain.stream import byte_stream
from tests.fairness.statistics import (
    CARD_BY_POSITION,
    ORDERS,
    Shuffle,
    cards_by_position,
    short_deck_statistic,
    within,
)

Items = Sequence[int]
Source = Iterator[int]


def swaps(items: Items, choose: Callable[[int], int], last: int | None = None) -> list[int]:
    """Swap each place with the one chosen for it."""
    order = list(items)
    for at in range(len(order) - 1 if last is None else last, 0, -1):
        other = choose(at)
        order[at], order[other] = order[other], order[at]
    return order


def any_of_all(items: Items, source: Source) -> list[int]:
    return swaps(items, lambda _: index_below(len(items), source))


def range_short_by_one(items: Items, source: Source) -> list[int]:
    """Planet Poker, 1999."""
    return swaps(items, lambda _: index_below(len(items) - 1, source))


def never_in_place(items: Items, source: Source) -> list[int]:
    return swaps(items, lambda at: index_below(at, source) if at > 1 else 0)


def last_step_forgotten(items: Items, source: Source) -> list[int]:
    order = list(items)
    for at in range(len(order) - 1, 1, -1):
        other = index_below(at + 1, source)
        order[at], order[other] = order[other], order[at]
    return order


def byte_remainder(items: Items, source: Source) -> list[int]:
    return swaps(items, lambda at: next(source) % (at + 1))


def sorted_by_short_keys(items: Items, source: Source) -> list[int]:
    """Ties keep the old order; six bits, so that a small sample shows it."""
    return sorted(items, key=lambda _: next(source) >> 2)


def one_swap_55_to_45(items: Items, source: Source) -> list[int]:
    order = list(shuffle(items, source))
    if next(source) < 26 and order[0] > order[1]:
        order[0], order[1] = order[1], order[0]
    return order


def biased(source: Source, bit: int) -> Iterator[int]:
    """Bytes in which one bit is set 55 times of a hundred."""
    while True:
        byte = next(source)
        yield byte | bit if next(source) < 26 else byte


def low_bit_55_to_45(items: Items, source: Source) -> list[int]:
    """Over remainders, exact for fair bytes: they hang on the low bits. Ours hangs on the high ones, see below."""

    def index(at: int) -> int:
        byte = next(lows)
        while byte >= 256 - 256 % (at + 1):
            byte = next(lows)
        return byte % (at + 1)

    lows = biased(source, 0x01)
    return swaps(items, index)


def high_bit_55_to_45(items: Items, source: Source) -> list[int]:
    return list(shuffle(items, biased(source, 0x80)))


def ace_to_seat_one(items: Items, source: Source) -> list[int]:
    """In five hands of a hundred."""
    order = list(shuffle(items, source))
    if next(source) < 13:
        at = order.index(51)
        order[0], order[at] = order[at], order[0]
    return order


FULL_DECK_FAULTS: list[Shuffle] = [
    any_of_all,
    range_short_by_one,
    never_in_place,
    last_step_forgotten,
    byte_remainder,
    sorted_by_short_keys,
    low_bit_55_to_45,
    high_bit_55_to_45,
    ace_to_seat_one,
]
SHORT_DECK_FAULTS: list[Shuffle] = [
    any_of_all,
    range_short_by_one,
    never_in_place,
    last_step_forgotten,
    one_swap_55_to_45,
    low_bit_55_to_45,
    high_bit_55_to_45,
]
DECKS = 20_000


def test_the_fair_shuffle_passes_twenty_runs_of_twenty() -> None:
    for run in range(20):
        source = byte_stream(run.to_bytes(1, "big"), b"fair")
        assert within(short_deck_statistic(shuffle, 5, 12_000, source), ORDERS[5])
        assert within(cards_by_position(shuffle, 3_000, source).statistic, CARD_BY_POSITION)


@pytest.mark.parametrize("faulty", FULL_DECK_FAULTS, ids=lambda each: each.__name__)
def test_cards_by_position_reject_a_faulty_shuffle(faulty: Shuffle) -> None:
    counted = cards_by_position(faulty, DECKS, byte_stream(b"faulty", b"deck"))
    assert not within(counted.statistic, CARD_BY_POSITION)


@pytest.mark.parametrize("faulty", SHORT_DECK_FAULTS, ids=lambda each: each.__name__)
def test_orders_of_five_cards_reject_a_faulty_shuffle(faulty: Shuffle) -> None:
    assert not within(short_deck_statistic(faulty, 5, DECKS, byte_stream(b"faulty", b"deck")), ORDERS[5])


def decks_of_small_seeds(bits: int, decks: int) -> int:
    """How many decks came before, where the seed has few bits."""
    choose = byte_stream(b"which", b"seed")
    seen: set[tuple[int, ...]] = set()
    for _ in range(decks):
        seed = int.from_bytes(bytes(next(choose) for _ in range(4)), "big") >> (32 - bits)
        seen.add(shuffle(range(52), byte_stream(seed.to_bytes(4, "big"), b"small")))
    return decks - len(seen)


def test_repeated_decks_reject_a_small_seed_that_every_distribution_passes() -> None:
    """18 bits and 4,000 decks, in place of 32 bits and 344,498: about 30 repeats are expected."""
    assert decks_of_small_seeds(bits=18, decks=4_000) > 0


def test_seeds_of_the_dealer_repeat_no_deck() -> None:
    source = byte_stream(b"seeds", b"of 256 bits")
    decks = {shuffle(range(52), byte_stream(bytes(next(source) for _ in range(32)), b"deck")) for _ in range(4_000)}
    assert len(decks) == 4_000
