"""Every equity engine deals and counts as plain Python does, to the last deal."""

from collections.abc import Sequence

import pytest

from services.evaluator.adapters.plain_equity import PlainEquity
from services.evaluator.domain.equity_question import EquityHand, Layout, lay_out
from services.evaluator.domain.equity_tally import WHOLE_POT, Tally, no_deals
from services.evaluator.ports.equity_engine import DealCounter, EquityEngine
from shared.kernel.cards import FULL_DECK, parse_cards
from tests.support.evaluator_engines import FAST, engines

PLAIN = PlainEquity()


@pytest.fixture(scope="module", params=FAST)
def engine(request: pytest.FixtureRequest) -> EquityEngine:
    return engines(str(request.param)).equity


def layout(*hands: str, dead: str = "", gone: int = 0) -> Layout:
    known = [EquityHand(cards=parse_cards(text)) for text in hands]
    used = {card for hand in known for card in hand.cards} | set(parse_cards(dead))
    left = [card for card in FULL_DECK if card not in used]
    return lay_out(known, [*parse_cards(dead), *left[:gone]])


SAMPLED = {
    "all cards known so far": layout("AhAdKc2s", "7c7d7hQs", "TsJs9s3d", dead="4c4d"),
    "two by their up cards": layout("AhAdKc2s", "7hQs", "9s3d", dead="4c4d"),
    "one known, one not at all": layout("AsKdQh", ""),
    "a full hand and a hand to be filled": layout("AsAdAc7c8d2c3s", "KhQh9h3h4c5d"),
    "eight unknown hands and one card for all": layout(*[""] * 8),
    "six cards known each, one for all": layout("AsAdAhKcKd2c", "QsQdQhJcJd4c", gone=38),
    "a flush in every suit to come": layout("AcKcQcJc", "AdKdQdJd", "AhKhQhJh", "AsKsQsJs"),
    "seven hands and the last card": layout(*[""] * 7, gone=3),
}
COUNTED = {
    "a deal that is over": layout("AsAdAhKcKd2c3c", "QsQdQhJcJd4c5c"),
    "one card to come": layout("AsAdAc7c8d2c3s", "KhQh9h3h4c5d"),
    "two cards of one hand": layout("AsAdAc7c8d2c3s", "KhQh9h3h4c", dead="2h"),
    "two cards of each": layout("AsAd9c7c8d", "KhQh9h3h4c", gone=26),
    "one card each of three": layout("AhAdKc2s9d5c", "7c7d8hQsJc2d", "TsJs9s3dKh6h", dead="4c4d"),
    "three cards, then none, then one": layout("AhAdKc2s", "7c7d8hQsJc2dTh", "TsJs9s3dKh6h", gone=15),
    "a card for all": layout("AsAdAhKcKd2c", "QsQdQhJcJd4c", gone=39),
    "the last cards and one for all": layout("AsAdAhKcKd", "QsQdQhJcJd", "2c5h9h8d3s", gone=33),
}


def in_slices(counter: DealCounter, sizes: Sequence[int]) -> Tally:
    tally = no_deals(len(counter(0).wins))
    for size in sizes:
        tally = tally.plus(counter(size))
    return tally


@pytest.mark.parametrize("asked", SAMPLED.values(), ids=SAMPLED)
def test_one_seed_is_one_sample_in_every_engine(engine: EquityEngine, asked: Layout) -> None:
    for seed in (0, 7, 2**64 - 1):
        assert engine.sampled(asked, seed)(900) == PLAIN.sampled(asked, seed)(900)


def test_a_sample_goes_on_where_it_stopped(engine: EquityEngine) -> None:
    asked = SAMPLED["two by their up cards"]
    assert in_slices(engine.sampled(asked, 3), (1, 699, 20_000, 300)) == engine.sampled(asked, 3)(21_000)


@pytest.mark.parametrize("asked", COUNTED.values(), ids=COUNTED)
def test_all_deals_are_counted_once_each_in_every_engine(engine: EquityEngine, asked: Layout) -> None:
    tally = engine.all_counted(asked)(asked.deals_count)
    assert tally == PLAIN.all_counted(asked)(asked.deals_count)
    assert sum(tally.parts) == tally.deals * WHOLE_POT


def test_the_count_of_all_deals_goes_on_where_it_stopped(engine: EquityEngine) -> None:
    asked = COUNTED["one card each of three"]
    rest = asked.deals_count - 20_001
    assert in_slices(engine.all_counted(asked), (1, 20_000, rest)) == engine.all_counted(asked)(asked.deals_count)
