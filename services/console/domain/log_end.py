"""What of the end of a service's log people want to read when the service has ended."""

import json
from collections.abc import Mapping
from typing import Any, cast

LINES_MOST = 12
_WIDTH_MOST = 300
_CALM = frozenset({"debug", "info"})
_NO_DETAIL = frozenset({"level", "event", "time", "service", "exception", "correlation_id"})


def troubles(text: str, lines_most: int = LINES_MOST) -> str:
    """The last warnings and errors, each once, and whatever is no log line (a traceback); empty where all was calm."""
    told = [each for line in text.splitlines() if (each := _told(line))]
    newest_first = dict.fromkeys(reversed(told))
    return "\n".join(f"  {line[:_WIDTH_MOST]}" for line in reversed(list(newest_first)[:lines_most]))


def ending_text(code: int) -> str:
    """How a process ended, from its exit code: negative for the signal that killed it."""
    return f"killed by signal {-code}" if code < 0 else f"exit code {code}"


def _told(line: str) -> str:
    try:
        entry: Any = json.loads(line)
    except ValueError:
        return line.rstrip()
    return _entry_told(cast("dict[str, Any]", entry)) if isinstance(entry, dict) else line


def _entry_told(entry: Mapping[str, Any]) -> str:
    """As in `error: table_step_failed, step=StartHand: ValueError: no such seat`; nothing for what is no trouble."""
    if entry.get("level") in _CALM:
        return ""
    details = [f"{name}={value}" for name, value in entry.items() if name not in _NO_DETAIL]
    what = ", ".join([f"{entry.get('level')}: {entry.get('event')}", *details])
    cause = str(entry.get("exception", "")).strip().splitlines()[-1:]
    return ": ".join([what, *cause])
