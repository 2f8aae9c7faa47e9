"""Shuffles are counted on from what the database holds."""

import time

from prometheus_client import CollectorRegistry

from services.dealer.application.dealt_streets import DealtStreets
from services.dealer.metrics import DealerMetrics
from services.dealer.ports import ShuffleCount
from shared.observability.logging import get_log


def test_a_shuffle_that_another_dealer_is_at_is_left_to_it_and_drawn_stays_used_and_voided() -> None:
    registry = CollectorRegistry()
    metrics = DealerMetrics(registry, get_log(), DealtStreets(1.0, time.monotonic))
    metrics.go_on_from(
        [ShuffleCount("hand", "used", 7), ShuffleCount("hand", "begun", 1), ShuffleCount("hand", "voided", 2)]
    )

    def value(what: str) -> float | None:
        return registry.get_sample_value(f"sevenstud_dealer_shuffles_{what}_total", {"purpose": "hand"})

    assert (value("drawn"), value("used"), value("voided")) == (9.0, 7.0, 2.0)
