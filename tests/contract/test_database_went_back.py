"""The database of running orchestrators goes back in time: who knew more ends, and adds nothing to what came since."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.last_seen import LastSeen, WentBack
from services.orchestrator.adapters.table_log import StoredTableLog
from services.orchestrator.application.table_log import TableRow, TableWrite
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.table_facts import Presence
from services.orchestrator.domain.table_views import summarise
from shared.config.location import PostgresUrl
from shared.storage.database import WriteConflict
from shared.storage.postgres import open_postgres
from tests.support.database_went_back import Moment
from tests.support.postgres_server import PostgresServer
from tests.support.replica_suite import ReplicaSuite, replicas_on
from tests.support.stores import STORES
from tests.support.table_facts import START, opened, present, seconds, table_of
from tests.support.table_suite import PlayedTable, heads_up

PATIENCE_SECONDS = 60.0


@pytest.fixture
async def suite(tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[ReplicaSuite]:
    async with replicas_on(postgres, tmp_path) as running:
        yield running


async def act_at(stub: TableServiceStub, table: PlayedTable, *wanted: str) -> table_pb2.TableView:
    """Whoever is to act does the first of these that is legal; the table when the next one is."""
    look = pb.GetTableRequest(table_id=table.table_id)
    before = (await stub.GetTable(look)).table
    legal = {ActionKind.Name(each.kind): each for each in before.turn.legal.actions}
    name = next(each for each in wanted if f"ACTION_KIND_{each.upper()}" in legal)
    choices = legal[f"ACTION_KIND_{name.upper()}"].to_chips_choices
    await stub.Act(table.action(before.turn, name, choices[0] if choices else 0))
    async with asyncio.timeout(PATIENCE_SECONDS):
        while (after := (await stub.GetTable(look)).table).turn.turn_id <= before.turn.turn_id:  # noqa: ASYNC110  # as a client would look
            await asyncio.sleep(0.005)
    return after


async def test_orchestrators_that_knew_more_end_and_write_nothing_into_the_history_that_others_go_on_with(
    suite: ReplicaSuite,
) -> None:
    """They waited until that was as long as theirs, and then added their turns to it: one player had two stacks."""
    table = await heads_up(suite)
    other = await suite.start_another()
    await table.turn()
    await act_at(suite.tables, table, "bring_in")
    url = STORES.url_of("orchestrator.sqlite")
    before = await Moment.of(url.reveal())
    await act_at(other.tables, table, "complete", "bet", "call")
    knew = await act_at(other.tables, table, "raise", "bet", "call")
    assert not suite.orchestrator.assembly.lost()
    await before.comes_back()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (suite.orchestrator.assembly.lost() and other.orchestrator.assembly.lost()):  # noqa: ASYNC110  # no bell
            await asyncio.sleep(0.05)
    await suite.stop_orchestrator()
    await other.stop()
    fresh = await suite.start_another()
    found = (await fresh.tables.GetTable(pb.GetTableRequest(table_id=table.table_id))).table
    while found.version < knew.version:
        found = await act_at(fresh.tables, table, "call", "check")
    assert not fresh.orchestrator.assembly.lost()
    assert sum(seat.stack_chips for seat in found.seats) + sum(pot.chips for pot in found.pots) == 200


def step(after: int, at_seconds: float) -> TableWrite:
    """A table's next event, of this moment."""
    at = START + seconds(at_seconds)
    line = replace(summarise(table_of(opened())), table_id="t")
    return TableWrite(
        table_id="t",
        expected_version=after,
        at=at,
        row=TableRow(summary=line, closed=False, due_at=None, betting=b""),
        events=(Recorded(table_id="t", version=after + 1, at=at, hand_id="", fact=present(1, Presence.TIMED_OUT)),),
    )


async def test_who_did_not_look_since_adds_nothing_to_a_history_that_is_as_long_as_its_own(
    postgres: PostgresServer,
) -> None:
    url = PostgresUrl(await postgres.new_database())
    store = await open_postgres(url, "orchestrator", migrations)
    knew, other = StoredTableLog(store), StoredTableLog(store)
    await knew.write(step(0, 0))
    before = await Moment.of(url.reveal())
    await knew.write(step(1, 1))
    await before.comes_back()
    await other.write(step(1, 2))
    with pytest.raises(WriteConflict):
        await knew.write(step(2, 3))
    with pytest.raises(WentBack):
        await knew.since("t", 2)
    await other.write(step(2, 4))
    assert [event.at for event in await other.events("t", 0, 10)] == [START + seconds(each) for each in (0, 2, 4)]
    await store.close()


@pytest.mark.parametrize(("last", "at"), [(6, None), (7, 70), (9, 90)])
def test_a_log_that_ends_before_what_was_seen_or_has_something_else_there_went_back(last: int, at: int | None) -> None:
    seen = LastSeen()
    seen.note("t", 7, 77)
    seen.check("t", seen.of("t"), 7, 77)
    seen.check("t", seen.of("t"), 9, 77)
    seen.check("other", seen.of("other"), 1, None)
    seen.check_kept()
    with pytest.raises(WentBack):
        seen.check("t", seen.of("t"), last, at)
    assert seen.went_back
    with pytest.raises(WentBack, match="lost what it had confirmed"):
        seen.check_kept()
