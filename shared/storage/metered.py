"""A store that counts what goes through it, whichever engine is below."""

import time
from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from shared.storage.database import Row, SqlValue, Statement, Store, StoreBroken, StoreError, WriteConflict

SECONDS = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
STATEMENTS = (1.0, 2.0, 3.0, 5.0, 8.0, 13.0, 21.0, 34.0, 55.0, 89.0, 144.0)
GROUP_WRITES = (1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
OUTCOMES = ("committed", "conflict", "unavailable", "broken", "unfinished")


@runtime_checkable
class TellsCommits(Protocol):
    """An engine that commits writes in groups, and says how many each commit held."""

    def tell_commits(self, hear: Callable[[int], None]) -> None:
        """Call ``hear`` after every commit with the number of its writes; from any thread."""
        ...


class StoreMetrics:
    """What the work of a store is measured by."""

    def __init__(self, registry: CollectorRegistry) -> None:
        """Register the metrics."""

        def histogram(name: str, text: str, buckets: tuple[float, ...]) -> Histogram:
            return Histogram(f"sevenstud_store_{name}", text, buckets=buckets, registry=registry)

        self.write_seconds = histogram("write_seconds", "Seconds until a write was durable or refused.", SECONDS)
        self.read_seconds = histogram("read_seconds", "Seconds until a read was answered.", SECONDS)
        self.statements = histogram("write_statements", "Statements of one write.", STATEMENTS)
        self.commit_writes = histogram("commit_writes", "Writes that shared one commit to the disk.", GROUP_WRITES)
        self.sound = Gauge(
            "sevenstud_store_sound", "1 while the store takes writes, 0 for good after.", registry=registry
        )
        writes = Counter("sevenstud_store_writes", "Writes, by what became of them.", ("outcome",), registry=registry)
        self.writes = {outcome: writes.labels(outcome) for outcome in OUTCOMES}


class MeteredStore:
    """See Store; everything is done by the store below."""

    def __init__(self, store: Store, registry: CollectorRegistry) -> None:
        """Count the work of this store from now on."""
        self._store = store
        self._metrics = StoreMetrics(registry)
        self._metrics.sound.set_function(lambda: float(store.sound))
        if isinstance(store, TellsCommits):
            store.tell_commits(self._metrics.commit_writes.observe)

    async def write(self, statements: Sequence[Statement]) -> None:
        """See Store.write."""
        began, outcome = time.perf_counter(), "unfinished"
        try:
            await self._store.write(statements)
            outcome = "committed"
        except StoreError as fault:
            outcome = _outcome_of(fault)
            raise
        finally:
            self._metrics.writes[outcome].inc()
            self._metrics.write_seconds.observe(time.perf_counter() - began)
            self._metrics.statements.observe(len(statements))

    async def read(self, sql: str, params: Sequence[SqlValue] = ()) -> list[Row]:
        """See Store.read."""
        began = time.perf_counter()
        try:
            return await self._store.read(sql, params)
        finally:
            self._metrics.read_seconds.observe(time.perf_counter() - began)

    @property
    def sound(self) -> bool:
        """See Store.sound."""
        return self._store.sound

    @property
    def shared(self) -> bool:
        """See Store.shared."""
        return self._store.shared

    def tell(self, topic: str) -> None:
        """See Store.tell."""
        self._store.tell(topic)

    def heed(self, heard: Callable[[str], None]) -> None:
        """See Store.heed."""
        self._store.heed(heard)

    async def close(self) -> None:
        """See Store.close."""
        await self._store.close()


def _outcome_of(fault: StoreError) -> str:
    """Somebody was first; the disk is gone; or try again later."""
    if isinstance(fault, WriteConflict):
        return "conflict"
    return "broken" if isinstance(fault, StoreBroken) else "unavailable"
