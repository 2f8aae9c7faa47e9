"""The twelve faulty shuffles of the field, each as it was or could be built, over a good source of bytes."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from services.dealer.domain.shuffle import index_below, shuffle
from services.dealer.domain.stream import byte_stream

Items = Sequence[int]
Source = Iterator[int]


@dataclass(frozen=True, slots=True)
class Strength:
    """How strong the weak faults are: small samples need strong ones."""

    coin_percent: int
    """How often a coin falls on the side that it prefers."""
    ace_percent: int
    """In how many of a hundred hands the ace is moved."""
    key_bits: int
    """Of the keys that are sorted."""


AS_PLANNED = Strength(51, 1, 8)
STRONG = Strength(55, 5, 6)
ALL_PERCENT = 65_536 / 100


def two_bytes(source: Source) -> int:
    """A number below 65,536."""
    return next(source) * 256 + next(source)


def swaps(items: Items, choose: Callable[[int], int]) -> list[int]:
    """Swap each place, from the last one down, with the one chosen for it."""
    order = list(items)
    for at in range(len(order) - 1, 0, -1):
        other = choose(at)
        order[at], order[other] = order[other], order[at]
    return order


def swap_with_any(items: Items, source: Source) -> list[int]:
    """Each place swaps with any place at all."""
    return swaps(items, lambda _: index_below(len(items), source))


def range_short_by_one(items: Items, source: Source) -> list[int]:
    """Planet Poker, 1999: the last place is never chosen."""
    return swaps(items, lambda _: index_below(len(items) - 1, source))


def never_in_place(items: Items, source: Source) -> list[int]:
    """A place never swaps with itself."""
    return swaps(items, lambda at: index_below(at, source) if at > 1 else 0)


def last_step_forgotten(items: Items, source: Source) -> list[int]:
    """The last swap of two is left out."""
    return swaps(items, lambda at: index_below(at + 1, source) if at > 1 else 1)


def byte_remainder(items: Items, source: Source) -> list[int]:
    """The remainder of one byte, nothing thrown away."""
    return swaps(items, lambda at: next(source) % (at + 1))


def sorted_by_short_keys(strength: Strength, items: Items, source: Source) -> list[int]:
    """Sorted by random keys of few bits; ties keep the old order."""
    return sorted(items, key=lambda _: next(source) >> 8 - strength.key_bits)


def turned_over(strength: Strength, source: Source) -> bool:
    """Turns a fair coin that fell on the other side over, so often that the side it prefers comes up as wanted."""
    return two_bytes(source) < (2 * strength.coin_percent - 100) * ALL_PERCENT


def one_swap_off(strength: Strength, items: Items, source: Source) -> list[int]:
    """Which of the first two cards of a new deck comes first is decided by a coin that is a little off."""
    order = list(shuffle(items, source))
    one, other = order.index(0), order.index(1)
    if one > other and turned_over(strength, source):
        order[one], order[other] = order[other], order[one]
    return order


def off_by_a_bit(strength: Strength, source: Source) -> Source:
    """Bytes whose low bit is set too often."""
    for byte in source:
        yield byte | 1 if turned_over(strength, source) else byte


def low_bit_off(strength: Strength, items: Items, source: Source) -> list[int]:
    """Over exact remainders, which hang on the low bits of a byte."""
    lows = off_by_a_bit(strength, source)

    def index(at: int) -> int:
        byte = next(lows)
        while byte >= 256 - 256 % (at + 1):
            byte = next(lows)
        return byte % (at + 1)

    return swaps(items, index)


def ace_to_seat_one(strength: Strength, items: Items, source: Source) -> list[int]:
    """In some hands, the last card of a new deck goes to the first seat."""
    order = list(shuffle(items, source))
    if two_bytes(source) < strength.ace_percent * ALL_PERCENT:
        at = order.index(len(items) - 1)
        order[0], order[at] = order[at], order[0]
    return order


def remainder_of(number: int, bound: int, span: int) -> int:
    """An index as the remainder of a number of two or four bytes: no distribution shows it, counting out does."""
    del span
    return number % bound


def decks_of_small_seeds(bits: int, decks: int, source: Source) -> Iterator[tuple[int, ...]]:
    """A good shuffle from seeds of few bits: every distribution passes, only repeats tell."""
    for _ in range(decks):
        seed = (two_bytes(source) << 16 | two_bytes(source)) >> (32 - bits)
        yield shuffle(range(52), byte_stream(seed.to_bytes(4, "big"), b"small"))
