"""What must hold for every equity question, whatever is known of the hands, in every engine."""

from fractions import Fraction
from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.evaluator.domain.equity_question import EquityHand, Layout, lay_out
from services.evaluator.domain.equity_tally import WHOLE_POT, Tally
from services.evaluator.ports.equity_engine import EquityEngine
from shared.kernel.cards import FULL_DECK
from shared.kernel.errors import DomainError
from tests.support.evaluator_engines import EVERY, FAST, engines


@st.composite
def layouts(draw: st.DrawFn) -> Layout:
    """Two to eight hands of which nothing, something or all is known, and dead cards as far as the deck reaches."""
    deck = draw(st.permutations(FULL_DECK))
    counts = draw(st.lists(st.integers(0, 7), min_size=2, max_size=8))
    hands, place = list[EquityHand](), 0
    for count in counts:
        hands.append(EquityHand(cards=tuple(deck[place : place + count])))
        place += count
    dead = draw(st.integers(0, 40))
    while True:
        try:
            return lay_out(hands, deck[place : place + dead])
        except DomainError:
            if not dead:  # a card for all beside a hand of seven: one of its cards was not dealt yet
                hands = [EquityHand(cards=hand.cards[:6]) for hand in hands]
            dead //= 2


def shares(tally: Tally) -> tuple[Fraction, ...]:
    return tuple(Fraction(parts, tally.deals * WHOLE_POT) for parts in tally.parts)


@given(layout=layouts(), seed=st.integers(0, 2**64 - 1))
@settings(max_examples=60, deadline=None)
def test_all_engines_draw_and_count_the_same_deals(layout: Layout, seed: int) -> None:
    plain, *others = (engines(name).equity.sampled(layout, seed)(120) for name in EVERY)
    assert all(other == plain for other in others)
    assert sum(plain.parts) == 120 * WHOLE_POT
    assert sum(shares(plain)) == 1


@given(layout=layouts(), seed=st.integers(0, 2**32))
@settings(max_examples=25, deadline=None)
def test_the_same_seed_is_the_same_sample_however_it_is_cut(layout: Layout, seed: int) -> None:
    for name in FAST:
        engine: EquityEngine = engines(name).equity
        cut, whole = engine.sampled(layout, seed), engine.sampled(layout, seed)(3_000)
        assert cut(1).plus(cut(2_000)).plus(cut(999)) == whole


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("dead", [30, 32])  # the second leaves too few cards for seven each: one is for all
def test_a_seat_has_no_part_in_an_exact_share(name: str, dead: int) -> None:
    hands = [EquityHand(cards=FULL_DECK[start : start + 5]) for start in (0, 9, 19)]
    used = {card for hand in hands for card in hand.cards}
    gone = [card for card in FULL_DECK if card not in used][:dead]
    found: set[tuple[tuple[Fraction, EquityHand], ...]] = set()
    for seats in permutations(hands):
        layout = lay_out(seats, gone)
        tally = engines(name).equity.all_counted(layout)(layout.deals_count)
        assert sum(shares(tally)) == 1
        found.add(tuple(sorted(zip(shares(tally), seats, strict=True), key=lambda row: row[1].cards)))
    assert len(found) == 1
