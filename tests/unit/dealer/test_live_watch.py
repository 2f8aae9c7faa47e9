"""The live watch on the decks of real hands: it counts, keeps, looks, and speaks when cards are not chance (F19)."""

from pathlib import Path

import pytest
from scipy.stats import binom, chi2

from services.dealer.adapters import migrations
from services.dealer.adapters.vault import Vault
from services.dealer.adapters.watch_book import StoredWatch
from services.dealer.application.live_watch import LiveWatch
from services.dealer.domain.live_watch import (
    CELLS,
    DEVIATIONS_MOST,
    FALSE_ALARM,
    NOTHING,
    STATISTIC_LEAST,
    STATISTIC_MOST,
    WINDOW_HANDS,
    CardCounts,
    Figure,
    look_at,
    places_of,
)
from services.dealer.domain.live_watch import Look as WatchLook
from services.dealer.domain.sealing_keys import SealingKeys
from services.dealer.domain.shuffle import shuffle
from services.dealer.domain.stream import byte_stream
from services.dealer.ports import KeptCounts
from shared.kernel.cards import DECK_SIZE, FULL_DECK, Card
from shared.observability.logging import get_log
from shared.storage.database import StoreUnavailable, WriteConflict
from shared.storage.sqlite import open_store
from tests.support.quiet_witness import QuietWitness

SOURCE = byte_stream(b"live watch", b"deck")


def counts_of(*decks: tuple[Card, ...]) -> CardCounts:
    cells = [0] * CELLS
    for deck in decks:
        for place in places_of(deck):
            cells[place] += 1
    return CardCounts(len(decks), tuple(cells))


class Book:
    """Kept in memory, with faults on demand."""

    def __init__(self) -> None:
        self.kept = KeptCounts(0, NOTHING)
        self.faults: list[Exception] = []

    async def read(self) -> KeptCounts:
        return self.kept

    async def save(self, version: int, counts: CardCounts) -> None:
        if self.faults:
            raise self.faults.pop()
        assert version == self.kept.version
        self.kept = KeptCounts(version + 1, counts)


class Witness(QuietWitness):
    """Keeps the looks."""

    def __init__(self) -> None:
        self.looks: list[WatchLook] = []

    def decks_looked_at(self, look: WatchLook) -> None:
        self.looks.append(look)


def test_the_limits_of_the_statistic_are_those_of_chi_square() -> None:
    assert pytest.approx(chi2.ppf(FALSE_ALARM / 2, 2601), abs=0.06) == STATISTIC_LEAST
    assert pytest.approx(chi2.isf(FALSE_ALARM / 2, 2601), abs=0.06) == STATISTIC_MOST


@pytest.mark.parametrize("hands", [1_000, 20_000, 1_000_000])
def test_a_cell_within_its_limit_is_chance_and_one_beyond_it_is_not(hands: int) -> None:
    """Held against the binomial itself, at the first count beyond the limit."""
    mean = hands // DECK_SIZE
    beyond = next(
        count for count in range(mean, hands) if look_at(with_a_cell(hands, count)).deviations > DEVIATIONS_MOST
    )
    assert float(binom.sf(beyond - 1, hands, 1 / DECK_SIZE)) < FALSE_ALARM / (2 * CELLS)
    assert float(binom.sf(beyond - 1, hands, 1 / DECK_SIZE)) > FALSE_ALARM / (2 * CELLS) / 100


def with_a_cell(hands: int, count: int) -> CardCounts:
    mean = hands // DECK_SIZE
    return CardCounts(hands, (count, *(mean,) * (CELLS - 1)))


def test_a_card_that_is_missing_from_a_place_is_as_far_from_chance_as_one_that_is_there_too_often() -> None:
    assert Figure.FURTHEST_CELL in look_at(with_a_cell(100_000, 0)).alarms


def test_decks_of_the_one_shuffle_raise_no_alarm() -> None:
    decks = [shuffle(FULL_DECK, SOURCE) for _ in range(3_000)]
    assert look_at(counts_of(*decks)).alarms == ()


def test_a_deck_that_always_comes_again_raises_both_alarms() -> None:
    deck = shuffle(FULL_DECK, SOURCE)
    assert look_at(counts_of(*[deck] * 1_000)).alarms == (Figure.CARD_BY_POSITION, Figure.FURTHEST_CELL)


def test_decks_that_are_spread_too_evenly_are_not_chance_either() -> None:
    even = [tuple(FULL_DECK[at:]) + tuple(FULL_DECK[:at]) for at in range(52)] * 20
    assert look_at(counts_of(*even)).alarms == (Figure.CARD_BY_POSITION,)


async def test_it_looks_when_so_many_hands_are_closed_and_never_at_fewer() -> None:
    book, witness = Book(), Witness()
    watch = LiveWatch(book, witness, look_every_hands=10)
    for _ in range(29):
        await watch.count(shuffle(FULL_DECK, SOURCE))
    assert [look.hands for look in witness.looks] == [10, 20]
    assert book.kept.counts.hands == 20


@pytest.mark.parametrize("fault", [StoreUnavailable("full"), WriteConflict("watch", "another was first")])
async def test_what_could_not_be_kept_is_counted_at_the_next_look(fault: Exception) -> None:
    book, witness = Book(), Witness()
    watch = LiveWatch(book, witness, look_every_hands=10)
    book.faults.append(fault)
    for _ in range(11):
        await watch.count(shuffle(FULL_DECK, SOURCE))
    assert [look.hands for look in witness.looks] == [11]
    assert sum(book.kept.counts.cells) == 11 * DECK_SIZE


async def test_after_a_window_the_count_begins_anew() -> None:
    book, witness = Book(), Witness()
    book.kept = KeptCounts(1, CardCounts(WINDOW_HANDS, NOTHING.cells))
    watch = LiveWatch(book, witness, look_every_hands=1)
    await watch.count(FULL_DECK)
    assert [look.hands for look in witness.looks] == [1]


async def test_counts_outlive_a_restart_sealed_and_begin_anew_without_their_key(tmp_path: Path) -> None:
    store = await open_store(str(tmp_path / "dealer.sqlite"), "dealer", migrations)
    try:
        counts, key = counts_of(shuffle(FULL_DECK, SOURCE)), bytes(32)
        watch = StoredWatch(store, Vault(SealingKeys({"one": key})), get_log())
        await watch.save(0, counts)
        await watch.save(1, counts + counts)
        again = StoredWatch(store, Vault(SealingKeys({"two": bytes(range(32)), "one": key})), get_log())
        assert await again.read() == KeptCounts(2, counts + counts)
        lost = StoredWatch(store, Vault(SealingKeys({"two": bytes(range(32))})), get_log())
        assert await lost.read() == KeptCounts(2, NOTHING)
        with pytest.raises(WriteConflict):
            await watch.save(1, counts)
        ((sealed,),) = await store.read("SELECT sealed FROM dealer_watch")
        assert isinstance(sealed, bytes)
        assert bytes(40) not in sealed  # in clear, most counts of one deck are zero
    finally:
        await store.close()
