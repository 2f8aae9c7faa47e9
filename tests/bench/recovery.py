"""Recovery: a table's log read and folded again, and the time from a start to the first answer about a table."""

import sqlite3
import time
from pathlib import Path
from typing import Final

from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from services.orchestrator.adapters.stored_tables import recorded_event
from services.orchestrator.domain.fold import fold
from shared.storage.event_log import StoredEvent
from tests.bench.house import BACKEND, House
from tests.bench.measuring import Findings, Options, Row, rate_of
from tests.support.servers import calling

SECTION: Final = "recovery"
PREFIX: Final = "table/"


def bench_replay(findings: Findings, options: Options, database: Path) -> None:
    """Stored bytes to a table, events a second; for the longest log of a run."""
    connection = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
    try:
        ((stream, version),) = connection.execute(
            "SELECT stream, version FROM event_streams WHERE stream LIKE 'table/%' ORDER BY version DESC LIMIT 1"
        )
        rows = connection.execute(
            "SELECT version, kind, payload, recorded_at_micros FROM events WHERE stream = ? ORDER BY version", (stream,)
        ).fetchall()
    finally:
        connection.close()
    stored = [StoredEvent(stream, *row) for row in rows]
    table_id = stream.removeprefix(PREFIX)

    def replay() -> int:
        fold(None, [recorded_event(table_id, event) for event in stored])
        return len(stored)

    samples = tuple(rate_of(replay, options.seconds) for _ in range(options.rounds))
    findings.add(Row(section=SECTION, name="events read and folded", unit="events a second", ours=samples))
    findings.remarks.append(f"recovery: the log replayed has {version:,} events")


async def bench_restart(findings: Findings, options: Options, house: House, table_id: str) -> None:
    """The orchestrator killed and started again: until it answers about a table in the middle of a hand."""
    taken: list[float] = []
    for _ in range(options.rounds):
        await house.suite.kill("orchestrator")
        start = time.perf_counter()
        await house.suite.start("orchestrator")
        async with calling(house.suite.address("orchestrator"), BACKEND) as channel:
            await TableServiceStub(channel).GetTable(pb.GetTableRequest(table_id=table_id))
        taken.append(time.perf_counter() - start)
    name = "kill to the first answer about a table in a hand"
    findings.add(Row(section=SECTION, name=name, unit="seconds", ours=tuple(taken)))
