"""A street that was dealt and that nothing followed: after its time there is an alarm, once, with the hand's name."""

from dataclasses import replace

import pytest
from prometheus_client import CollectorRegistry
from structlog.testing import capture_logs

from services.dealer.application import dealt_streets
from services.dealer.application.dealt_streets import DealtStreets
from services.dealer.domain.advance import advance
from services.dealer.domain.hand import Question, StepName
from services.dealer.metrics import DealerMetrics
from shared.observability.logging import get_log
from tests.support.dealer_hands import AT, Hand, a_command, deal, open_hand


class Clock:
    """Monotonic seconds that a test moves."""

    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def taken(streets: DealtStreets, hand: Hand) -> None:
    streets.step_taken(hand[0], hand[0].steps[-1])


def test_a_hand_that_lies_after_its_street_is_overdue_when_its_time_is_over() -> None:
    clock = Clock()
    streets = DealtStreets(60.0, clock)
    taken(streets, deal(open_hand(a_command(3)), 3)[0])
    clock.seconds += 59
    assert streets.overdue() == ()
    clock.seconds += 2
    assert [(each.hand_id, each.street) for each in streets.overdue()] == [("hand-1", "THIRD")]


@pytest.mark.parametrize("step", [StepName.CLOSE_HAND, StepName.VOID_HAND, StepName.OPEN_CARDS])
def test_any_step_after_the_street_answers_for_it(step: StepName) -> None:
    clock = Clock()
    streets = DealtStreets(60.0, clock)
    hand = deal(open_hand(a_command(3)), 3)[0]
    taken(streets, hand)
    seats = (1,) if step is StepName.OPEN_CARDS else ()
    taken(streets, (advance(*hand, Question(step=step, seats=seats), AT), hand[1]))
    clock.seconds += 100
    assert streets.overdue() == ()


def test_the_next_street_begins_the_time_anew() -> None:
    clock = Clock()
    streets = DealtStreets(60.0, clock)
    hand = deal(open_hand(a_command(3)), 3)[0]
    taken(streets, hand)
    clock.seconds += 50
    taken(streets, deal(hand, 3)[0])
    clock.seconds += 50
    assert streets.overdue() == ()
    clock.seconds += 11
    assert [each.street for each in streets.overdue()] == ["FOURTH"]


def test_the_metric_counts_the_hands_that_lie_and_the_log_names_each_once() -> None:
    clock, registry = Clock(), CollectorRegistry()
    metrics = DealerMetrics(registry, get_log(), DealtStreets(60.0, clock))
    hand = deal(open_hand(a_command(3)), 3)[0]
    metrics.step_taken(hand[0], hand[0].steps[-1])

    def seen() -> float | None:
        return registry.get_sample_value("sevenstud_dealer_streets_unfollowed")

    assert seen() == 0
    clock.seconds += 61
    with capture_logs() as lines:
        assert seen() == 1
        assert seen() == 1
    said = [line for line in lines if line["event"] == "street_unfollowed"]
    assert [(line["hand_id"], line["table_id"], line["street"], line["log_level"]) for line in said] == [
        ("hand-1", "table-1", "THIRD", "error")
    ]
    closed = advance(*hand, Question(step=StepName.CLOSE_HAND), AT)
    metrics.step_taken(closed, closed.steps[-1])
    assert seen() == 0


def test_hands_that_are_never_gone_on_with_do_not_fill_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dealt_streets, "WATCHED_MAX", 2)
    clock = Clock()
    streets = DealtStreets(60.0, clock)
    for number in range(4):
        taken(streets, deal(open_hand(replace(a_command(3), hand_id=f"hand-{number}")), 3)[0])
    clock.seconds += 61
    assert [each.hand_id for each in streets.overdue()] == ["hand-2", "hand-3"]
