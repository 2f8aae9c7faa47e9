"""Whoever acts does not wait behind all who ask in vain at the same table, nor behind whom nobody answers any more."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.orchestrator.adapters.table_log import StoredTableLog
from services.orchestrator.application.line import OF_PLAYER_MAX, WITHOUT_SEAT_MAX
from services.orchestrator.application.table_log import CommandAnswer, TableWrite
from services.orchestrator.domain.hand_facts import ActionTaken
from shared.kernel.errors import Reason
from shared.rpc.client import unpack_error
from shared.storage.requests import RequestKey
from tests.support.ledger_house import fresh
from tests.support.table_suite import PlayedTable, TableSuite, heads_up
from tests.support.waiting import until


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


class HeldLog:
    """The log of the tables, in which a look for an answer waits until it is let go on; it says what came when."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.happened: list[str] = []
        self.open = asyncio.Event()
        look, write = StoredTableLog.answer, StoredTableLog.write

        async def held(log: StoredTableLog, key: RequestKey) -> CommandAnswer | None:
            self.happened.append("looked")
            await self.open.wait()
            return await look(log, key)

        async def written(log: StoredTableLog, step: TableWrite) -> None:
            if any(isinstance(event.fact, ActionTaken) for event in step.events):
                self.happened.append("acted")
            await write(log, step)

        monkeypatch.setattr(StoredTableLog, "answer", held)
        monkeypatch.setattr(StoredTableLog, "write", written)


Asked = asyncio.Task[Reason | None]


def in_vain(table: PlayedTable, player_id: str) -> Asked:
    """Asked by, or for, who has no seat."""

    async def ask() -> Reason | None:
        request = pb.SitOutRequest(request_id=fresh(), table_id=table.table_id, player_id=player_id)
        try:
            await table.suite.tables.SitOut(request)
        except grpc.aio.AioRpcError as refused:
            return unpack_error(refused).reason
        return None

    return asyncio.create_task(ask())


def waiting(suite: TableSuite, table: PlayedTable) -> int:
    """Commands that have a place in the table's line."""
    actor = suite.orchestrator.tables.at_hand(table.table_id)
    assert actor is not None
    return actor.line.count


async def eve_asks_in_vain(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch
) -> tuple[PlayedTable, HeldLog, list[Asked]]:
    """As often as she may at a time, who has no seat; nobody is told anything before the log is let go on."""
    table = await heads_up(suite)
    await table.turn()
    log = HeldLog(monkeypatch)
    asked = [in_vain(table, "eve") for _ in range(OF_PLAYER_MAX)]
    await until(lambda: waiting(suite, table) == OF_PLAYER_MAX)
    return table, log, asked


async def test_whoever_acts_waits_for_one_of_those_who_ask_in_vain_and_not_for_all(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await heads_up(suite)
    turn = await table.turn()
    log = HeldLog(monkeypatch)
    asked = [in_vain(table, f"eve{number % 4}") for number in range(WITHOUT_SEAT_MAX)]
    await until(lambda: waiting(suite, table) == WITHOUT_SEAT_MAX)
    acting = asyncio.ensure_future(suite.tables.Act(table.action(turn, "bring_in")))
    await until(lambda: waiting(suite, table) == WITHOUT_SEAT_MAX + 1)
    log.open.set()
    await acting
    assert log.happened.index("acted") <= 2
    assert await asyncio.gather(*asked) == [Reason.NOT_SEATED] * WITHOUT_SEAT_MAX


async def test_so_many_of_one_player_and_of_those_without_a_seat_wait_and_the_next_is_told_to_come_back(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, log, asked = await eve_asks_in_vain(suite, monkeypatch)
    assert await in_vain(table, "eve") is Reason.LIMIT_REACHED
    asked += [in_vain(table, f"eve{number}") for number in range(WITHOUT_SEAT_MAX - OF_PLAYER_MAX)]
    await until(lambda: waiting(suite, table) == WITHOUT_SEAT_MAX)
    assert await in_vain(table, "mallory") is Reason.LIMIT_REACHED
    log.open.set()
    assert set(await asyncio.gather(*asked)) == {Reason.NOT_SEATED}
    assert await in_vain(table, "mallory") is Reason.NOT_SEATED
    assert waiting(suite, table) == 0


async def test_a_command_whose_caller_has_gone_keeps_its_place_until_it_is_over(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, log, asked = await eve_asks_in_vain(suite, monkeypatch)
    for each in asked:
        each.cancel()
    await asyncio.gather(*asked, return_exceptions=True)
    assert await in_vain(table, "eve") is Reason.LIMIT_REACHED
    log.open.set()
    await until(lambda: waiting(suite, table) == 0)
    assert await in_vain(table, "eve") is Reason.NOT_SEATED
