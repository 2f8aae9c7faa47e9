"""Lost connections at a table: what the clock rules make of them, in time that is moved (rules 140, 146-149)."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from sevenstud.common.v1.betting_pb2 import (
    ACTION_CAUSE_ABSENT,
    ACTION_CAUSE_CLOCK,
    ACTION_CAUSE_DISCONNECTED,
    ACTION_CAUSE_PLAYER,
    ACTION_KIND_CHECK,
)
from sevenstud.common.v1.rule_options_pb2 import (
    BANK_WHEN_DISCONNECTED_KEEP,
    ON_DISCONNECT_CLOCK_THEN_SIT_OUT,
    ON_DISCONNECT_EXTRA_TIME,
    ON_DISCONNECT_SIT_OUT_NOW,
    TIMEOUT_CHECK_FOLD,
)
from sevenstud.common.v1.rules_pb2 import RuleSet
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from shared.kernel.errors import Reason
from shared.kernel.rules import BankWhenDisconnected, OnDisconnect, ReturnWhen, Timeout
from tests.support.driven_options import clock, drives
from tests.support.ledger_house import fresh, refused
from tests.support.table_suite import PlayedTable, TableSuite, card_room, heads_up

CLOCK_SECONDS = 10
BANK_SECONDS = 30
EXTRA_SECONDS = 20
TO_FOURTH = ("2 bring_in", "1 complete 5", "2 call")


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


def rules(**changes: int) -> Callable[[RuleSet], None]:
    """Check or fold when the clock ends, and these clock rules."""

    def change(chosen: RuleSet) -> None:
        chosen.clock.timeout = TIMEOUT_CHECK_FOLD
        for name, value in changes.items():
            setattr(chosen.clock, name, value)

    return change


async def played(suite: TableSuite, **changes: int) -> PlayedTable:
    """Heads-up on fourth street; ann with the higher board is to act."""
    table = await heads_up(suite, card_room(change=rules(**changes)))
    await table.play(*TO_FOURTH)
    await table.until(lambda view: view.turn.seat == 1)
    return table


async def connection(table: PlayedTable, player_id: str, *, connected: bool) -> table_pb2.TableView:
    request = pb.SetConnectionRequest(
        request_id=fresh(), table_id=table.table_id, player_id=player_id, connected=connected
    )
    return (await table.suite.tables.SetConnection(request)).table


def seat_of(view: table_pb2.TableView, seat: int) -> table_pb2.SeatView:
    return next(each for each in view.seats if each.seat == seat)


async def history(table: PlayedTable, kind: str) -> list[Any]:
    return [getattr(each, kind) for each in (await table.hand(1)).events if each.WhichOneof("event") == kind]


async def causes(table: PlayedTable, seat: int) -> list[int]:
    return [each.cause for each in await history(table, "action_taken") if each.seat == seat]


# --- on_disconnect --------------------------------------------------------------------------------


async def test_the_clock_of_who_is_gone_runs_to_its_end_and_then_the_player_sits_out(suite: TableSuite) -> None:
    table = await played(suite, on_disconnect=ON_DISCONNECT_CLOCK_THEN_SIT_OUT)
    view = await connection(table, "ann", connected=False)
    assert view.turn.seat == 1
    assert (seat_of(view, 1).presence, seat_of(view, 1).disconnected) == (table_pb2.PRESENCE_DISCONNECTED, True)
    suite.clock.move(CLOCK_SECONDS + 1)
    await table.play("2 check", "2 check", "2 check", "2 check")
    assert (await causes(table, 1))[-4:] == [ACTION_CAUSE_DISCONNECTED, *[ACTION_CAUSE_ABSENT] * 3]


async def test_who_is_gone_is_not_waited_for_where_the_rules_say_so(suite: TableSuite) -> None:
    table = await played(suite, on_disconnect=ON_DISCONNECT_SIT_OUT_NOW)
    await connection(table, "ann", connected=False)
    await table.play("2 check", "2 check", "2 check", "2 check")
    assert (await causes(table, 1))[-4:] == [ACTION_CAUSE_DISCONNECTED, *[ACTION_CAUSE_ABSENT] * 3]


async def test_who_is_gone_when_the_turn_comes_is_not_waited_for_either(suite: TableSuite) -> None:
    table = await played(suite, on_disconnect=ON_DISCONNECT_SIT_OUT_NOW)
    await connection(table, "bob", connected=False)
    await table.play("1 bet 10")
    assert (await causes(table, 2))[-1] == ACTION_CAUSE_DISCONNECTED
    view = await table.view()
    assert seat_of(view, 2).presence == table_pb2.PRESENCE_DISCONNECTED


async def test_extra_time_is_added_once_a_hand(suite: TableSuite) -> None:
    table = await played(suite, on_disconnect=ON_DISCONNECT_EXTRA_TIME, extra_time_seconds=EXTRA_SECONDS)
    before = (await table.turn()).deadline
    longer = (await connection(table, "ann", connected=False)).turn.deadline
    assert longer.seconds - before.seconds == EXTRA_SECONDS
    assert (await connection(table, "ann", connected=True)).turn.deadline == longer
    assert (await connection(table, "ann", connected=False)).turn.deadline == longer
    suite.clock.move(CLOCK_SECONDS + EXTRA_SECONDS - 2)
    assert (await table.view()).turn.seat == 1
    suite.clock.move(3)
    await table.play("2 check", "2 check", "2 check", "2 check")
    said = await history(table, "connection_changed")
    assert [(each.seat, each.connected, each.HasField("deadline")) for each in said] == [
        (1, False, True),
        (1, True, False),
        (1, False, False),
    ]


async def test_a_turn_that_begins_for_who_is_gone_has_the_extra_time(suite: TableSuite) -> None:
    table = await played(suite, on_disconnect=ON_DISCONNECT_EXTRA_TIME, extra_time_seconds=EXTRA_SECONDS)
    await connection(table, "bob", connected=False)
    await table.play("1 check")
    turn = await table.turn()
    left = turn.deadline.ToDatetime() - suite.clock.now().replace(tzinfo=None)
    assert CLOCK_SECONDS + EXTRA_SECONDS - 5 < left.total_seconds() <= CLOCK_SECONDS + EXTRA_SECONDS
    await table.play("2 check", "1 check")
    left = (await table.turn()).deadline.ToDatetime() - suite.clock.now().replace(tzinfo=None)
    assert left.total_seconds() <= CLOCK_SECONDS


async def test_extra_time_given_while_the_clocks_stand_still_is_there_afterwards(suite: TableSuite) -> None:
    table = await played(suite, on_disconnect=ON_DISCONNECT_EXTRA_TIME, extra_time_seconds=EXTRA_SECONDS)
    pause = pb.PauseTableRequest(request_id=fresh(), table_id=table.table_id, clocks_too=True, cause="fire alarm")
    await suite.house.PauseTable(pause)
    await connection(table, "ann", connected=False)
    suite.clock.move(600)
    await table.resume()
    left = (await table.turn()).deadline.ToDatetime() - suite.clock.now().replace(tzinfo=None)
    assert CLOCK_SECONDS + EXTRA_SECONDS - 5 < left.total_seconds() <= CLOCK_SECONDS + EXTRA_SECONDS


# --- the time bank --------------------------------------------------------------------------------


@drives("bank_when_disconnected", *BankWhenDisconnected)
async def test_the_bank_of_who_is_gone_is_used_or_kept(
    suite: TableSuite, bank_when_disconnected: BankWhenDisconnected
) -> None:
    options = clock(
        timeout=Timeout.CHECK_FOLD, time_bank_seconds=BANK_SECONDS, bank_when_disconnected=bank_when_disconnected
    )
    table = await heads_up(suite, card_room(change=options))
    await table.play(*TO_FOURTH)
    await table.until(lambda view: view.turn.seat == 1)
    await connection(table, "ann", connected=False)
    suite.clock.move(CLOCK_SECONDS + 1)
    if bank_when_disconnected is BankWhenDisconnected.USE:
        await table.until(lambda view: view.turn.in_time_bank)
        suite.clock.move(BANK_SECONDS)
    view = await table.until(lambda view: view.turn.seat == 2)
    left_seconds = {BankWhenDisconnected.USE: 0, BankWhenDisconnected.KEEP: BANK_SECONDS}
    assert seat_of(view, 1).time_bank_seconds == left_seconds[bank_when_disconnected]


async def test_a_bank_that_runs_stops_where_it_is_kept_for_who_is_gone(suite: TableSuite) -> None:
    table = await played(suite, time_bank_seconds=BANK_SECONDS, bank_when_disconnected=BANK_WHEN_DISCONNECTED_KEEP)
    suite.clock.move(CLOCK_SECONDS + 0.5)
    await table.until(lambda view: view.turn.in_time_bank)
    suite.clock.move(10)
    await connection(table, "ann", connected=False)
    view = await table.until(lambda view: view.turn.seat == 2)
    assert BANK_SECONDS - 12 <= seat_of(view, 1).time_bank_seconds <= BANK_SECONDS - 10


# --- coming back ----------------------------------------------------------------------------------


async def test_who_is_there_again_before_the_clock_ends_has_lost_nothing(suite: TableSuite) -> None:
    table = await played(suite, on_disconnect=ON_DISCONNECT_CLOCK_THEN_SIT_OUT)
    await connection(table, "ann", connected=False)
    view = await connection(table, "ann", connected=True)
    assert (seat_of(view, 1).presence, seat_of(view, 1).disconnected) == (table_pb2.PRESENCE_PLAYING, False)
    suite.clock.move(CLOCK_SECONDS + 1)
    await table.until(lambda view: view.turn.seat == 2)
    await table.play("2 check")
    assert (await table.turn()).seat == 1


@drives("return_disconnect", *ReturnWhen)
async def test_who_is_there_again_plays_on_at_once_or_with_the_next_hand(
    suite: TableSuite, return_disconnect: ReturnWhen
) -> None:
    options = clock(
        timeout=Timeout.CHECK_FOLD, on_disconnect=OnDisconnect.SIT_OUT_NOW, return_disconnect=return_disconnect
    )
    table = await heads_up(suite, card_room(change=options))
    await table.play(*TO_FOURTH)
    await table.until(lambda view: view.turn.seat == 1)
    await connection(table, "ann", connected=False)
    await table.until(lambda view: view.turn.seat == 2)
    view = await connection(table, "ann", connected=True)
    assert seat_of(view, 1).presence == table_pb2.PRESENCE_PLAYING
    at_once = return_disconnect is ReturnWhen.AT_ONCE
    later = ("1 check", "2 check") if at_once else ("2 check",)
    await table.play("2 check", *later * 3)
    checks = [each for each in await history(table, "action_taken") if each.seat == 1]
    expected = ACTION_CAUSE_PLAYER if at_once else ACTION_CAUSE_ABSENT
    assert [each.cause for each in checks if each.kind == ACTION_KIND_CHECK][1:] == [expected] * 3


async def test_return_says_that_the_player_is_there_again(suite: TableSuite) -> None:
    table = await played(suite)
    await connection(table, "bob", connected=False)
    back = pb.ReturnRequest(request_id=fresh(), table_id=table.table_id, player_id="bob")
    seat = seat_of((await suite.tables.Return(back)).table, 2)
    assert (seat.presence, seat.disconnected) == (table_pb2.PRESENCE_PLAYING, False)


async def test_who_chose_to_sit_out_still_does_when_the_connection_is_back(suite: TableSuite) -> None:
    table = await played(suite)
    await suite.tables.SitOut(pb.SitOutRequest(request_id=fresh(), table_id=table.table_id, player_id="bob"))
    await connection(table, "bob", connected=False)
    view = await connection(table, "bob", connected=True)
    assert seat_of(view, 2).presence == table_pb2.PRESENCE_SITTING_OUT


async def test_who_is_gone_between_hands_is_not_dealt_in_at_a_cash_table(suite: TableSuite) -> None:
    table = await heads_up(suite, card_room(), hands_max=0)
    await connection(table, "ann", connected=False)
    await table.play("2 bring_in")
    suite.clock.move(CLOCK_SECONDS + 1)
    view = await table.until(lambda view: view.state == table_pb2.TABLE_STATE_WAITING)
    assert view.hand_number == 1
    await connection(table, "ann", connected=True)
    await table.until(lambda view: view.hand_number == 2)


# --- the signal itself ----------------------------------------------------------------------------


async def test_saying_it_twice_changes_nothing_and_a_repeated_request_gets_the_first_answer(suite: TableSuite) -> None:
    table = await played(suite)
    request = pb.SetConnectionRequest(request_id=fresh(), table_id=table.table_id, player_id="bob", connected=False)
    first = (await suite.tables.SetConnection(request)).table
    assert (await connection(table, "bob", connected=False)).version == first.version
    await connection(table, "bob", connected=True)
    assert (await suite.tables.SetConnection(request)).table == first


async def test_a_player_speaks_of_the_own_connection_only(suite: TableSuite) -> None:
    table = await played(suite)
    async with suite.as_player("ann") as ann:
        request = pb.SetConnectionRequest(request_id=fresh(), table_id=table.table_id, player_id="bob")
        await refused(ann.SetConnection(request), Reason.NOT_PERMITTED)
        own = pb.SetConnectionRequest(request_id=fresh(), table_id=table.table_id, player_id="ann")
        assert seat_of((await ann.SetConnection(own)).table, 1).disconnected
    stranger = pb.SetConnectionRequest(request_id=fresh(), table_id=table.table_id, player_id="cid", connected=True)
    await refused(suite.tables.SetConnection(stranger), Reason.NOT_SEATED)


async def test_a_stream_that_ends_is_no_lost_connection(suite: TableSuite) -> None:
    table = await played(suite, on_disconnect=ON_DISCONNECT_SIT_OUT_NOW)
    async with suite.as_player("ann") as ann:
        stream = ann.Watch(pb.WatchRequest(table_id=table.table_id))
        await stream.read()
        stream.cancel()
    view = await table.view()
    assert not seat_of(view, 1).disconnected
    assert view.turn.seat == 1


async def test_a_lost_connection_outlives_a_restart(suite: TableSuite) -> None:
    table = await played(suite, on_disconnect=ON_DISCONNECT_EXTRA_TIME, extra_time_seconds=600)
    before = (await connection(table, "ann", connected=False)).turn
    await suite.stop_orchestrator()
    suite.clock.move(60)
    await suite.start_orchestrator()
    after = await table.view()
    assert seat_of(after, 1).disconnected
    assert after.turn.deadline.seconds >= before.deadline.seconds
    suite.clock.move(700)
    await table.until(lambda view: view.turn.seat == 2)


async def test_a_timeout_is_the_clocks_where_nobody_said_that_the_player_is_gone(suite: TableSuite) -> None:
    table = await played(suite)
    suite.clock.move(CLOCK_SECONDS + 1)
    await table.play("2 bet 10")
    suite.clock.move(CLOCK_SECONDS + 1)
    assert (await causes(table, 1))[-2:] == [ACTION_CAUSE_CLOCK, ACTION_CAUSE_CLOCK]
