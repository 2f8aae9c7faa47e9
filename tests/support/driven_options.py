"""Which values of which option are driven through the contract: a test says so, and is given the values."""

import re
from collections import defaultdict
from collections.abc import Callable
from enum import Enum

import pytest
from sevenstud.common.v1 import rule_options_pb2
from sevenstud.common.v1.rules_pb2 import ClockRules, HandRules, RuleSet

DRIVEN: dict[str, set[object]] = defaultdict(set)
"""Values by option, as far as the modules with the tests are imported."""


def drives(option: str, *values: object) -> pytest.MarkDecorator:
    """A test that is run with each of these values, in an argument with the name of the option."""
    DRIVEN[option].update(values)
    return pytest.mark.parametrize(option, values, ids=[f"{option}-{value}" for value in values])


def set_options(rules: ClockRules | HandRules, **options: object) -> None:
    """Choose these values."""
    for name, value in options.items():
        setattr(rules, name, _wire(value) if isinstance(value, Enum) else value)


def clock(**options: object) -> Callable[[RuleSet], None]:
    """A change of rules to these values."""
    return lambda rules: set_options(rules.clock, **options)


def _wire(value: Enum) -> int:
    prefix = re.sub(r"(?<!^)(?=[A-Z])", "_", type(value).__name__).upper()
    number: int = getattr(rule_options_pb2, f"{prefix}_{value.name}")
    return number
