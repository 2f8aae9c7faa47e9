"""A store that counts: the engine below does the work, whatever comes of it."""

from collections.abc import AsyncGenerator
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from shared.storage.database import Statement, WriteConflict
from shared.storage.event_log import EventLog, NewEvent
from shared.storage.metered import MeteredStore
from shared.storage.sqlite import open_store


@pytest.fixture
async def registry() -> CollectorRegistry:
    return CollectorRegistry()


@pytest.fixture
async def store(tmp_path: Path, registry: CollectorRegistry) -> AsyncGenerator[MeteredStore, None]:
    metered = MeteredStore(await open_store(str(tmp_path / "log.sqlite"), "test"), registry)
    yield metered
    await metered.close()


def _append(store: MeteredStore, expected_version: int) -> list[Statement]:
    return EventLog(store).append("table", expected_version, [NewEvent("seated", b"x")], 0)


def _value(registry: CollectorRegistry, name: str, **labels: str) -> float:
    return registry.get_sample_value(f"sevenstud_store_{name}", labels) or 0.0


async def test_a_write_is_counted_with_its_statements_and_its_commit(
    store: MeteredStore, registry: CollectorRegistry
) -> None:
    await store.write(_append(store, 0))
    assert _value(registry, "writes_total", outcome="committed") == 1.0
    assert _value(registry, "write_statements_sum") == 2.0
    assert _value(registry, "commit_writes_sum") == 1.0
    assert _value(registry, "sound") == 1.0


async def test_who_was_second_is_a_conflict_and_no_commit_is_hidden(
    store: MeteredStore, registry: CollectorRegistry
) -> None:
    await store.write(_append(store, 0))
    with pytest.raises(WriteConflict):
        await store.write(_append(store, 0))
    assert _value(registry, "writes_total", outcome="conflict") == 1.0
    assert _value(registry, "write_seconds_count") == 2.0


async def test_reads_are_counted(store: MeteredStore, registry: CollectorRegistry) -> None:
    assert await EventLog(store).read("table") == []
    assert _value(registry, "read_seconds_count") == 1.0
