"""No value of an option that the table carries out goes untried: each is driven through the contract."""

from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from typing import Any, get_type_hints

import pytest

from shared.kernel.rules import ClockRules, HandRules
from tests.support.driven_options import DRIVEN

DIFFERENT_NUMBERS_MIN = 2
OF_THE_TABLE = {"dealer_position", "all_in_exposure", "ask_to_see", "mucked_in_history"}
"""Options of a hand that the orchestrator carries out; the others are dealer's, betting's and evaluator's."""
for _module in (
    "test_clock_options",
    "test_clock_options_tournament",
    "test_table_hand_options",
    "test_table_connections",
    "test_table_entropy",
    "test_tournament_connections",
):
    import_module(f"tests.contract.{_module}")  # its tests say what they drive


def options() -> Iterator[tuple[str, Any]]:
    """Every field of the clock rules, and those of a hand's that the table carries out, with their types."""
    yield from get_type_hints(ClockRules).items()
    yield from ((name, kind) for name, kind in get_type_hints(HandRules).items() if name in OF_THE_TABLE)


@pytest.mark.parametrize(("name", "kind"), tuple(options()), ids=[name for name, _ in options()])
def test_every_value_of_an_option_is_driven_through_the_contract(name: str, kind: Any) -> None:
    if kind is bool:
        assert DRIVEN[name] == {True, False}
    elif issubclass(kind, Enum):
        assert DRIVEN[name] == set(kind), f"{name} is never driven with {set(kind) - DRIVEN[name]}"
    else:
        assert len(DRIVEN[name]) >= DIFFERENT_NUMBERS_MIN, f"{name} is driven with {DRIVEN[name]} only"


def test_no_test_drives_an_option_that_there_is_not() -> None:
    assert set(DRIVEN) == {name for name, _ in options()}
