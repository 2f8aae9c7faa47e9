"""F10: every faulty shuffle is rejected by the test that is named for it, and the fair one passes every time."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

from services.dealer.adapters.system import SystemEntropy
from services.dealer.domain.shuffle import bucket_of, shuffle
from services.dealer.domain.stream import byte_stream
from tests.fairness.battery import faulty_shuffles as faulty
from tests.fairness.battery.index_function import is_exact
from tests.fairness.battery.portions import in_portions
from tests.fairness.battery.rows import Row, Sizes, row
from tests.fairness.limits import chi_square, largest_of, within
from tests.fairness.statistics import (
    CardsByPosition,
    Shuffle,
    decks_of,
    orders_of,
    orders_statistic,
)

DECKS = 100_000
ONE_SWAP_DECKS = 1_000_000
SEEDED_DECKS = 344_498
"""Among so many decks of seeds of 32 bits a repeat is missing once in a million runs."""
FAIR_RUNS = 20
PORTION = 5_000
Faults = dict[str, tuple[Shuffle, int]]
"""By name, with the decks that its test needs at full size (twice the plan's figure where that lies at the edge)."""


def by_position(strength: faulty.Strength) -> Faults:
    """What card by position must reject."""
    coin, ace, bits = strength.coin_percent, strength.ace_percent, strength.key_bits
    return {
        "swap with any of 52": (faulty.swap_with_any, DECKS),
        "swap range of 51 (1999)": (faulty.range_short_by_one, DECKS),
        "never in place": (faulty.never_in_place, DECKS),
        "last step forgotten": (faulty.last_step_forgotten, DECKS),
        "remainder of a byte": (faulty.byte_remainder, DECKS),
        f"sorted on {bits}-bit keys": (partial(faulty.sorted_by_short_keys, strength), 2 * DECKS),
        f"low bit {coin} to {100 - coin}": (partial(faulty.low_bit_off, strength), 2 * DECKS),
        f"ace to seat 1 in {ace} %": (partial(faulty.ace_to_seat_one, strength), 2 * DECKS),
    }


def counted(shuffle_: Shuffle, decks: int, source: Iterator[int]) -> CardsByPosition:
    """Whole decks of a shuffle, in portions."""
    found = CardsByPosition()
    for first in range(0, decks, PORTION):
        found.add(decks_of(shuffle_, min(PORTION, decks - first), source))
    return found


@dataclass(frozen=True, slots=True)
class Bite:
    """One faulty shuffle and what its test found."""

    name: str
    test: str
    found: str
    rejected: bool


def bitten(strength: faulty.Strength, share: float, first: int, count: int) -> list[Bite]:
    """Some of the shuffles that card by position rejects."""
    bites: list[Bite] = []
    for name, (shuffle_, full) in list(by_position(strength).items())[first : first + count]:
        decks = Sizes(share).of(full, least=20_000)
        statistic = counted(shuffle_, decks, byte_stream(SystemEntropy().seed(), b"deck")).statistic
        limits = chi_square(2601)
        test = f"F3 outside {limits[0]:.0f} to {limits[1]:.0f}, {decks:,} decks"
        bites.append(Bite(name, test, f"{statistic:.0f}", not within(statistic, limits)))
    return bites


def one_swap_bite(strength: faulty.Strength, decks: int) -> Bite:
    """The coin is seen where few cards are ordered."""
    source = byte_stream(SystemEntropy().seed(), b"deck")
    statistic = orders_statistic(orders_of(partial(faulty.one_swap_off, strength), 3, decks, source), 3)
    limits, coin = chi_square(5), strength.coin_percent
    test = f"F2, orders of 3, over {limits[1]:.1f}, {decks:,} decks"
    return Bite(f"one swap {coin} to {100 - coin}", test, f"{statistic:.0f}", statistic > limits[1])


def remainder_bites() -> Iterator[Bite]:
    """Two bytes are counted out; of four, an index i has floor((2^32 - 1 - i) / n) + 1 numbers."""
    two = [bound for bound in range(2, 53) if not is_exact(faulty.remainder_of, bound, 65536)]
    yield Bite("remainder of 16 bits", "F1, counting out", f"{len(two)} of 51 bounds uneven", len(two) > 0)
    four = [bound for bound in range(2, 53) if len({(2**32 - 1 - at) // bound for at in range(bound)}) > 1]
    assert is_exact(bucket_of, 52, 65536)
    yield Bite("remainder of 32 bits", "F1, counting out", f"{len(four)} of 51 bounds uneven", len(four) > 0)


def seeded_bite(bits: int, decks: int) -> Bite:
    """Repeats among decks of small seeds."""
    source = byte_stream(SystemEntropy().seed(), b"seeds")
    seen = {hash(deck) for deck in faulty.decks_of_small_seeds(bits, decks, source)}
    again = decks - len(seen)
    return Bite(f"generator seeded with {bits} bits", f"F5, repeats in {decks:,} decks", f"{again} repeats", again > 0)


def fair_run(decks: int, first: int, count: int) -> list[tuple[bool, ...]]:
    """Some runs of the fair shuffle: every statistic within its limits."""
    return [_fair(decks, byte_stream(SystemEntropy().seed(), b"deck")) for _ in range(first, first + count)]


def _fair(decks: int, source: Iterator[int]) -> tuple[bool, ...]:
    whole = counted(shuffle, decks, source)
    orders = orders_statistic(orders_of(shuffle, 5, max(decks, 12_000), source), 5)
    return (
        within(whole.statistic, chi_square(2601)),
        whole.largest_cell <= largest_of(2704),
        whole.largest_order <= largest_of(1326),
        within(orders, chi_square(119)),
    )


def rows(sizes: Sizes) -> Iterator[Row]:
    """A row for each fault, and one for the fair shuffle."""
    small = sizes.share < 1
    strength = faulty.STRONG if small else faulty.AS_PLANNED
    faults = len(by_position(strength))
    work = partial(bitten, strength, sizes.share)
    bites = [bite for part in in_portions("F10, faulty shuffles", work, faults, 1) for bite in part]
    bites.append(one_swap_bite(strength, sizes.of(ONE_SWAP_DECKS, least=30_000)))
    bites += remainder_bites()
    bites.append(seeded_bite(24, 20_000) if small else seeded_bite(32, SEEDED_DECKS))
    for bite in bites:
        yield row("F10", bite.name, bite.test, bite.found, holds=bite.rejected)
    runs, size = FAIR_RUNS, sizes.of(DECKS, least=3_000)
    fair = [all(run) for part in in_portions("F10, the fair shuffle", partial(fair_run, size), runs, 1) for run in part]
    name = f"the fair shuffle, {size:,} decks a run, 4 statistics"
    yield row("F10", name, f"{runs} of {runs} runs pass", f"{sum(fair)} of {runs}", holds=all(fair))
