"""A closing that was cut off goes on when it is asked for again, though its own steps changed the table."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.orchestrator.adapters.ledger_client import LedgerClient
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import Reason
from tests.support.ledger_house import fresh, refused
from tests.support.table_suite import PlayedTable, TableSuite, card_room, open_table

PLAYERS = ("ann", "bob", "cid")


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlayedTable]:
    async with TableSuite(tmp_path) as suite:
        table = await open_table(suite, card_room())
        await table.sit(*PLAYERS)
        yield table


def _break_off(monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    """The ledger falls silent when so many players are paid out."""
    cash_out, paid = LedgerClient.cash_out, 0

    async def some(*args: Any) -> int:
        nonlocal paid
        if paid == after:
            raise ServiceAway("tournament_ledger")
        paid += 1
        return await cash_out(*args)

    monkeypatch.setattr(LedgerClient, "cash_out", some)


async def _closing(table: PlayedTable) -> pb.CloseTableRequest:
    """By who has seen the table as it is."""
    version = (await table.view()).version
    return pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id, expected_version=version)


@pytest.mark.parametrize("restarted", [False, True])
@pytest.mark.parametrize("paid", [0, 1, 2])
async def test_a_closing_that_was_cut_off_is_finished_when_it_is_asked_for_again(
    table: PlayedTable, paid: int, *, restarted: bool
) -> None:
    suite, request = table.suite, await _closing(table)
    assert isinstance(suite, TableSuite)
    with pytest.MonkeyPatch.context() as patch:
        _break_off(patch, paid)
        await refused(suite.house.CloseTable(request), Reason.DEPENDENCY_UNAVAILABLE)
        if restarted:
            await suite.stop_orchestrator()
    if restarted:
        await suite.start_orchestrator()
    closed = (await suite.house.CloseTable(request)).table
    assert not closed.seats
    for player_id in PLAYERS:
        asked = ledger_pb.GetBalanceRequest(player_id=player_id, currency="EUR")
        assert (await suite.ledger.GetBalance(asked)).balance.available.amount_minor == 1000
    assert (await suite.house.CloseTable(request)).table.version == closed.version


async def test_another_closing_needs_the_version_as_it_is_now(
    table: PlayedTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = await _closing(table), await _closing(table)
    _break_off(monkeypatch, 0)
    await refused(table.suite.house.CloseTable(first), Reason.DEPENDENCY_UNAVAILABLE)
    await refused(table.suite.house.CloseTable(second), Reason.VERSION_CONFLICT)


async def test_a_closing_that_was_cut_off_waits_for_the_end_of_a_hand_and_is_not_refused_for_good(
    table: PlayedTable,
) -> None:
    request = await _closing(table)
    with pytest.MonkeyPatch.context() as patch:
        _break_off(patch, 0)
        await refused(table.suite.house.CloseTable(request), Reason.DEPENDENCY_UNAVAILABLE)
    await table.until(lambda view: not view.seats)  # the table pays out by itself
    await table.sit("dan", "eve")
    await table.resume()
    first = (await table.turn()).seat
    await refused(table.suite.house.CloseTable(request), Reason.HAND_IN_PROGRESS)
    await table.suite.house.PauseTable(pb.PauseTableRequest(request_id=fresh(), table_id=table.table_id))
    await table.play(f"{first} bring_in", f"{3 - first} fold")
    await table.hand(1)
    assert not (await table.suite.house.CloseTable(request)).table.seats
