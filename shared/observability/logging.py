"""JSON log lines on standard error, one event each, with the identifiers of the call they belong to.

Values whose key names a secret of the game or of the service are replaced before anything is written.
"""

import json
import logging
import sys
from collections.abc import Mapping, MutableMapping
from typing import Any, TextIO, cast

import structlog

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
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        _name_service(service),
        _hide_secrets,
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*before, structlog.processors.JSONRenderer(serializer=_encode)],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.WriteLoggerFactory(out),
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


def _name_service(service: str) -> structlog.typing.Processor:
    def add(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        event["service"] = service
        return event

    return add


def _hide_secrets(_: Any, __: str, event: MutableMapping[str, Any]) -> Mapping[str, Any]:
    for key in event:
        if not SECRET_WORDS.isdisjoint(key.split("_")):
            event[key] = HIDDEN
    return event


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
