"""Every five-card hand, one by one, through every engine: a small `make frequencies`."""

from collections import Counter

import numpy as np
import pytest

from services.evaluator.domain.strength import strengths_of
from tests.batteries.frequencies import count_under, differences
from tests.batteries.frequency_engines import portions, strengths_by
from tests.support.evaluator_engines import FAST, engines


def test_every_five_card_hand_is_of_the_kind_that_was_counted_long_ago() -> None:
    found = count_under((51, 5))[1]
    for top in range(50, 3, -1):
        found.update(count_under((top, 5))[1])
    assert differences(5, found) == []


@pytest.mark.parametrize("name", FAST)
def test_every_five_card_hand_is_worth_the_same_in_every_engine(name: str) -> None:
    engine, found = engines(name).batch, Counter[int]()
    for masks in portions(5):
        strengths = strengths_by(engine, masks)
        assert np.array_equal(strengths, strengths_of(masks.tolist()))
        found.update(strengths.tolist())
    assert differences(5, found) == []
