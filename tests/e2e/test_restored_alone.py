"""A service that is restored from an older backup than the others: said at the start, and nobody plays on."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.console.__main__ import run
from services.console.adapters.suite import SuiteFault
from tests.e2e.test_kill_and_recover import act, next_turn
from tests.support.ledger_house import fresh
from tests.support.suite_processes import Processes
from tests.support.table_suite import PlayedTable, card_room, open_table

pytestmark = pytest.mark.process
STORES = ("orchestrator", "tournament_ledger", "dealer")
OLDER = {"orchestrator": "the orchestrator", "tournament_ledger": "the ledger", "dealer": "the dealer"}


@pytest.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    async with Processes(tmp_path) as running:
        yield running


async def play_a_hand(processes: Processes, table: PlayedTable, number: int) -> None:
    """From the resumption to the pause that follows it."""
    await processes.house.ResumeTable(pb.ResumeTableRequest(request_id=fresh(), table_id=table.table_id))
    view = await table.until(lambda found: found.HasField("turn"))
    turn: table_pb2.Turn | None = view.turn
    pause = pb.PauseTableRequest(request_id=fresh(), table_id=table.table_id, cause="one hand at a time")
    await processes.house.PauseTable(pause)
    while turn is not None:
        await act(processes, table, turn)
        turn = await next_turn(table, turn.turn_id)
    await table.hand(number)


async def console(*arguments: str) -> None:
    assert await asyncio.to_thread(run, arguments, {}) == 0


async def stop_all(processes: Processes) -> None:
    for service in STORES:
        await processes.suite.stop(service)


@pytest.mark.slow
async def test_whoever_was_restored_alone_is_named_and_all_three_together_play_on(processes: Processes) -> None:
    folder = processes.suite.folder
    table = await open_table(processes, card_room())
    await table.sit("ann", "bob", "cid")
    await play_a_hand(processes, table, 1)
    for service in STORES:
        await console("backup", str(folder / f"{service}.sqlite"), str(folder / f"{service}.backup"))
    await play_a_hand(processes, table, 2)
    for service in STORES:
        await stop_all(processes)
        await console("restore", str(folder / f"{service}.backup"), str(folder / f"{service}.sqlite"))
        await processes.suite.start("dealer")
        await processes.suite.start("tournament_ledger")
        with pytest.raises(SuiteFault):
            await processes.suite.start("orchestrator")
        said = processes.suite.log("orchestrator").read_text()
        assert f"cannot start: {OLDER[service]} is older" in said
        assert "restore orchestrator, ledger and dealer from backups of one time" in said
        await stop_all(processes)
        (folder / f"{service}.sqlite.before-restore-1").replace(folder / f"{service}.sqlite")
        processes.suite.log("orchestrator").write_text("")
    for service in STORES:
        await console("restore", str(folder / f"{service}.backup"), str(folder / f"{service}.sqlite"))
    for service in ("dealer", "tournament_ledger", "orchestrator"):
        await processes.suite.start(service)
    await processes.call()
    assert (await table.view()).hand_number == 1
    await play_a_hand(processes, table, 2)
    assert sum(seat.stack_chips for seat in (await table.view()).seats) == 300


async def test_a_ledger_restored_alone_is_found_when_it_answers_at_last(processes: Processes) -> None:
    folder = processes.suite.folder
    table = await open_table(processes, card_room())
    await table.sit("ann", "bob", "cid")
    ledger = str(folder / "tournament_ledger.sqlite")
    await console("backup", ledger, str(folder / "ledger.backup"))
    await play_a_hand(processes, table, 1)
    for service in ("orchestrator", "tournament_ledger"):
        await processes.suite.stop(service)
    await processes.suite.start("orchestrator")  # the ledger is away: it serves, and compares later
    await console("restore", str(folder / "ledger.backup"), ledger)
    await processes.suite.start("tournament_ledger")
    ended = await asyncio.wait_for(processes.suite.fault(), 60)
    assert "orchestrator" in ended
    assert "the ledger is older" in processes.suite.log("orchestrator").read_text()
