"""A request of the house that arrives twice at the same moment has one effect and one answer."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.orchestrator.adapters.table_log import StoredTableLog
from services.orchestrator.application.table_log import CommandAnswer
from shared.storage.requests import RequestKey
from tests.support.ledger_house import euro, fresh
from tests.support.table_suite import STAKES, TableSuite, card_room


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


@pytest.mark.parametrize("table_id", ["", "main"])
async def test_the_copy_of_a_request_that_opens_a_table_gets_the_answer_of_the_other(
    suite: TableSuite, monkeypatch: pytest.MonkeyPatch, table_id: str
) -> None:
    """It looked for an answer when there was none yet, and the table was there when it went on."""
    request = pb.OpenTableRequest(
        request_id=fresh(),
        table_id=table_id,
        name="Table",
        rules=card_room(),
        stakes=STAKES,
        chip_value=euro(1),
        start_paused=True,
    )
    answer, answers = StoredTableLog.answer, list[pb.OpenTableResponse]()

    async def answer_meanwhile(log: StoredTableLog, key: RequestKey) -> CommandAnswer | None:
        found = await answer(log, key)
        monkeypatch.undo()
        answers.append(await suite.tables.OpenTable(request))
        return found

    monkeypatch.setattr(StoredTableLog, "answer", answer_meanwhile)
    assert await suite.tables.OpenTable(request) == answers[0]
    assert len((await suite.tables.ListTables(pb.ListTablesRequest())).tables) == 1
