"""JSON log lines on standard error, one event each, with the identifiers of the call they belong to.

Values whose key names a secret of the game or of the service are replaced before anything is written.
"""

import json
import logging
import sys
import time
from collections.abc import MutableMapping
from functools import lru_cache
from typing import Any, TextIO, cast

import structlog

from shared.observability.lines import LineWriter

Log = structlog.typing.FilteringBoundLogger
HIDDEN = "(hidden)"
SECRET_WORDS = frozenset(
    {"authorization", "token", "secret", "key", "password", "seed", "salt", "deck", "card", "cards", "stub", "burned"}
)
LEVELS = ("debug", "info", "warning", "error")
_NOISY = ("grpc", "asyncio")


def configure_logging(service: str, level: str = "info", stream: TextIO | None = None) -> None:
    """Set up structlog and the standard library's logging for this process; called once, in __main__."""
    out = stream or sys.stderr
    number = logging.getLevelNamesMapping()[level.upper()]
    before: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        _completed(service),
        structlog.processors.format_exc_info,
    ]
    lines = LineWriter(out, together=stream is None)
    structlog.configure(
        processors=[*before, structlog.processors.JSONRenderer(serializer=_encode)],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: lines,
        cache_logger_on_first_use=True,
    )
    _capture_standard_logging(before, number, out)


_ENCODER = json.JSONEncoder(default=repr, ensure_ascii=False)  # made once: json.dumps would make one for each line


def _encode(event: Any, **_: Any) -> str:
    return _ENCODER.encode(event)


def get_log(**values: object) -> Log:
    """A logger; the values are added to each of its lines."""
    return cast("Log", structlog.get_logger(**values))


def bind_call(**values: str) -> None:
    """Add identifiers (hand, table, request) to every further line of the call that is being handled."""
    structlog.contextvars.bind_contextvars(**values)


def _completed(service: str) -> structlog.typing.Processor:
    """Level, time and service of a line, and nothing secret in it; one step, for there is a line for every call."""
    now = _Now()

    def complete(_: Any, level: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        for key in event:
            if _is_secret(key):
                event[key] = HIDDEN
        event["level"] = level
        event["time"] = now()
        event["service"] = service
        return event

    return complete


@lru_cache(maxsize=4096)
def _is_secret(key: str) -> bool:
    return not SECRET_WORDS.isdisjoint(key.split("_"))


class _Now:
    """The time in UTC as lines have it; the seconds are written out once for all lines of a second."""

    def __init__(self) -> None:
        self._second = 0
        self._written = ""

    def __call__(self) -> str:
        micros = time.time_ns() // 1000
        second = micros // 1_000_000
        if second != self._second:
            self._written = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(second))
            self._second = second
        return f"{self._written}.{micros % 1_000_000:06d}Z"


def _capture_standard_logging(before: list[structlog.typing.Processor], level: int, out: TextIO) -> None:
    """Lines of libraries take the same shape."""
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=before,
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(serializer=_encode),
            ],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(max(level, logging.INFO))
    for name in _NOISY:
        logging.getLogger(name).setLevel(max(level, logging.WARNING))
