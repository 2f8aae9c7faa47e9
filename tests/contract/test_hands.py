"""Every hand written down in tests/hands, played through the contracts: dealer, betting and evaluator over gRPC.

So every option that is played there is reached from outside, and the answers over the wire are those of the rules.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.hand_expectations import run_play
from tests.support.hand_script import HandScript, Play, read_script
from tests.support.wired_services import OverTheWire, wired_services

FOLDER = Path(__file__).parents[1] / "hands"
PLAYS = [
    pytest.param(script, play, id=play.heading.where)
    for script in map(read_script, sorted(FOLDER.rglob("*.hand")))
    for play in script.plays
]


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OverTheWire]:
    with wired_services(tmp_path_factory.mktemp("dealer")) as wired:
        yield wired


@pytest.mark.parametrize(("script", "play"), PLAYS)
def test_the_hand_goes_as_written_over_the_wire(services: OverTheWire, script: HandScript, play: Play) -> None:
    run_play(script, play, services=services)
