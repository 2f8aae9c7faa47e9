"""Traces: off unless TRACES_TO is set, and then OpenTelemetry, which is imported only then.

Where they are off nothing is put around a call, a channel or a store; a table's step makes one comparison. Spans bear
names and counts, never what was said: no metadata, no message, no error text.
"""

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from shared.observability.spans import Tracer

Here = Mapping[str, object]
"""A place in a trace."""
CONSOLE: Final = "console"
FILE: Final = "file:"
COLLECTORS: Final = ("http://", "https://")
"""OTLP over gRPC, in plain text or over TLS."""
_NOTHING: Final = nullcontext()
_NEEDED: Final = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.grpc")


@dataclass(frozen=True, slots=True)
class TraceSettings:
    """Where spans go, and how many traces are begun here."""

    to: str
    """http://host:4317 or https://host:4317, file:PATH, or console."""
    every: int = 1
    """Of the traces that nobody began before, one in so many is kept."""


class _Tracing:
    """What this process traces with: one for all, as its log is."""

    tracer: "Tracer | None" = None


def trace_fault(to: str) -> str | None:
    """What is wrong with a setting, None: nothing."""
    sound = to == CONSOLE or (to.startswith(FILE) and len(to) > len(FILE))
    collector = next((to.removeprefix(each) for each in COLLECTORS if to.startswith(each)), "")
    if not sound and (not collector or "/" in collector or "@" in collector):
        return (
            "names no place for traces: http://host:4317 or https://host:4317 (OTLP over gRPC), file:PATH, or console"
        )
    try:
        missing = [name for name in _NEEDED if find_spec(name) is None]
    except ModuleNotFoundError:
        missing = list(_NEEDED)
    return "needs OpenTelemetry: install the extra `traces`" if missing else None


def start_tracing(service: str, version: str, settings: TraceSettings | None) -> None:
    """From now on, in this process; before its log, channels, stores and servers are made."""
    if settings is None:
        return
    from shared.observability.spans import Tracer, exporter_to

    _Tracing.tracer = Tracer(service, version, exporter_to(settings.to), settings.every)


def stop_tracing() -> None:
    """Hand over what waits, for a moment at most."""
    tracer, _Tracing.tracer = _Tracing.tracer, None
    if tracer is not None:
        tracer.close()


def current_tracer() -> "Tracer | None":
    """What to trace with; None where traces are off."""
    return _Tracing.tracer


def here() -> Here | None:
    """The place in the trace of now, to go on from in another task; None where there is none."""
    return None if _Tracing.tracer is None else _Tracing.tracer.here()


def following(name: str, cause: Here | None, **about: str) -> AbstractContextManager[None]:
    """Work of a task of its own that follows from somebody's call; None: it follows from none."""
    tracer = _Tracing.tracer
    return _NOTHING if tracer is None else tracer.following(name, cause, about)
