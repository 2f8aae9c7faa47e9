"""Every batch engine values hands as the plain tables do, and refuses the same ones."""

import subprocess
import sys
from dataclasses import replace
from itertools import combinations
from random import Random

import numpy as np
import pytest
from numba.core.dispatcher import Dispatcher

from services.evaluator.adapters.array_tables import array_tables
from services.evaluator.adapters.compiled_code import compiled
from services.evaluator.adapters.compiled_engine import CompiledEngine
from services.evaluator.adapters.engines import choose_engine
from services.evaluator.adapters.plain_engine import PlainEngine
from shared.kernel.errors import DomainError
from tests.support.evaluator_engines import EVERY, FAST, engines


def plain_strengths(masks: list[int]) -> bytes:
    plain = PlainEngine()
    return plain.strengths(plain.read_masks(packed(masks)))


def packed(masks: list[int]) -> bytes:
    return np.array(masks, "<u8").tobytes()


def hands(cards: int, count: int) -> list[int]:
    rng = Random(cards)
    return [sum(1 << card for card in rng.sample(range(52), cards)) for _ in range(count)]


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize("cards", [5, 6, 7])
def test_every_engine_values_hands_as_the_plain_tables_do(name: str, cards: int) -> None:
    masks = hands(cards, 20_000)
    engine = engines(name).batch
    assert engine.strengths(engine.read_masks(packed(masks))) == plain_strengths(masks)


@pytest.mark.parametrize("name", FAST)
@pytest.mark.parametrize("cards", [5, 6, 7])
@pytest.mark.parametrize("suit", [0, 1, 2, 3])
def test_every_engine_sees_every_flush_of_every_suit(name: str, cards: int, suit: int) -> None:
    rest = [card for card in range(52) if card % 4 != suit]
    masks = [
        sum(1 << 4 * rank + suit for rank in ranks) | sum(1 << card for card in rest[: cards - 5])
        for ranks in combinations(range(13), 5)
    ]
    engine = engines(name).batch
    assert engine.strengths(engine.read_masks(packed(masks))) == plain_strengths(masks)


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("wrong", [0, 0b1111, 0xFF, 0x1F | 1 << 52, 0x1F | 1 << 63])
def test_every_engine_names_the_first_mask_that_is_no_hand(name: str, wrong: int) -> None:
    engine = engines(name).batch
    masks = engine.read_masks(packed([0x1F, 0x3F, wrong, 0]))
    with pytest.raises(DomainError, match=r"masks\[102\]"):
        engine.check(masks, "masks", 100)


@pytest.mark.parametrize("name", EVERY)
def test_no_hands_have_no_strengths(name: str) -> None:
    engine = engines(name).batch
    none = engine.read_masks(b"")
    engine.check(none, "masks", 0)
    assert engine.strengths(none) == b""


def test_arrays_are_taken_where_they_are_installed_and_the_compiled_core_where_it_is_asked_for() -> None:
    assert [choose_engine(name).name for name in ("auto", "plain", "compiled")] == ["numpy", "plain", "compiled"]


WITHOUT = """
import sys
for name in {missing}:
    sys.modules[name] = None
from services.evaluator.adapters.engines import EngineMissing, choose_engine
engines = choose_engine()
print(engines.name, engines.equity.slice_cards)
try:
    choose_engine({wanted!r})
except EngineMissing as missing:
    print(missing)
"""


@pytest.mark.process
@pytest.mark.parametrize(
    ("missing", "wanted", "taken", "extra"),
    [(["numba"], "compiled", "numpy", "`compiled`"), (["numba", "numpy"], "numpy", "plain", "`evaluator`")],
)
def test_without_a_package_the_rest_serves_and_who_insists_is_told(
    missing: list[str], wanted: str, taken: str, extra: str
) -> None:
    program = [sys.executable, "-c", WITHOUT.format(missing=missing, wanted=wanted)]
    said = subprocess.run(program, capture_output=True, text=True, check=True, timeout=60).stdout.splitlines()
    assert said[0].split()[0] == taken
    assert missing[-1] in said[1]
    assert extra in said[1]


def test_a_core_that_values_hands_wrongly_never_serves() -> None:
    tables = array_tables()
    strengths = tables.strengths.copy()
    strengths[strengths > 0] += 1
    with pytest.raises(AssertionError, match="delete what numba kept"):
        CompiledEngine(replace(tables, strengths=strengths))


def test_where_nothing_can_be_kept_the_core_is_compiled_for_this_process_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_folder(*_: object) -> None:
        raise RuntimeError("cannot cache function: no locator available")

    monkeypatch.setattr(Dispatcher, "enable_caching", no_folder)
    doubled = compiled(lambda number: 2 * number)
    assert doubled(21) == 42
