"""No value of a clock option goes untried: each is driven through the contract, at a table or in a tournament."""

from collections.abc import Iterator
from enum import Enum
from importlib import import_module
from typing import Any, get_type_hints

import pytest

from shared.kernel.rules import ClockRules
from tests.support.driven_options import DRIVEN

DIFFERENT_NUMBERS_MIN = 2
for _module in (
    "test_clock_options",
    "test_clock_options_tournament",
    "test_table_connections",
    "test_tournament_connections",
):
    import_module(f"tests.contract.{_module}")  # its tests say what they drive


def options() -> Iterator[tuple[str, Any]]:
    """Every field of the clock rules with its type."""
    yield from get_type_hints(ClockRules).items()


@pytest.mark.parametrize(("name", "kind"), tuple(options()), ids=[name for name, _ in options()])
def test_every_value_of_a_clock_option_is_driven_through_the_contract(name: str, kind: Any) -> None:
    if kind is bool:
        assert DRIVEN[name] == {True, False}
    elif issubclass(kind, Enum):
        assert DRIVEN[name] == set(kind), f"{name} is never driven with {set(kind) - DRIVEN[name]}"
    else:
        assert len(DRIVEN[name]) >= DIFFERENT_NUMBERS_MIN, f"{name} is driven with {DRIVEN[name]} only"


def test_no_test_drives_an_option_that_there_is_not() -> None:
    assert set(DRIVEN) == {name for name, _ in options()}
