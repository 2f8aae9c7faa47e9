"""Spans by OpenTelemetry. Imported where traces are switched on, and nowhere else."""

from collections.abc import Generator, Iterable, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from opentelemetry import context as places
from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter, SpanExporter
from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased
from opentelemetry.trace import Span, SpanKind, StatusCode
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from shared.observability.logging import bind_call

Here = Mapping[str, object]
Headers = tuple[tuple[str, str], ...]
DELAY_SECONDS: Final = 1.0
QUEUE_MAX: Final = 4096
"""Spans that wait; more are thrown away, and nobody waits for a collector."""
EXPORT_SECONDS_MAX: Final = 3.0
_HEADERS: Final = frozenset({"traceparent", "tracestate"})
_OURS: Final = frozenset({"UNAVAILABLE", "DEADLINE_EXCEEDED", "RESOURCE_EXHAUSTED", "INTERNAL", "UNKNOWN", "DATA_LOSS"})


def exporter_to(place: str) -> SpanExporter:
    """To a collector, a file of JSON lines, or standard output; see TraceSettings.to."""
    if place == "console":
        return ConsoleSpanExporter(formatter=_line)
    if place.startswith("file:"):
        return ConsoleSpanExporter(out=Path(place[5:]).open("a", buffering=1, encoding="utf-8"), formatter=_line)
    return OTLPSpanExporter(endpoint=place, insecure=place.startswith("http://"), timeout=EXPORT_SECONDS_MAX)


class CallSpan:
    """The span of one call."""

    def __init__(self, span: Span, *, served: bool) -> None:
        """``served``: what a caller got wrong is no fault of the one who serves."""
        self._span = span
        self._served = served

    def ended(self, code: str) -> None:
        """With this gRPC status."""
        self._span.set_attribute("rpc.response.status_code", code)
        if code != "OK" and (not self._served or code in _OURS):
            self._span.set_status(StatusCode.ERROR)


class Tracer:
    """Makes the spans of one process."""

    def __init__(self, service: str, version: str, exporter: SpanExporter, every: int) -> None:
        """Traces that others began are kept as they said; of one's own one in ``every``."""
        resource = Resource({"service.name": f"sevenstud-{service.replace('_', '-')}", "service.version": version})
        self._provider = TracerProvider(
            resource=resource, sampler=ParentBased(TraceIdRatioBased(1 / every)), shutdown_on_exit=False
        )
        self._batches = BatchSpanProcessor(
            exporter,
            max_queue_size=QUEUE_MAX,
            schedule_delay_millis=DELAY_SECONDS * 1000,
            export_timeout_millis=EXPORT_SECONDS_MAX * 1000,
        )
        self._provider.add_span_processor(self._batches)
        self._tracer = self._provider.get_tracer("sevenstud", version)
        self._propagator = TraceContextTextMapPropagator()

    def close(self) -> None:
        """Hand over what waits."""
        self._provider.shutdown()

    def here(self) -> Here | None:
        """The place in the trace of now."""
        return places.get_current() if trace.get_current_span().get_span_context().is_valid else None

    @contextmanager
    def received(self, path: str, metadata: Iterable[tuple[str, Any]] | None) -> Generator[CallSpan]:
        """A call that came in, in the trace that its caller names."""
        carrier = {key: value for key, value in metadata or () if key in _HEADERS and isinstance(value, str)}
        caller = self._propagator.extract(carrier, places.Context())
        with self._started(path.removeprefix("/"), SpanKind.SERVER, caller, _of_call(path)) as span:
            yield CallSpan(span, served=True)

    @contextmanager
    def calling(self, path: str) -> Generator[CallSpan]:
        """A call to another service."""
        with self._started(path.removeprefix("/"), SpanKind.CLIENT, None, _of_call(path)) as span:
            yield CallSpan(span, served=False)

    def headers(self) -> Headers:
        """What tells the called one where in the trace it is."""
        carrier: dict[str, str] = {}
        self._propagator.inject(carrier)
        return tuple(carrier.items())

    @contextmanager
    def doing(self, name: str, **about: str | int) -> Generator[None]:
        """A piece of work inside of a call or step."""
        with self._started(name, SpanKind.INTERNAL, None, about):
            yield

    @contextmanager
    def following(self, name: str, cause: Here | None, about: Mapping[str, str]) -> Generator[None]:
        """A step that nobody waits for, in the trace of what it follows from."""
        with self._started(
            name, SpanKind.INTERNAL, places.Context() if cause is None else places.Context(cause), about
        ):
            yield

    @contextmanager
    def _started(
        self, name: str, kind: SpanKind, place: places.Context | None, about: Mapping[str, str | int]
    ) -> Generator[Span]:
        """What goes wrong marks the span; the words of the error stay out of it."""
        with self._tracer.start_as_current_span(
            name, place, kind, about, record_exception=False, set_status_on_exception=False
        ) as span:
            try:
                if place is not None:
                    _name_in_lines(span)
                yield span
            except Exception:
                if kind is SpanKind.INTERNAL:
                    span.set_status(StatusCode.ERROR)
                raise


def _name_in_lines(span: Span) -> None:
    """The log lines of this task, from here on, bear the ids of its trace."""
    now = span.get_span_context()
    bind_call(trace_id=trace.format_trace_id(now.trace_id), span_id=trace.format_span_id(now.span_id))


def _of_call(path: str) -> dict[str, str]:
    return {"rpc.system.name": "grpc", "rpc.method": path.removeprefix("/")}


def _line(span: ReadableSpan) -> str:
    return f"{span.to_json(indent=None)}\n"
