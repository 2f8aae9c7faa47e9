"""Options that contradict one another are refused with both named; idle ones are carried."""

from dataclasses import fields, replace
from typing import Any

import pytest

from shared.kernel.game import Mode
from shared.kernel.rules import (
    AbsentBringIn,
    AskToSee,
    BringInFold,
    HandRules,
    HeadsUpCap,
    RuleSet,
    SitOutPays,
    TimeBankRefill,
    Timeout,
    TimeoutBringIn,
    TimeoutFree,
)
from shared.kernel.rules.presets import PRESETS
from shared.kernel.rules.validation import check_rules

CLASSIC = PRESETS["classic"]
HAND_OPTIONS = {each.name for each in fields(HandRules)}


def under(**options: Any) -> RuleSet:
    of_hand = {name: value for name, value in options.items() if name in HAND_OPTIONS}
    of_clock = {name: value for name, value in options.items() if name not in HAND_OPTIONS}
    return replace(CLASSIC, hand=replace(CLASSIC.hand, **of_hand), clock=replace(CLASSIC.clock, **of_clock))


REFUSED = (
    (
        "a clock that passes on what may not be declined",
        under(bring_in_fold=BringInFold.NO, timeout_bring_in=TimeoutBringIn.FOLD_PASS_ON),
        "clock.timeout_bring_in",
        "bring_in_fold",
    ),
    (
        "a clock that passes to the left what may not be declined",
        under(bring_in_fold=BringInFold.NO, timeout_bring_in=TimeoutBringIn.FOLD_PASS_LEFT),
        "clock.timeout_bring_in",
        "bring_in_fold",
    ),
    (
        "an absent player who passes on what may not be declined",
        under(bring_in_fold=BringInFold.NO, absent_bring_in=AbsentBringIn.FOLD_PASS_ON),
        "clock.absent_bring_in",
        "bring_in_fold",
    ),
    (
        "a clock that folds where nobody may fold",
        under(fold_when_check_free=False, timeout_free=TimeoutFree.FOLD),
        "clock.timeout_free",
        "fold_when_check_free",
    ),
    (
        "a policy that folds where nobody may fold",
        under(fold_when_check_free=False, timeout_free=TimeoutFree.POLICY, timeout=Timeout.FREEZE_IF_BET),
        "clock.timeout_free",
        "fold_when_check_free",
    ),
    (
        "a lower cap for two than for all",
        under(heads_up_cap=HeadsUpCap.NUMBER, heads_up_raise_cap=2, raise_cap=3),
        "hand.heads_up_raise_cap",
        "raise_cap",
    ),
    (
        "a refill at the final table of a cash game",
        under(modes_allowed=(Mode.CASH,), time_bank_refill=TimeBankRefill.FINAL_TABLE, time_bank_seconds=60),
        "clock.time_bank_refill",
        "modes_allowed",
    ),
    (
        "asking to see what is always shown",
        under(losers_may_muck=False, ask_to_see=AskToSee.CALLER_VS_AGGRESSOR),
        "hand.ask_to_see",
        "losers_may_muck",
    ),
)


@pytest.mark.parametrize(("rules", "field", "other"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_options_that_contradict_one_another_are_refused_with_both_named(
    rules: RuleSet, field: str, other: str
) -> None:
    (found,) = check_rules(rules)
    assert found.field == field
    assert other in found.description


@pytest.mark.parametrize(
    "rules",
    [
        under(bring_in_fold=BringInFold.NO, timeout_bring_in=TimeoutBringIn.POST),
        under(bring_in_fold=BringInFold.PASS_LEFT, timeout_bring_in=TimeoutBringIn.FOLD_PASS_ON),
        under(absent_bring_in=AbsentBringIn.FOLD_PASS_ON, sit_out_pays=SitOutPays.ANTE_AND_BRING_IN),
        under(fold_when_check_free=False, timeout_free=TimeoutFree.POLICY, timeout=Timeout.CHECK_FOLD),
        under(heads_up_cap=HeadsUpCap.NUMBER, heads_up_raise_cap=3, raise_cap=3),
        under(heads_up_cap=HeadsUpCap.ALWAYS, heads_up_raise_cap=1, raise_cap=3),
        *PRESETS.values(),
    ],
)
def test_options_that_are_merely_idle_beside_another_are_carried(rules: RuleSet) -> None:
    assert check_rules(rules) == ()
