"""What the battery does not look at: the common card, and the outputs that laboratories get."""

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from services.dealer.domain.deck_out import River
from services.dealer.domain.hand import CardSource
from services.dealer.domain.stream import derive
from services.dealer.domain.streets import river_line
from shared.kernel.cards import parse_cards
from tests.fairness.limits import chi_square, within
from tests.fairness.statistics import CardsByPosition, chi_square_of
from tests.support.dealer_hands import seed_of

DECKS = 20_000


@pytest.mark.parametrize("source", [CardSource.COMMON_FROM_BURNS, CardSource.COMMON_FROM_STUB_AND_BURNS])
def test_every_card_of_the_pile_is_equally_likely_as_the_common_card(source: CardSource) -> None:
    first = Counter(
        river_line((51,), (24, 33, 42), River(source), derive(seed_of(number), b"", b"river"))[0]
        for number in range(DECKS)
    )
    assert set(first) == {24, 33, 42} | ({51} if source is CardSource.COMMON_FROM_STUB_AND_BURNS else set())
    counts = np.array(list(first.values()), np.int64)
    assert within(chi_square_of(counts, 1 / len(first)), chi_square(len(first) - 1))


def collected(*options: str) -> bytes:
    """What the dealer writes for a laboratory."""
    command = [sys.executable, "-m", "services.dealer", "collect", *options]
    return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout


def test_decks_for_a_laboratory_are_whole_fair_and_never_repeated() -> None:
    lines = collected("--decks", "3000").decode().split()
    counted = CardsByPosition()
    counted.add(np.array([[card - 1 for card in parse_cards(line)] for line in lines], np.uint8))
    assert within(counted.statistic, chi_square(2601))
    assert len(set(lines)) == 3000
    assert len(set(collected("--decks", "500", "--hash").split())) == 500


def test_the_raw_stream_has_every_byte_equally_often() -> None:
    raw = np.bincount(np.frombuffer(collected("--decks", "1000", "--raw"), np.uint8), minlength=256).astype(np.int64)
    assert raw.sum() == 272_000
    assert within(chi_square_of(raw, 1 / 256), chi_square(255))
