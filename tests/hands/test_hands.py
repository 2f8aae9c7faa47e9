"""Every hand written down in this folder is played, and every expectation in it must hold."""

import re
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, get_type_hints

import pytest

from services.evaluator.domain.hand_value import value_of
from shared.kernel.rules import ClockRules, HandRules
from tests.support.hand_expectations import run_play
from tests.support.hand_script import Comparison, HandScript, Play, read_script

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.rglob("*.hand"))
SCRIPTS = {str(path.relative_to(FOLDER)): read_script(path) for path in FILES}
PLAYS = [
    pytest.param(script, play, id=f"{name}-{play.heading.text}")
    for name, script in SCRIPTS.items()
    for play in script.plays
]
COMPARISONS = [pytest.param(each, id=each.line.where) for script in SCRIPTS.values() for each in script.comparisons]


def test_there_are_hands_to_play() -> None:
    assert len(PLAYS) > 100


@pytest.mark.parametrize(("script", "play"), PLAYS)
def test_the_hand_goes_as_written(script: HandScript, play: Play) -> None:
    run_play(script, play)


@pytest.mark.parametrize("comparison", COMPARISONS)
def test_the_hands_compare_as_written(comparison: Comparison) -> None:
    value = value_of(comparison.cards)
    if comparison.relation == "is":
        assert value.description_en == comparison.name
        return
    other = value_of(comparison.other).strength
    relation = {value.strength > other: "beats", value.strength < other: "loses to"}.get(True, "ties")
    assert relation == comparison.relation


ELSEWHERE = {
    "dealer_position": "tests/unit/orchestrator/test_table_rules.py",
    "all_in_exposure": "tests/unit/orchestrator/test_table_rules.py",
    "ask_to_see": "tests/unit/orchestrator/test_table_rules.py",
    "mucked_in_history": "tests/contract/test_table_service.py",
}
"""Options of a hand that the table itself carries out: their values are tried there."""
OF_BETTING = (
    "timeout",
    "timeout_free",
    "timeout_bring_in",
    "protect_scope",
    "ante_counts_as_bet",
    "after_protect",
    "sit_out_pays",
    "absent_bring_in",
)
"""Clock options that decide what becomes of a hand; the others are the table's."""


def options_played() -> Iterator[tuple[str, type, set[object]]]:
    """Options with few values, and those that some play is under."""
    for part, data_class in (("hand", HandRules), ("clock", ClockRules)):
        for name, kind in get_type_hints(data_class).items():
            of_a_hand = name not in ELSEWHERE if part == "hand" else name in OF_BETTING
            if of_a_hand and isinstance(kind, type) and (kind is bool or issubclass(kind, Enum)):
                rules = [getattr(play.rules, part) for script in SCRIPTS.values() for play in script.plays]
                yield name, kind, {getattr(each, name) for each in rules}


@pytest.mark.parametrize(("name", "kind", "played"), tuple(options_played()))
def test_every_value_of_every_option_is_played(name: str, kind: Any, played: set[object]) -> None:
    values = {True, False} if kind is bool else set(kind)
    assert played == values, f"{name} is not played with {values - played}"


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_script_plays_or_compares_something(name: str) -> None:
    assert SCRIPTS[name].plays or SCRIPTS[name].comparisons


EXAMPLES = {*range(1, 31), 37, 38, 39}
"""Worked examples that are about a hand; 31 to 36 and 40 are about money, prizes and levels."""
CASES = {*range(1, 37), 43, 45}
"""Cases that are about a hand; O-37 to O-42 and O-44 are about tournaments and the time bank."""


def test_every_worked_example_and_every_case_of_a_hand_is_written_down() -> None:
    said = [part for script in SCRIPTS.values() for part in script.proves]
    examples = {int(part.split()[1]) for part in said if part.startswith("example ")}
    spans = [[int(number) for number in re.findall(r"O-(\d+)", part)] for part in said if part.startswith("case")]
    assert examples == EXAMPLES
    assert {case for span in spans for case in range(span[0], span[-1] + 1)} == CASES
