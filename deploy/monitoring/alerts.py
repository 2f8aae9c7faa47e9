"""The alerts of the suite, as alerts.toml has them."""

import tomllib
from itertools import groupby
from pathlib import Path
from typing import Any

from deploy.monitoring.rules import Alert, Story

SOURCE = Path(__file__).with_name("alerts.toml")


def _alert(given: dict[str, Any]) -> Alert:
    """One entry; a word too many or too few is a TypeError."""
    minutes, fires, rests = (given.pop(name) for name in ("minutes", "fires", "rests"))
    return Alert(**given, fires=_story(fires, minutes), rests=_story(rests, minutes))


def _story(series: list[list[str]], minutes: int) -> Story:
    return Story(tuple((name, values) for name, values in series), minutes)


_ALERTS: tuple[Alert, ...] = tuple(map(_alert, tomllib.loads(SOURCE.read_text(encoding="utf-8"))["alert"]))
GROUPS: tuple[tuple[str, tuple[Alert, ...]], ...] = tuple(
    (group, tuple(alerts)) for group, alerts in groupby(_ALERTS, key=lambda alert: alert.group)
)


def all_alerts() -> tuple[Alert, ...]:
    """Every alert."""
    return _ALERTS
