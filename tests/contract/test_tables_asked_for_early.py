"""Tables asked for at the moment they come into being: watchers of a tournament know their ids before."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.orchestrator.application.actor import TableActor
from services.orchestrator.application.table_log import TableWrite
from services.orchestrator.application.tournament_tables import DirectedTables
from shared.kernel.errors import Reason
from shared.kernel.rules.presets import PRESETS
from tests.support.ledger_house import refused
from tests.support.tournament_lobby import quick
from tests.support.tournament_suite import TournamentSuite

RULES = PRESETS["regulated_tournament"]


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TournamentSuite]:
    async with TournamentSuite(tmp_path) as running:
        yield running


class AskedWhileOpened:
    """The tables' log; somebody asks for a new table when it is on the disk and its opener does not know it yet."""

    def __init__(self, log: Any, suite: TournamentSuite) -> None:
        self._log = log
        self._suite = suite
        self.asked: list[asyncio.Task[TableActor]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._log, name)

    async def write(self, write: TableWrite) -> None:
        await self._log.write(write)
        if write.expected_version == 0:
            asking = self._suite.orchestrator.tables.actor(write.table_id)
            self.asked.append(asyncio.create_task(asking))
            await asyncio.wait(self.asked, timeout=0.5)


async def test_a_table_that_is_asked_for_while_it_is_opened_has_one_task(suite: TournamentSuite) -> None:
    tables = suite.orchestrator.tables
    log = AskedWhileOpened(tables.world.log, suite)
    tables.world = replace(tables.world, log=log)
    directed = DirectedTables(tables)
    await directed.open_tournament_table("sunday.1", "Sunday", "sunday", RULES, RULES.tournament.levels[0].stakes)
    assert [await each for each in log.asked] == [tables.at_hand("sunday.1")]


async def test_a_table_that_a_tournament_has_named_is_there_for_who_asks(
    suite: TournamentSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def opens_nothing(_: object) -> None:
        """As if the process had been slow, or killed, between the seats and the tables."""

    monkeypatch.setattr(suite.orchestrator.tournaments.agreement, "open_tables", opens_nothing)
    players = ["ann", "bob", "cid", "dan"]
    rules = quick(option.FORMULA_MULTI_TABLE)
    tournament_id = await suite.announce(rules, players, seats_per_table=2, entrants_max=4)
    view = await suite.start(tournament_id)
    assert len(view.table_ids) == 2
    for table_id in view.table_ids:
        found = (await suite.tables.GetTable(pb.GetTableRequest(table_id=table_id))).table
        assert found.tournament_id == tournament_id
    elsewhere = pb.GetTableRequest(table_id=f"{tournament_id}.9")
    await refused(suite.tables.GetTable(elsewhere), Reason.NOT_FOUND)
