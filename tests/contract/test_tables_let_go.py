"""A table of another orchestrator is at hand while somebody looks at it, and counts where it is gone on with."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.orchestrator.__main__ import Orchestrator
from services.orchestrator.application.tables import LOOKED_AT
from tests.support.postgres_server import PostgresServer
from tests.support.replica_suite import Replica, ReplicaSuite, replicas_on
from tests.support.table_suite import PlayedTable, card_room, open_table

PATIENCE_SECONDS = 60.0
TABLES = 6


@pytest.fixture
async def suite(tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[ReplicaSuite]:
    async with replicas_on(postgres, tmp_path) as running:
        yield running


def at_hand(orchestrator: Orchestrator) -> set[str]:
    return {actor.table_id for actor in orchestrator.tables.all_at_hand()}


def counted(orchestrator: Orchestrator) -> float:
    registry = orchestrator.assembly.registry
    assert registry is not None
    samples = (sample for metric in registry.collect() for sample in metric.samples)
    return sum(sample.value for sample in samples if sample.name == "sevenstud_tables")


async def look_at_all(replicas: list[Replica], tables: list[PlayedTable]) -> None:
    for table in tables:
        for replica in replicas:
            await replica.tables.GetTable(pb.GetTableRequest(table_id=table.table_id))


async def settled(replicas: list[Replica]) -> None:
    """Each table is gone on with by one of them."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while sum(each.orchestrator.tables.open_count for each in replicas) != TABLES:  # noqa: ASYNC110  # no bell
            await asyncio.sleep(0.01)


async def test_tables_of_others_that_nobody_looks_at_are_let_go_and_keep_nobody_from_opening_one(
    suite: ReplicaSuite,
) -> None:
    replicas = [await suite.start_another(), await suite.start_another()]
    await suite.stop_orchestrator()
    suite.tables, suite.house = replicas[0].tables, replicas[0].house
    tables = [await open_table(suite, card_room()) for _ in range(TABLES)]
    await settled(replicas)
    await look_at_all(replicas, tables)
    await settled(replicas)  # on a busy machine one took over a table of the other's meanwhile
    for replica in replicas:
        assert (len(at_hand(replica.orchestrator)), counted(replica.orchestrator)) == (TABLES, TABLES)
    assert sum(each.orchestrator.tables.open_count for each in replicas) == TABLES
    guest = min(replicas, key=lambda each: each.orchestrator.tables.open_count)
    mine = {each for each in at_hand(guest.orchestrator) if guest.orchestrator.tables.driven(each)}
    watched = next(table for table in tables if table.table_id not in mine)
    stream = aiter(guest.tables.Watch(pb.WatchRequest(table_id=watched.table_id)))
    await anext(stream)
    suite.clock.move(LOOKED_AT.total_seconds() + 1)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while at_hand(guest.orchestrator) != mine | {watched.table_id}:  # noqa: ASYNC110  # no bell
            await asyncio.sleep(0.01)
    assert counted(guest.orchestrator) == len(mine) + 1
    gone = next(table for table in tables if table.table_id not in {*mine, watched.table_id})
    for table in (watched, gone):
        await table.sit("ann" if table is gone else "bob")
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (await anext(stream)).event.HasField("player_seated"):
            pass
    seats = (await guest.tables.GetTable(pb.GetTableRequest(table_id=gone.table_id))).table.seats
    assert "ann" in {seat.player_id for seat in seats}
    assert counted(guest.orchestrator) == len(mine) + 2
