"""Random hands of every structure, preset and option: a small `make hands`."""

import pytest

from tests.batteries.hands.__main__ import Tally, play_portion, report
from tests.batteries.hands.coverage import EVENTS, SELDOM

HANDS = 250
_whole = Tally()


@pytest.mark.parametrize("portion", range(10))
def test_whatever_happens_in_a_hand_all_that_must_hold_holds(portion: int) -> None:
    tally = play_portion(range(portion * HANDS, (portion + 1) * HANDS))
    _whole.take(tally)
    assert tally.failed == []
    assert tally.hands == HANDS


def test_the_hands_show_what_is_worth_showing(capsys: pytest.CaptureFixture[str]) -> None:
    if _whole.hands < 10 * HANDS:
        pytest.skip("counted only where all portions were played in this process")
    never = [event for event in EVENTS if not _whole.events[event] and event not in SELDOM]
    with capsys.disabled():
        print()
        report(_whole)
    assert never == []
