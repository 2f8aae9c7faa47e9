"""Dashboards and alerts ask for metrics that there are, and every alert has a page in the runbook."""

import json
import re
from pathlib import Path

import pytest

from deploy.monitoring import catalogue
from deploy.monitoring.alerts import all_alerts
from deploy.monitoring.boards import BOARDS
from deploy.monitoring.panels import board_json
from deploy.monitoring.rules import Alert

RUNBOOK = Path(__file__).resolve().parents[3] / "deploy" / "RUNBOOK.md"
OURS = re.compile(r"\b(?:sevenstud|grpc_server)_[a-z_]+\b")
SELECTED = re.compile(r"\b((?:sevenstud|grpc_server)_[a-z_]+)\{([^{}]*)\}")
GROUPED = re.compile(r"\bby \(([^)]*)\)")
BY_PROMETHEUS = {"job", "instance", "le"}
ALL = {each.name: each for described in catalogue.groups().values() for each in described}
EXPRESSIONS = [pair for board in BOARDS for pair in board.expressions()] + [
    (alert.name, alert.expression) for alert in all_alerts()
]
HISTOGRAM = re.compile(r"_(bucket|sum|count)$")


def _metric(name: str) -> catalogue.Described | None:
    found = ALL.get(name) or ALL.get(HISTOGRAM.sub("", name))
    whole = found is not None and (found.kind == "histogram") == bool(HISTOGRAM.search(name))
    return found if whole else None


@pytest.mark.parametrize(("name", "expression"), EXPRESSIONS, ids=[each[0] for each in EXPRESSIONS])
def test_an_expression_asks_for_metrics_and_labels_that_there_are(name: str, expression: str) -> None:
    asked = set(OURS.findall(expression))
    assert asked or "process_" in expression or "up{" in expression, name
    assert not {each for each in asked if _metric(each) is None}
    for metric, labels in SELECTED.findall(expression):
        known = _metric(metric)
        assert known is not None
        named = set(re.findall(r"(\w+)\s*[=!]", labels))
        assert named <= {*known.labels, *BY_PROMETHEUS}
    grouped = {label.strip() for found in GROUPED.findall(expression) for label in found.split(",")}
    assert grouped <= {*catalogue.LABELS, *BY_PROMETHEUS}


@pytest.mark.parametrize("alert", all_alerts(), ids=lambda alert: alert.name)
def test_an_alert_has_a_page_in_the_runbook(alert: Alert) -> None:
    page = RUNBOOK.read_text(encoding="utf-8").partition(f"\n## {alert.name}\n")[2].partition("\n## ")[0]
    for part in ("**Means**", "**See**", "**Do**"):
        assert part in page
    assert alert.severity in {"page", "ticket"}
    assert alert.summary.endswith(".")


def test_the_runbook_has_no_page_for_an_alert_that_is_gone() -> None:
    named = re.findall(r"^## (Sevenstud\w+)$", RUNBOOK.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(named) == {alert.name for alert in all_alerts()}


def test_every_metric_of_the_game_is_on_a_dashboard() -> None:
    asked = {HISTOGRAM.sub("", name) for _, expression in EXPRESSIONS for name in OURS.findall(expression)}
    assert {name for name in ALL if HISTOGRAM.sub("", name) not in asked} == set()


def test_each_dashboard_is_one_grafana_can_read() -> None:
    for board in BOARDS:
        made = json.loads(board_json(board))
        ids = [each["id"] for each in made["panels"]]
        assert len(ids) == len(set(ids))
        assert all(target["expr"] for each in made["panels"] for target in each.get("targets", []))
    assert len({board.uid for board in BOARDS}) == len(BOARDS)
