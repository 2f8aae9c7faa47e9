"""One alert: what fires it, what people are told, and the story that a test tells to make it fire."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Story:
    """What Prometheus sees, one value a minute, in promtool's notation ('0+10x30': 0, 10, 20 ...)."""

    series: tuple[tuple[str, str], ...]
    minutes: int
    """When it is looked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """An alert as people hear of it."""

    group: str
    """The alerts that are looked at together."""
    name: str
    """What is wrong, in words that run together: SevenstudBooksOutOfBalance."""
    expression: str
    after: str
    """How long it must hold, as in 5m; 0m: at once."""
    severity: str
    """page: somebody gets up; ticket: somebody looks in working hours."""
    summary: str
    """One sentence; may hold labels, as in {{ $labels.job }}."""
    fires: Story
    """Seen, it fires."""
    rests: Story
    """Seen, it does not."""
    labels: Mapping[str, str] = field(default_factory=dict[str, str])
    """Labels of the alert in the story that fires it."""


def rule_file(groups: Sequence[tuple[str, Sequence[Alert]]], indent: int = 0) -> str:
    """The alerts as a rule file of Prometheus."""
    lines = ["groups:"]
    for name, alerts in groups:
        lines += [f"  - name: {name}", "    rules:"]
        for alert in alerts:
            lines += _rule(alert)
    return "".join(f"{' ' * indent}{line}\n" if line else "\n" for line in lines)


def _rule(alert: Alert) -> list[str]:
    return [
        f"      - alert: {alert.name}",
        "        expr: |-",
        *(f"          {line}" for line in alert.expression.strip().splitlines()),
        f"        for: {alert.after}",
        "        labels:",
        f"          severity: {alert.severity}",
        "        annotations:",
        f"          summary: {_quoted(alert.summary)}",
        f"          runbook: {_runbook(alert)}",
    ]


def test_file(groups: Sequence[tuple[str, Sequence[Alert]]], rules: str) -> str:
    """Both stories of every alert as a test file of promtool."""
    lines = [f"rule_files: [{rules}]", "evaluation_interval: 1m", "tests:"]
    for _, alerts in groups:
        for alert in alerts:
            lines += _story(alert, alert.fires, fires=True) + _story(alert, alert.rests, fires=False)
    return "\n".join(lines) + "\n"


def _story(alert: Alert, story: Story, *, fires: bool) -> list[str]:
    lines = [f"  - name: {alert.name} {'fires' if fires else 'rests'}", "    interval: 1m", "    input_series:"]
    for series, values in story.series:
        lines += [f"      - series: '{series}'", f"        values: '{values}'"]
    lines += ["    alert_rule_test:", f"      - eval_time: {story.minutes}m", f"        alertname: {alert.name}"]
    if not fires:
        return [*lines, "        exp_alerts: []"]
    lines += ["        exp_alerts:", "          - exp_labels:", f"              severity: {alert.severity}"]
    lines += [f"              {name}: {value}" for name, value in alert.labels.items()]
    lines += ["            exp_annotations:", f"              summary: {_quoted(_told(alert))}"]
    return [*lines, f"              runbook: {_runbook(alert)}"]


def _told(alert: Alert) -> str:
    """The summary with the labels of the story in it."""
    told = alert.summary
    for name, value in alert.labels.items():
        told = told.replace(f"{{{{ $labels.{name} }}}}", value)
    return told


def _runbook(alert: Alert) -> str:
    return f"deploy/RUNBOOK.md#{alert.name.lower()}"


def _quoted(text: str) -> str:
    doubled = text.replace("'", "''")
    return f"'{doubled}'"
