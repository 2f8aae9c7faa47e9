"""Dashboards of Grafana out of few words: rows of panels, each with its expressions and a unit."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
ACROSS = 24
HEIGHT = 8
RATE = "$__rate_interval"
"""Grafana puts in the interval that fits the picture."""
SOURCE = {"type": "prometheus", "uid": "${source}"}
SECONDS, SHARE, PER_SECOND, COUNT, BYTES = "s", "percentunit", "cps", "short", "bytes"


@dataclass(frozen=True, slots=True)
class Line:
    """One expression and how its series are named."""

    expression: str
    legend: str = ""


@dataclass(frozen=True, slots=True)
class Panel:
    """One picture."""

    title: str
    unit: str
    lines: tuple[Line, ...]
    meaning: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """Panels side by side."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Board:
    """A dashboard."""

    uid: str
    title: str
    rows: tuple[Row, ...]

    def expressions(self) -> Iterator[tuple[str, str]]:
        """Every expression with the panel it belongs to."""
        for row in self.rows:
            for panel in row.panels:
                for line in panel.lines:
                    yield f"{self.title}: {panel.title}", line.expression


def panel(title: str, unit: str, *lines: tuple[str, str] | str, meaning: str = "") -> Panel:
    """A picture of expressions, each alone or with its legend."""
    made = (Line(each) if isinstance(each, str) else Line(*each) for each in lines)
    return Panel(title, unit, tuple(made), meaning)


def quantiles(buckets: str, by: str = "") -> tuple[tuple[str, str], ...]:
    """The middle and the slow end of a histogram; ``buckets`` with its labels, as in x_bucket{a="b"}."""
    groups = f"{by}, le" if by else "le"
    legend = f"{{{{{by}}}}} " if by else ""
    return tuple(
        (f"histogram_quantile({quantile}, sum by ({groups}) (rate({buckets}[{RATE}])))", f"{legend}p{name}")
        for quantile, name in ((0.5, "50"), (0.99, "99"))
    )


def board_json(board: Board) -> str:
    """What Grafana reads."""
    return json.dumps(_board(board), indent=1, ensure_ascii=False) + "\n"


def _board(board: Board) -> Json:
    return {
        "uid": board.uid,
        "title": board.title,
        "tags": ["sevenstud"],
        "schemaVersion": 39,
        "version": 1,
        "editable": False,
        "refresh": "15s",
        "time": {"from": "now-1h", "to": "now"},
        "timezone": "utc",
        "templating": {
            "list": [{"name": "source", "type": "datasource", "query": "prometheus", "label": "Prometheus"}]
        },
        "links": [{"type": "dashboards", "tags": ["sevenstud"], "asDropdown": True, "title": "sevenstud"}],
        "annotations": {"list": []},
        "panels": list(_panels(board.rows)),
    }


def _panels(rows: Sequence[Row]) -> Iterator[Json]:
    top, number = 0, 0
    for row in rows:
        number += 1
        place = {"h": 1, "w": ACROSS, "x": 0, "y": top}
        yield {"id": number, "type": "row", "title": row.title, "collapsed": False, "gridPos": place, "panels": []}
        top += 1
        width = ACROSS // len(row.panels)
        for at, each in enumerate(row.panels):
            number += 1
            yield _panel(each, number, {"h": HEIGHT, "w": width, "x": at * width, "y": top})
        top += HEIGHT


def _panel(each: Panel, number: int, place: Json) -> Json:
    return {
        "id": number,
        "type": "timeseries",
        "title": each.title,
        "description": each.meaning,
        "datasource": SOURCE,
        "gridPos": place,
        "fieldConfig": {"defaults": {"unit": each.unit, "min": 0}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}, "tooltip": {"mode": "multi"}},
        "targets": [
            {"refId": chr(ord("A") + at), "expr": line.expression, "legendFormat": line.legend or "__auto"}
            for at, line in enumerate(each.lines)
        ],
    }
