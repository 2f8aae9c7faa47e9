"""``make monitoring-check``: alert rules unit-tested, every expression answered, every label looked at."""

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from deploy.monitoring.alerts import all_alerts
from deploy.monitoring.boards import BOARDS
from deploy.monitoring.catalogue import LABELS
from deploy.monitoring.panels import RATE
from deploy.monitoring.written import RULES, TESTS, written
from services.console.domain.contest import plan_contest
from tests.batteries.monitoring.drill import drilled
from tests.batteries.monitoring.evening import Evening, ToolMissing, evening, tool
from tests.batteries.monitoring.queries import PrometheusAway

RATE_SECONDS = "30s"
ADDED_BY_PROMETHEUS = {"__name__", "instance", "job", "le"}
OF_AN_EVENING = re.compile(rf"^({'|'.join(plan_contest(8).players)})$|\.\d+$|[0-9a-f]{{8}}|demo|:")
"""What the ids of an evening look like: players, tournament, its tables and hands."""
NOT_IN_AN_EVENING: dict[str, str] = {}
"""Panels that a good evening leaves empty, with the reason."""
Faults = Iterator[str]


def _promtool(*arguments: str, given: str | None = None) -> Faults:
    done = subprocess.run([tool("promtool"), *arguments], input=given, capture_output=True, text=True, check=False)
    if done.returncode:
        yield f"{done.stdout}{done.stderr}".strip()[-1500:]


def _written() -> Faults:
    yield from (f"{path.name}: run make monitoring" for path, text in written().items() if path.read_text() != text)


def _pages(seen: Evening) -> Faults:
    for service, page in seen.pages.items():
        lines = (line for line in page.splitlines() if "_created" not in line)
        yield from (f"{service}: {fault}" for fault in _promtool("check", "metrics", given="\n".join(lines) + "\n"))


def _boards(seen: Evening) -> Faults:
    for board in BOARDS:
        for name, expression in board.expressions():
            asked = expression.replace(RATE, RATE_SECONDS)
            try:
                if not seen.prometheus.query(asked) and name not in NOT_IN_AN_EVENING:
                    yield f"{name} shows nothing: {asked}"
            except ValueError as refused:
                yield f"{name} is refused ({refused}): {asked}"


def _alerts(seen: Evening) -> Faults:
    """Prometheus holds every alert, each was evaluated, and a good evening fires none."""
    held = {rule["name"]: rule for rule in seen.prometheus.rules()}
    for alert in all_alerts():
        rule = held.get(alert.name)
        if rule is None or rule["health"] != "ok":
            yield f"{alert.name} is {rule['health'] if rule else 'not there'}"
        elif seen.prometheus.query(f'ALERTS{{alertname="{alert.name}",alertstate="firing"}}'):
            yield f"{alert.name} fires on a good evening"


def _labels(seen: Evening) -> Faults:
    """Only labels that are explained, and no value that is somebody's or something's id."""
    found = seen.prometheus.labels('{__name__=~"sevenstud_.*|grpc_server_.*"}')
    yield from (
        f"the label {label} is not in the catalogue" for label in found.keys() - set(LABELS) - ADDED_BY_PROMETHEUS
    )
    for label in found.keys() & set(LABELS) - {"version"}:
        yield from (f"{label} holds {value}" for value in found[label] if OF_AN_EVENING.search(value))


def _told(name: str, faults: Iterable[str]) -> int:
    found = list(faults)
    print(f"  {'FAIL' if found else 'ok  '} {name}", *(f"\n         {fault}" for fault in found), sep="", flush=True)
    return len(found)


def main() -> int:
    """0 where nothing is wrong, 1 where something is, 2 where a tool is missing."""
    expressions = sum(1 for board in BOARDS for _ in board.expressions())
    try:
        tool("prometheus")
        count = _told("what code writes is what lies here", _written())
        count += _told("the rule file is sound", _promtool("check", "rules", str(RULES)))
        count += _told(f"{len(all_alerts())} alerts fire and rest as told", _promtool("test", "rules", str(TESTS)))
        with tempfile.TemporaryDirectory() as folder, evening(Path(folder)) as seen:
            count += _told("pages of metrics are sound", _pages(seen))
            count += _told(f"{expressions} expressions of {len(BOARDS)} dashboards answer", _boards(seen))
            count += _told("alerts are evaluated, none fires", _alerts(seen))
            count += _told("no label names anybody or anything", _labels(seen))
        with tempfile.TemporaryDirectory() as folder:
            count += _told(
                "bent decks in the dealer's live watch page somebody, fair ones do not", drilled(Path(folder))
            )
    except ToolMissing as missing:
        print(f"monitoring-check: not run: {missing}")
        return 2
    except PrometheusAway as away:
        print(f"monitoring-check: the evening failed:\n{away}")
        return 1
    print(f"monitoring-check: {count} faults" if count else "monitoring-check: nothing is wrong")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
