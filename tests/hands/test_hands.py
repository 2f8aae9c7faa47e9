"""Every hand written down in this folder is played, and every expectation in it must hold."""

from pathlib import Path

import pytest

from services.evaluator.domain.hand_value import value_of
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


@pytest.mark.parametrize("name", SCRIPTS)
def test_every_script_plays_or_compares_something(name: str) -> None:
    assert SCRIPTS[name].plays or SCRIPTS[name].comparisons
