"""No value of a clock option goes untried: each is driven through the contract, at a table or in a tournament."""

from collections.abc import Iterator
from enum import Enum
from typing import Any, get_type_hints

import pytest

import tests.contract.test_clock_options
import tests.contract.test_clock_options_tournament
import tests.contract.test_table_connections
import tests.contract.test_tournament_connections  # noqa: F401  # importing the tests says what they drive
from shared.kernel.rules import ClockRules
from tests.support.driven_options import DRIVEN

DIFFERENT_NUMBERS_MIN = 2


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
