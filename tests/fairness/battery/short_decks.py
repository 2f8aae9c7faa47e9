"""F2: every order of a few cards is equally likely."""

from collections import Counter
from collections.abc import Iterator
from functools import partial
from math import factorial

from services.dealer.adapters.system import SystemEntropy
from services.dealer.domain.shuffle import shuffle
from services.dealer.domain.stream import byte_stream
from tests.fairness.battery.portions import in_portions
from tests.fairness.battery.rows import Row, Sizes, between
from tests.fairness.limits import chi_square
from tests.fairness.statistics import orders_of, orders_statistic

DECKS = 1_000_000
PORTION = 25_000


def _orders(size: int, _: int, count: int) -> Counter[tuple[int, ...]]:
    return orders_of(shuffle, size, count, byte_stream(SystemEntropy().seed(), b"deck"))


def rows(sizes: Sizes) -> Iterator[Row]:
    """A row for each size."""
    for size in (3, 4, 5, 6):
        decks = sizes.of(DECKS, least=10 * factorial(size))
        orders: Counter[tuple[int, ...]] = Counter()
        for part in in_portions(f"F2, orders of {size} cards", partial(_orders, size), decks, PORTION):
            orders.update(part)
        statistic = orders_statistic(orders, size)
        yield between("F2", f"orders of {size} cards, {decks:,} decks", statistic, chi_square(factorial(size) - 1))
