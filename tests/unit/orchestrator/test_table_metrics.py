"""What the tables count: streets, clocks that were late, work that waits; never who or where."""

from dataclasses import replace
from datetime import timedelta

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from services.orchestrator.domain.dealing import CardSource
from services.orchestrator.domain.events import Fact, Recorded
from services.orchestrator.domain.fold import fold
from services.orchestrator.domain.hand_facts import StreetDealt
from services.orchestrator.domain.recording import stamp
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.table_facts import TableStalled
from services.orchestrator.domain.wagering import ActionCause, ActionKind
from services.orchestrator.metrics import TableMetrics
from shared.kernel.game import Street
from shared.observability.logging import get_log
from tests.support.table_facts import START, acted, closed, dealt, ended, opened, seconds, started, turn


class Counted:
    """A table whose facts are told to the metrics, one append each."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.metrics = TableMetrics(self.registry, get_log())
        self.events: tuple[Recorded, ...] = ()
        self.table: Table | None = None

    def happens(self, *facts: Fact, after: timedelta = timedelta(0)) -> None:
        new = stamp("t", self.table, facts, START + after)
        before, self.events = self.table, (*self.events, *new)
        self.table = fold(before, new)
        self.metrics.recorded(before, self.table, new)

    def value(self, name: str, **labels: str) -> float:
        return self.registry.get_sample_value(f"sevenstud_{name}", labels) or 0.0


@pytest.fixture
def game() -> Counted:
    counted = Counted()
    counted.happens(*opened())
    counted.happens(*started())
    return counted


def test_a_street_lasts_until_the_next_is_dealt(game: Counted) -> None:
    game.happens(*dealt(Street.THIRD))
    game.happens(closed(Street.THIRD), after=seconds(4))
    game.happens(*dealt(Street.FOURTH), after=seconds(7))
    assert game.value("street_seconds_sum", structure="LIMIT", street="THIRD") == pytest.approx(7.0)


def test_the_last_street_lasts_until_the_hand_is_over(game: Counted) -> None:
    game.happens(*dealt(Street.THIRD))
    game.happens(*ended(101, 99), after=seconds(3))
    assert game.value("street_seconds_count", structure="LIMIT", street="THIRD") == 1.0
    assert game.value("hands_total", structure="LIMIT", ended="played") == 1.0


def test_a_street_that_the_stub_is_too_short_for_is_a_deck_out(game: Counted) -> None:
    deal, opening = dealt(Street.SEVENTH)
    assert isinstance(deal, StreetDealt)
    game.happens(*dealt(Street.THIRD))
    game.happens(replace(deal, source=CardSource.COMMON_FROM_STUB), opening)
    assert game.value("deck_outs_total", source="COMMON_FROM_STUB") == 1.0
    assert game.value("deck_outs_total", source="STUB") == 0.0


def test_a_clock_is_as_late_as_it_acts_after_the_deadline(game: Counted) -> None:
    game.happens(*dealt(Street.THIRD))
    game.happens(turn(1, 1))
    late = replace(acted(1, 1, ActionKind.FOLD), cause=ActionCause.CLOCK)  # type: ignore[arg-type]  # an action has a cause
    game.happens(late, after=seconds(10.25))
    assert game.value("clock_lateness_seconds_count") == 1.0
    assert game.value("clock_lateness_seconds_sum") == pytest.approx(0.25)
    assert game.value("timeouts_total", cause="clock") == 1.0


def test_a_player_who_acts_in_time_says_nothing_of_the_clock(game: Counted) -> None:
    game.happens(*dealt(Street.THIRD))
    game.happens(turn(1, 1))
    game.happens(acted(1, 1, ActionKind.FOLD), after=seconds(2))
    assert game.value("clock_lateness_seconds_count") == 0.0
    assert game.value("decision_seconds_sum") == pytest.approx(2.0)


def test_tables_that_wait_are_counted_by_the_service_they_wait_for(game: Counted) -> None:
    game.happens(TableStalled(waiting_for="tournament_ledger"))
    assert game.value("tables_waiting", service="tournament_ledger") == 1.0
    game.happens(TableStalled(waiting_for="dealer"))
    assert game.value("tables_waiting", service="tournament_ledger") == 0.0
    assert game.value("tables_waiting", service="dealer") == 1.0


def test_a_hand_is_backlog_until_the_ledger_has_booked_it(game: Counted) -> None:
    assert game.value("hands_unbooked") == 1.0
    game.happens(*dealt(Street.THIRD))
    game.happens(*ended(101, 99))
    assert game.value("hands_unbooked") == 1.0


def test_appends_and_watchers_are_counted_by_size(game: Counted) -> None:
    game.metrics.watcher_told(3)
    game.metrics.watcher_lost()
    assert game.value("log_append_events_count") == 2.0
    assert game.value("watcher_lag_events_sum") == 3.0
    assert game.value("watchers_lost_total") == 1.0


def test_no_line_names_a_table_a_hand_or_a_player(game: Counted) -> None:
    game.happens(*dealt(Street.THIRD))
    game.happens(*ended(101, 99))
    page = generate_latest(game.registry).decode()
    labels = {line.partition("{")[2].partition("}")[0] for line in page.splitlines() if "{" in line}
    assert labels
    for named in ('"t"', "t.1", "ann", "bob"):
        assert not [each for each in labels if named in each]
