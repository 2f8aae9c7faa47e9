"""Rules are converted once and kept, and a value found wrong once is found wrong again."""

from dataclasses import replace

import pytest
from sevenstud.common.v1.rules_pb2 import HandRules as HandRulesMessage

from shared.kernel.errors import DomainError
from shared.kernel.rules import HandRules
from shared.kernel.rules.presets import PRESETS
from shared.rpc.mirror import from_proto, to_proto
from shared.rpc.mirror_kept import KEPT_MAX
from shared.rpc.validation import Validator

RULES = PRESETS["card_room"].hand


def test_equal_rules_are_read_as_one_object() -> None:
    assert from_proto(to_proto(RULES, HandRulesMessage), HandRules) is from_proto(
        to_proto(replace(RULES), HandRulesMessage), HandRules
    )


def test_rules_that_differ_in_one_option_are_other_rules() -> None:
    other = replace(RULES, raise_cap=RULES.raise_cap + 1)
    read = [from_proto(to_proto(each, HandRulesMessage), HandRules) for each in (RULES, other, RULES)]
    assert read == [RULES, other, RULES]


def test_more_rules_than_are_kept_are_read_and_written_all_the_same() -> None:
    for cap in range(KEPT_MAX + 10):
        rules = replace(RULES, raise_cap=cap % 100, odd_chip_unit_chips=1 + cap)
        assert from_proto(to_proto(rules, HandRulesMessage), HandRules) == rules


def test_rules_with_a_hole_are_refused_every_time() -> None:
    message = to_proto(RULES, HandRulesMessage)
    message.ClearField("raise_cap")
    for _ in range(2):
        with pytest.raises(DomainError, match="raise_cap"):
            from_proto(message, HandRules)


def test_rules_that_break_a_constraint_are_refused_after_good_ones() -> None:
    validator, message = Validator(), to_proto(RULES, HandRulesMessage)
    for _ in range(2):
        validator.check(message, HandRulesMessage.DESCRIPTOR)
    message.seats_max = 99
    for _ in range(2):
        with pytest.raises(DomainError, match="seats_max"):
            validator.check(message, HandRulesMessage.DESCRIPTOR)
