"""A player who toggles the own settings fills no log: a hand takes so many changes of each."""

from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.orchestrator.application.changes_made import NOTHING_FACTOR
from shared.kernel.errors import Reason
from shared.rpc.client import unpack_error
from tests.support.ledger_house import fresh
from tests.support.seat_keys import SeatHolder
from tests.support.table_suite import PlayedTable, TableSuite, card_room, heads_up, open_table

MOST = 6
Toggle = Callable[[PlayedTable, int], Coroutine[Any, Any, Any]]


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        await running.stop_orchestrator()
        await running.start_orchestrator(CHANGES_PER_HAND_MAX=str(MOST))
        yield running


def who(table: PlayedTable) -> dict[str, str]:
    return {"request_id": fresh(), "table_id": table.table_id, "player_id": "ann"}


async def toggle_presence(table: PlayedTable, number: int) -> None:
    tables = table.suite.tables
    await (
        tables.Return(pb.ReturnRequest(**who(table))) if number % 2 else tables.SitOut(pb.SitOutRequest(**who(table)))
    )


async def toggle_connection(table: PlayedTable, number: int) -> None:
    await table.suite.tables.SetConnection(pb.SetConnectionRequest(**who(table), connected=bool(number % 2)))


async def toggle_key(table: PlayedTable, number: int) -> None:
    key = b"" if number % 2 else SeatHolder().public_key
    await table.suite.tables.RegisterSeatKey(pb.RegisterSeatKeyRequest(**who(table), public_key=key))


async def refusal_of_many(table: PlayedTable, toggle: Toggle, first: int = 0) -> grpc.aio.AioRpcError:
    for number in range(first, MOST + 1):
        try:
            await toggle(table, number)
        except grpc.aio.AioRpcError as refusal:
            return refusal
    raise AssertionError("every change was taken")


@pytest.mark.parametrize("toggle", [toggle_presence, toggle_connection, toggle_key])
async def test_the_log_takes_so_many_changes_and_the_caller_is_told_when_to_come_back(
    suite: TableSuite, toggle: Toggle
) -> None:
    table = await heads_up(suite)
    await table.turn()
    error = await refusal_of_many(table, toggle)
    told = unpack_error(error)
    assert (told.code, told.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, Reason.LIMIT_REACHED)
    assert told.metadata == {"limit": "changes_per_hand_max"}
    status: Any = rpc_status.from_call(error)  # type: ignore[arg-type]  # it needs only what AioRpcError has
    assert any(detail.Is(error_details_pb2.RetryInfo.DESCRIPTOR) for detail in status.details)
    version = (await table.view()).version
    await refusal_of_many(table, toggle)
    assert (await table.view()).version == version


async def test_one_players_changes_are_not_anothers_and_a_minute_gives_new_ones(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.turn()
    await refusal_of_many(table, toggle_presence)
    await suite.tables.SitOut(pb.SitOutRequest(request_id=fresh(), table_id=table.table_id, player_id="bob"))
    suite.clock.move(61)
    await toggle_presence(table, 1)


async def test_a_change_that_was_made_is_answered_again_when_no_more_are_taken(suite: TableSuite) -> None:
    table = await heads_up(suite)
    request = pb.SitOutRequest(**who(table))
    first = await suite.tables.SitOut(request)
    await refusal_of_many(table, toggle_presence, first=1)
    assert (await suite.tables.SitOut(request)).table.version == first.table.version


async def test_chips_are_bought_so_often_between_two_hands_and_no_more(suite: TableSuite) -> None:
    """Sitting down and leaving costs nothing, and is rows of three databases each time."""
    table = await open_table(suite, card_room())
    await table.sit("ann")
    leave = pb.LeaveRequest(**who(table))

    async def sit_again() -> pb.SitResponse:
        request = pb.SitRequest(request_id=fresh(), table_id=table.table_id, player_id="ann", buy_in_chips=100)
        return await suite.tables.Sit(request)

    async def come_back() -> pb.SitResponse:
        leave.request_id = fresh()
        await suite.tables.Leave(leave)
        return await sit_again()

    for _ in range(MOST - 1):
        await come_back()
    with pytest.raises(grpc.aio.AioRpcError) as refusal:
        await come_back()
    assert unpack_error(refusal.value).metadata == {"limit": "changes_per_hand_max"}
    await table.sit("bob")
    suite.clock.move(61)
    assert (await sit_again()).seat


async def leave_again(table: PlayedTable, _: int) -> None:
    await table.suite.tables.Leave(pb.LeaveRequest(**who(table)))


async def sit_out_again(table: PlayedTable, _: int) -> None:
    await table.suite.tables.SitOut(pb.SitOutRequest(**who(table)))


async def connected_again(table: PlayedTable, _: int) -> None:
    await table.suite.tables.SetConnection(pb.SetConnectionRequest(**who(table), connected=True))


@pytest.mark.parametrize("ask", [leave_again, sit_out_again, connected_again])
async def test_asking_for_what_is_so_already_fills_nothing_either(suite: TableSuite, ask: Toggle) -> None:
    """Each answer is kept for months, whatever it changed."""
    table = await heads_up(suite)
    await table.turn()
    refusal = await refusal_of_many(table, ask, first=-MOST * NOTHING_FACTOR)
    assert unpack_error(refusal).metadata == {"limit": "changes_per_hand_max"}


async def test_a_winner_who_hides_again_and_again_fills_nothing_either(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play("2 bring_in", "1 complete 5", "2 fold")
    hand = await table.hand(1)

    async def hide(_: PlayedTable, __: int) -> None:
        await suite.tables.ShowOrMuck(pb.ShowOrMuckRequest(**who(table), hand_id=hand.hand_id, show=False))

    refusal = await refusal_of_many(table, hide, first=-MOST * NOTHING_FACTOR)
    assert unpack_error(refusal).metadata == {"limit": "changes_per_hand_max"}


async def test_who_is_refused_at_one_table_after_the_other_fills_no_more_than_at_one(suite: TableSuite) -> None:
    """A refusal is remembered for as long as answers are kept, and there are thousands of tables."""
    tables = [await open_table(suite, card_room()) for _ in range(3)]
    reasons = list[Reason | None]()
    for table in tables:
        for _ in range(MOST * NOTHING_FACTOR):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await suite.tables.Leave(pb.LeaveRequest(**who(table)))
            reasons.append(unpack_error(refused.value).reason)
    assert reasons.count(Reason.NOT_SEATED) <= 2 * MOST * NOTHING_FACTOR, "once more where a minute began meanwhile"
    assert {Reason.NOT_SEATED, Reason.LIMIT_REACHED} == {*reasons}
