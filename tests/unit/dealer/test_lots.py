"""Lots: every entry once, drawn by the one shuffle, from a seed that anybody can check."""

from collections import Counter
from itertools import permutations

import pytest

from services.dealer.domain.lots import DrawLots, check_lots, draw_lots
from shared.kernel.errors import DomainError, Reason
from tests.support.dealer_hands import seed_of

SEATS = DrawLots(purpose="seats", subject_id="tournament-1", entries=("ann", "bob", "cem", "dan"))


def test_every_entry_is_drawn_once_and_the_seed_draws_them_again() -> None:
    lots = draw_lots(SEATS, "draw-1", seed_of(1))
    assert sorted(lots.drawn) == sorted(SEATS.entries)
    assert draw_lots(SEATS, "draw-1", lots.seed) == lots


def test_a_thousand_entries_need_numbers_of_two_bytes() -> None:
    many = DrawLots(purpose="seats", subject_id="t", entries=tuple(f"player-{number}" for number in range(1000)))
    drawn = draw_lots(many, "draw-1", seed_of(1)).drawn
    assert drawn != many.entries
    assert sorted(drawn) == sorted(many.entries)


def test_every_order_of_the_entries_is_equally_likely() -> None:
    counts = Counter(draw_lots(SEATS, "draw-1", seed_of(number)).drawn for number in range(12_000))
    expected = 12_000 / 24
    assert set(counts) == set(permutations(SEATS.entries))
    assert 1.7 < sum((count - expected) ** 2 / expected for count in counts.values()) < 90.9


@pytest.mark.parametrize("entries", [("a", "a"), ("a", ""), ("a" * 129,), tuple(str(n) for n in range(10_001))])
def test_entries_that_cannot_be_told_apart_or_are_too_many_are_refused(entries: tuple[str, ...]) -> None:
    with pytest.raises(DomainError) as refusal:
        check_lots(DrawLots(purpose="seats", subject_id="t", entries=entries))
    assert refusal.value.reason is Reason.REQUEST_INVALID
