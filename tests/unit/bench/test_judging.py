"""What a bench or a load test calls met, worse, carried or late."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.bench.core import written_hand
from tests.bench.measuring import Findings, Row, percentile
from tests.bench.messages import messages, next_raise, raised_state
from tests.bench.pictures import draw_all
from tests.bench.report import kept_ratios, regressions, results_of, table_of
from tests.load.k6 import outcome_of
from tests.load.knee import carried, knee_of
from tests.load.outcome import Outcome


def row(*ours: float, floor: float = 10.0, target: float | None = 0.7, at_most: bool = False) -> Row:
    floors = (floor,) * len(ours)
    return Row(section="s", name="n", unit="u", ours=ours, beside="b", floor=floors, target=target, at_most=at_most)


@pytest.mark.parametrize(
    ("found", "met"),
    [
        (row(7.0), True),
        (row(6.9), False),
        (row(14.0, target=1.4, at_most=True), True),
        (row(14.1, target=1.4, at_most=True), False),
        (row(5.0, target=None), None),
        (Row(section="s", name="n", unit="u", ours=(1.0,)), None),
    ],
)
def test_a_target_is_met_at_its_edge_and_not_beyond(found: Row, met: bool | None) -> None:
    assert found.met is met


def test_the_ratio_is_the_middle_one_of_the_rounds() -> None:
    assert row(1.0, 9.0, 8.0).ratio == pytest.approx(0.8)


def test_a_table_says_what_was_not_met() -> None:
    said = table_of([row(1.0), row(9.0)])
    assert said.count("NOT MET") == 1
    assert "at least 0.7" in said


@pytest.mark.parametrize(
    ("now", "worse"),
    [(row(8.0), 0), (row(7.0), 1), (row(100.0), 0), (row(12.0, at_most=True), 0), (row(13.0, at_most=True), 1)],
)
def test_a_ratio_a_quarter_worse_is_a_regression(now: Row, worse: int) -> None:
    assert len(regressions(kept_ratios([row(10.0, at_most=now.at_most)]), [now])) == worse


def test_results_and_pictures_are_made_of_every_row(tmp_path: Path) -> None:
    findings = Findings(rows=[row(8.0), row(1.0)], latencies={"act, 1": {"ours": [1.0, 2.0], "floor": [1.0]}})
    findings.curves["growth, us"] = {"ours": [(1.0, 1.0), (10.0, 1.2)]}
    assert len(results_of(findings, (0.1, 0.2))["rows"]) == 2
    assert [path.read_text().startswith("<svg") for path in draw_all(findings, tmp_path)] == [True] * 3


def test_a_share_of_values() -> None:
    assert percentile([3.0, 1.0, 2.0], 0.5) == 2.0
    assert percentile([1.0], 0.99) == 1.0


def test_the_hand_that_is_measured_is_played_to_its_end_by_both_sides() -> None:
    hand = written_hand(1)
    hand.play_ours()
    hand.play_pokerkit()
    assert hand.actions > 5


def test_the_messages_of_the_floor_are_those_of_a_raise() -> None:
    request, response = messages()
    assert response.outcome.state.price_chips == request.to_chips == next_raise(raised_state()).to_chips


# --- load -------------------------------------------------------------------------------------


def outcome(
    answered: int = 100, p99_ms: float = 5.0, rate: float = 10.0, *, refused: int = 0, failed: int = 0, dropped: int = 0
) -> Outcome:
    found = Outcome(rate=rate, seconds=10.0, answered=answered, p50_ms=1.0, p99_ms=p99_ms)
    return replace(found, refused=refused, failed=failed, dropped=dropped)


@pytest.mark.parametrize(
    ("step", "is_carried"),
    [
        (outcome(), True),
        (outcome(answered=90), False),
        (outcome(p99_ms=500.0), False),
        (outcome(refused=1), False),
        (outcome(failed=1), False),
        (outcome(dropped=1), False),
        (outcome(answered=0, p99_ms=float("inf")), False),
    ],
)
def test_a_rate_is_carried_when_all_are_answered_in_time(step: Outcome, is_carried: bool) -> None:
    assert carried(step, 100.0) is is_carried


def test_the_knee_is_the_highest_rate_that_was_carried() -> None:
    steps = [outcome(), outcome(answered=200, rate=20.0), outcome(answered=400, rate=40.0, p99_ms=900.0)]
    assert knee_of(steps, 100.0) == 20.0
    assert knee_of(steps[2:], 100.0) is None


def test_figures_of_k6_without_an_answer_are_late_for_ever() -> None:
    nothing = {"answered": 0, "p50_ms": 0, "p99_ms": 0, "refused": 7, "failed": 0, "dropped": 0}
    found = outcome_of(nothing, 10.0, 1.0)
    assert (found.p99_ms, found.refused) == (float("inf"), 7)
    assert not carried(found, 100.0)
