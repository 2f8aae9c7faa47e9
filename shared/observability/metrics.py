"""Metrics of a process, in a registry of its own.

Names start with ``sevenstud_``, but for the RPC metrics, whose names are the field's convention. No label ever holds a
table, hand or player.
"""

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, PlatformCollector, ProcessCollector

SECONDS_BUCKETS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)


def new_registry() -> CollectorRegistry:
    """A registry with what the process itself is made of (memory, descriptors, Python)."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    PlatformCollector(registry=registry)
    return registry


class RpcMetrics:
    """What every service counts about its calls."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register the metrics."""
        labels = ("grpc_type", "grpc_service", "grpc_method")
        self._started = Counter("grpc_server_started", "Calls that came in.", labels, registry=registry)
        self._sent = Counter("grpc_server_msg_sent", "Messages sent on streams.", labels, registry=registry)
        self._handled = Counter(
            "grpc_server_handled",
            "Calls that were completed, by status code.",
            (*labels, "grpc_code"),
            registry=registry,
        )
        self._seconds = Histogram(
            "grpc_server_handling_seconds",
            "Seconds from the start of a call to its end.",
            labels,
            buckets=SECONDS_BUCKETS,
            registry=registry,
        )
        self._in_flight = Gauge("sevenstud_rpc_in_flight", "Calls being handled now.", labels, registry=registry)

    def method(self, kind: str, service: str, name: str) -> "MethodMetrics":
        """The metrics of one RPC, looked up once."""
        labels = (kind, service, name)
        return MethodMetrics(
            started=self._started.labels(*labels),
            sent=self._sent.labels(*labels) if kind == "server_stream" else None,
            handled=self._handled,
            seconds=self._seconds.labels(*labels),
            in_flight=self._in_flight.labels(*labels),
            labels=labels,
        )


class MethodMetrics:
    """The metrics of one RPC."""

    def __init__(
        self,
        *,
        started: Counter,
        sent: Counter | None,
        handled: Counter,
        seconds: Histogram,
        in_flight: Gauge,
        labels: tuple[str, str, str],
    ) -> None:
        """Bind the labels; ``sent`` is for streams."""
        self._started = started
        self._sent = sent
        self._handled = handled
        self._seconds = seconds
        self._in_flight = in_flight
        self._labels = labels
        self._by_code: dict[str, Counter] = {}

    def started(self) -> None:
        """A call came in."""
        self._started.inc()
        self._in_flight.inc()

    def sent(self) -> None:
        """A message of a stream went out."""
        if self._sent is not None:
            self._sent.inc()

    def finished(self, code: str, seconds: float) -> None:
        """The call is over with this status code."""
        self._in_flight.dec()
        self._seconds.observe(seconds)
        counter = self._by_code.get(code)
        if counter is None:
            counter = self._by_code[code] = self._handled.labels(*self._labels, code)
        counter.inc()
