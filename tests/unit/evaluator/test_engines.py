"""Every batch engine values hands as the plain tables do, and refuses the same ones."""

import sys
from itertools import combinations
from random import Random

import numpy as np
import pytest

from services.evaluator.adapters import engines
from services.evaluator.adapters.engines import EngineMissing, choose_engine
from services.evaluator.adapters.numpy_engine import NumpyEngine
from services.evaluator.adapters.plain_engine import PlainEngine
from services.evaluator.domain.strength_tables import CATEGORY_SHIFT
from services.evaluator.ports.batch_engine import BatchEngine
from shared.kernel.errors import DomainError

COUNTS_OF_FIVE = (1_302_540, 1_098_240, 123_552, 54_912, 10_200, 5_108, 3_744, 624, 36, 4)
"""High card to royal flush, as published."""


@pytest.fixture(scope="module")
def arrays() -> NumpyEngine:
    return NumpyEngine()


def packed(masks: list[int]) -> bytes:
    return np.array(masks, "<u8").tobytes()


def hands(cards: int, count: int) -> list[int]:
    rng = Random(cards)
    return [sum(1 << card for card in rng.sample(range(52), cards)) for _ in range(count)]


@pytest.mark.parametrize("cards", [5, 6, 7])
def test_arrays_value_hands_as_the_plain_tables_do(arrays: NumpyEngine, cards: int) -> None:
    masks = hands(cards, 20_000)
    plain = PlainEngine()
    assert arrays.strengths(arrays.read_masks(packed(masks))) == plain.strengths(plain.read_masks(packed(masks)))


@pytest.mark.parametrize("cards", [5, 6, 7])
@pytest.mark.parametrize("suit", [0, 1, 2, 3])
def test_arrays_see_every_flush_of_every_suit(arrays: NumpyEngine, cards: int, suit: int) -> None:
    rest = [card for card in range(52) if card % 4 != suit]
    masks = [
        sum(1 << 4 * rank + suit for rank in ranks) | sum(1 << card for card in rest[: cards - 5])
        for ranks in combinations(range(13), 5)
    ]
    plain = PlainEngine()
    assert arrays.strengths(arrays.read_masks(packed(masks))) == plain.strengths(plain.read_masks(packed(masks)))


def test_arrays_count_all_hands_of_five_as_published(arrays: NumpyEngine) -> None:
    cards = np.array([1 << card for card in range(52)], np.uint64)
    found = np.zeros(11, np.int64)
    rest = np.array(list(combinations(range(52), 3)))
    for first, second in combinations(range(52), 2):
        chosen = rest[rest[:, 0] > second]
        if len(chosen):
            masks = cards[first] | cards[second] | cards[chosen[:, 0]] | cards[chosen[:, 1]] | cards[chosen[:, 2]]
            found += np.bincount(arrays.values(masks) >> CATEGORY_SHIFT, minlength=11)
    assert tuple(found[1:]) == COUNTS_OF_FIVE


@pytest.mark.parametrize("engine", [PlainEngine(), NumpyEngine()], ids=["plain", "arrays"])
@pytest.mark.parametrize("wrong", [0, 0b1111, 0xFF, 0x1F | 1 << 52, 0x1F | 1 << 63])
def test_every_engine_names_the_first_mask_that_is_no_hand(engine: BatchEngine, wrong: int) -> None:
    masks = engine.read_masks(packed([0x1F, 0x3F, wrong, 0]))
    with pytest.raises(DomainError, match=r"masks\[102\]"):
        engine.check(masks, "masks", 100)


@pytest.mark.parametrize("engine", [PlainEngine(), NumpyEngine()], ids=["plain", "arrays"])
def test_no_hands_have_no_strengths(engine: BatchEngine) -> None:
    none = engine.read_masks(b"")
    engine.check(none, "masks", 0)
    assert engine.strengths(none) == b""


def test_the_fastest_engine_installed_is_taken_unless_another_is_asked_for() -> None:
    assert choose_engine()[0] == "numpy"
    assert choose_engine("plain")[0] == "plain"


def test_without_arrays_plain_tables_serve_and_who_insists_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda _: None)
    assert choose_engine()[0] == "plain"
    with pytest.raises(EngineMissing, match="evaluator"):
        choose_engine("numpy")


def test_the_plain_engine_needs_no_arrays() -> None:
    assert "numpy" not in (sys.modules[PlainEngine.__module__].__dict__)
