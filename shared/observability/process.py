"""What a process tells of itself: which build it is, and how late its event loop runs."""

import asyncio
from importlib.metadata import version

from prometheus_client import CollectorRegistry, Gauge, Histogram

DISTRIBUTION = "sevenstud"
LOOK_SECONDS = 0.25
LATENESS_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0)


class ProcessMetrics:
    """Counts while it runs; ``start`` and ``stop`` belong to the server of the process."""

    def __init__(self, registry: CollectorRegistry, service: str) -> None:
        """Register the metrics."""
        self._lateness = Histogram(
            "sevenstud_event_loop_lateness_seconds",
            "How much later than asked the event loop woke a sleeper.",
            buckets=LATENESS_BUCKETS,
            registry=registry,
        )
        build = Gauge(
            "sevenstud_build_info", "Always 1; the build is in the labels.", ("service", "version"), registry=registry
        )
        build.labels(service, version(DISTRIBUTION)).set(1)
        self._task: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Look from now on."""
        self._task = asyncio.create_task(self._look_for_ever(), name="event loop lateness")

    def stop(self) -> None:
        """Look no more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _look_for_ever(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            due = loop.time() + LOOK_SECONDS
            await asyncio.sleep(LOOK_SECONDS)
            self._lateness.observe(max(0.0, loop.time() - due))
