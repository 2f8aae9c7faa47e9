"""Every value of every clock option that a cash table shows: time is moved, never waited for (rules 128-150)."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from sevenstud.common.v1.betting_pb2 import ACTION_CAUSE_ABSENT, ActionKind
from sevenstud.common.v1.game_pb2 import STREET_FIFTH
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from shared.kernel.rules import (
    AfterProtect,
    BringInFold,
    OnDisconnect,
    ProtectScope,
    ReturnWhen,
    SitOutPays,
    TimeBankActivation,
    TimeBankRefill,
    Timeout,
    TimeoutBringIn,
    TimeoutFree,
)
from tests.support.driven_options import clock, drives, set_options
from tests.support.ledger_house import fresh
from tests.support.table_suite import (
    CHECKED_DOWN,
    KINGS_FULL,
    TO_THE_RIVER,
    PlayedTable,
    TableSuite,
    card_room,
    heads_up,
    open_table,
    scripted,
)

CLOCK_SECONDS = 10
PASS_ON = BringInFold.PASS_NEXT_LOWEST
TO_FOURTH = ("2 bring_in", "1 complete 5", "2 call")
BOB_TO_CALL = ("2 bring_in", "1 complete 5")


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


async def played(suite: TableSuite, *actions: str, hands: int = 1, **options: object) -> PlayedTable:
    """Heads-up under these clock rules, after these actions; the same cards in every hand."""
    script = [scripted(KINGS_FULL)] * hands
    table = await heads_up(suite, card_room(clock=clock(**options)), scripted_hands=script, hands_max=hands)
    await table.play(*actions)
    await table.turn()
    return table


def expire(suite: TableSuite) -> None:
    suite.clock.move(CLOCK_SECONDS + 1)


def seat_of(view: table_pb2.TableView, seat: int) -> table_pb2.SeatView:
    return next(each for each in view.seats if each.seat == seat)


async def came_of(table: PlayedTable, seat: int, hand: int = 1) -> str:
    """What became of a seat at the end of its hand: the last thing that it did, or that was done for it."""
    last = ""
    for event in (await table.hand(hand)).events:
        if event.HasField("action_taken") and event.action_taken.seat == seat:
            last = ActionKind.Name(event.action_taken.kind).removeprefix("ACTION_KIND_").lower()
        elif event.HasField("seat_frozen") and event.seat_frozen.seat == seat:
            last = "frozen"
    return last


async def left_seconds(table: PlayedTable, suite: TableSuite) -> float:
    deadline = (await table.turn()).deadline.ToDatetime()
    return (deadline - suite.clock.now().replace(tzinfo=None)).total_seconds()


# --- the end of the clock -------------------------------------------------------------------------


@drives("decision_seconds", 10, 25)
async def test_a_decision_has_its_seconds(suite: TableSuite, decision_seconds: int) -> None:
    table = await played(suite, decision_seconds=decision_seconds)
    assert decision_seconds - 4 < await left_seconds(table, suite) <= decision_seconds
    suite.clock.move(decision_seconds + 1)
    await table.until(lambda view: view.turn.seat == 1)


@drives("timeout", *Timeout)
async def test_the_clock_ends_where_a_wager_is_faced(suite: TableSuite, timeout: Timeout) -> None:  # noqa: ASYNC109  # the option
    table = await played(suite, *BOB_TO_CALL, timeout=timeout, after_protect=AfterProtect.STAY)
    expire(suite)
    came, presence = {
        Timeout.CHECK_FOLD: ("fold", table_pb2.PRESENCE_PLAYING),
        Timeout.CHECK_FOLD_SIT_OUT: ("fold", table_pb2.PRESENCE_TIMED_OUT),
        Timeout.FREEZE_IF_BET: ("frozen", table_pb2.PRESENCE_PLAYING),
    }[timeout]
    assert await came_of(table, 2) == came
    assert seat_of(await table.view(), 2).presence == presence


@drives("timeout_free", *TimeoutFree)
async def test_the_clock_ends_where_a_check_is_free(suite: TableSuite, timeout_free: TimeoutFree) -> None:
    table = await played(suite, *TO_FOURTH, timeout=Timeout.FREEZE_IF_BET, timeout_free=timeout_free)
    expire(suite)
    if timeout_free is TimeoutFree.CHECK:
        await table.until(lambda view: view.turn.seat == 2)
        return
    expected = {TimeoutFree.POLICY: "frozen", TimeoutFree.FOLD: "fold"}[timeout_free]
    assert await came_of(table, 1) == expected


@drives("timeout_bring_in", *TimeoutBringIn)
async def test_the_clock_ends_at_the_bring_in(suite: TableSuite, timeout_bring_in: TimeoutBringIn) -> None:
    clocks = clock(timeout=Timeout.CHECK_FOLD, timeout_bring_in=timeout_bring_in)
    rules = card_room(clock=clocks, may_fold=lambda rules: set_options(rules.hand, bring_in_fold=PASS_ON))
    doors = scripted({1: "As Ad 2c ? ? ? ?", 2: "Ks Kd 9c ? ? ? ?", 3: "Qs Qd 4c ? ? ? ?"})
    table = await open_table(suite, rules, scripted_hands=[doors], hands_max=1)
    await table.sit("ann", "bob", "cid")
    await table.resume()
    await table.until(lambda view: view.turn.seat == 1)
    expire(suite)
    view = await table.until(lambda view: view.turn.seat != 1 and view.HasField("turn"))
    posted = seat_of(view, 1).street_chips
    assert (view.turn.seat, posted) == {
        TimeoutBringIn.POST: (2, 2),
        TimeoutBringIn.FOLD_PASS_ON: (3, 0),
        TimeoutBringIn.FOLD_PASS_LEFT: (2, 0),
    }[timeout_bring_in]


# --- protection -----------------------------------------------------------------------------------


@drives("protect_scope", *ProtectScope)
async def test_a_wager_protects_in_the_hand_or_on_the_street(suite: TableSuite, protect_scope: ProtectScope) -> None:
    table = await played(suite, *TO_FOURTH, "1 bet 10", timeout=Timeout.FREEZE_IF_BET, protect_scope=protect_scope)
    expire(suite)
    expected = {ProtectScope.HAND: "frozen", ProtectScope.STREET: "fold"}[protect_scope]
    assert await came_of(table, 2) == expected


@drives("ante_counts_as_bet", True, False)
async def test_the_ante_protects_where_it_counts(suite: TableSuite, ante_counts_as_bet: bool) -> None:
    table = await played(suite, "2 bring_in", timeout=Timeout.FREEZE_IF_BET, ante_counts_as_bet=ante_counts_as_bet)
    expire(suite)
    assert await came_of(table, 1) == ("frozen" if ante_counts_as_bet else "fold")


@drives("after_protect", *AfterProtect)
async def test_a_protected_player_sits_out_or_stays(suite: TableSuite, after_protect: AfterProtect) -> None:
    table = await played(suite, *BOB_TO_CALL, timeout=Timeout.FREEZE_IF_BET, after_protect=after_protect)
    expire(suite)
    assert await came_of(table, 2) == "frozen"
    expected = {AfterProtect.SIT_OUT: table_pb2.PRESENCE_TIMED_OUT, AfterProtect.STAY: table_pb2.PRESENCE_PLAYING}
    assert seat_of(await table.view(), 2).presence == expected[after_protect]


@drives("protect_limit_per_session", 0, 1)
async def test_protections_are_counted(suite: TableSuite, protect_limit_per_session: int) -> None:
    table = await played(
        suite,
        *BOB_TO_CALL,
        hands=2,
        timeout=Timeout.FREEZE_IF_BET,
        after_protect=AfterProtect.STAY,
        protect_limit_per_session=protect_limit_per_session,
    )
    expire(suite)
    assert await came_of(table, 2) == "frozen"
    await table.play(*BOB_TO_CALL)
    await table.turn()
    expire(suite)
    assert await came_of(table, 2, hand=2) == ("fold" if protect_limit_per_session else "frozen")


# --- the time bank --------------------------------------------------------------------------------


@drives("time_bank_seconds", 0, 30)
async def test_a_bank_follows_the_decision_time(suite: TableSuite, time_bank_seconds: int) -> None:
    table = await played(suite, time_bank_seconds=time_bank_seconds)
    expire(suite)
    if time_bank_seconds:
        await table.until(lambda view: view.turn.in_time_bank and view.turn.seat == 2)
        suite.clock.move(time_bank_seconds)
    await table.until(lambda view: view.turn.seat == 1)


@drives("time_bank_activation", *TimeBankActivation)
async def test_a_bank_begins_by_itself_or_on_request(
    suite: TableSuite, time_bank_activation: TimeBankActivation
) -> None:
    table = await played(suite, time_bank_seconds=30, time_bank_activation=time_bank_activation)
    expire(suite)
    view = await table.until(lambda view: view.turn.in_time_bank or view.turn.seat == 1)
    assert view.turn.in_time_bank == (time_bank_activation is TimeBankActivation.AUTO)


@drives("time_bank_refill_hands", 1, 2)
@drives("time_bank_refill", TimeBankRefill.NONE, TimeBankRefill.HANDS)
async def test_a_bank_is_filled_again_after_so_many_hands(
    suite: TableSuite, time_bank_refill: TimeBankRefill, time_bank_refill_hands: int
) -> None:
    bank: dict[str, Any] = {"time_bank_refill": time_bank_refill, "time_bank_refill_hands": time_bank_refill_hands}
    table = await played(suite, hands=2, time_bank_seconds=30, **bank)
    expire(suite)
    await table.until(lambda view: view.turn.in_time_bank)
    suite.clock.move(30)
    await table.play("1 fold")
    view = await table.until(lambda view: view.hand_number == 2 and view.HasField("turn"))
    filled = time_bank_refill is TimeBankRefill.HANDS and time_bank_refill_hands == 1
    assert seat_of(view, 2).time_bank_seconds == (30 if filled else 0)


# --- presence -------------------------------------------------------------------------------------


async def lose(table: PlayedTable, player_id: str) -> table_pb2.TableView:
    request = pb.SetConnectionRequest(request_id=fresh(), table_id=table.table_id, player_id=player_id, connected=False)
    return (await table.suite.tables.SetConnection(request)).table


@drives("on_disconnect", *OnDisconnect)
async def test_the_player_to_act_is_gone(suite: TableSuite, on_disconnect: OnDisconnect) -> None:
    table = await played(suite, *TO_FOURTH, timeout=Timeout.CHECK_FOLD, on_disconnect=on_disconnect)
    before = (await table.turn()).deadline
    view = await lose(table, "ann")
    if on_disconnect is OnDisconnect.SIT_OUT_NOW:
        await table.until(lambda view: view.turn.seat == 2)
        return
    extra = {OnDisconnect.CLOCK_THEN_SIT_OUT: 0, OnDisconnect.EXTRA_TIME: 15}[on_disconnect]
    assert view.turn.deadline.seconds - before.seconds == extra


@drives("extra_time_seconds", 5, 20)
async def test_extra_time_is_as_long_as_the_rules_say(suite: TableSuite, extra_time_seconds: int) -> None:
    options: dict[str, Any] = {"on_disconnect": OnDisconnect.EXTRA_TIME, "extra_time_seconds": extra_time_seconds}
    table = await played(suite, *TO_FOURTH, **options)
    before = (await table.turn()).deadline
    assert (await lose(table, "ann")).turn.deadline.seconds - before.seconds == extra_time_seconds


@drives("return_timeout", *ReturnWhen)
async def test_who_comes_back_after_the_clock_acts_at_once_or_with_the_next_hand(
    suite: TableSuite, return_timeout: ReturnWhen
) -> None:
    options: dict[str, Any] = {"timeout": Timeout.CHECK_FOLD_SIT_OUT, "timeout_free": TimeoutFree.CHECK}
    table = await played(suite, *TO_FOURTH, return_timeout=return_timeout, **options)
    expire(suite)
    await table.until(lambda view: view.turn.seat == 2)
    await suite.tables.Return(pb.ReturnRequest(request_id=fresh(), table_id=table.table_id, player_id="ann"))
    await table.play("2 check")
    if return_timeout is ReturnWhen.AT_ONCE:
        await table.play("1 check")
    else:
        await table.until(lambda view: view.street == STREET_FIFTH and view.turn.seat == 2)
        await table.play("2 bet 10")
        causes = [each.action_taken.cause for each in (await table.hand(1)).events if each.HasField("action_taken")]
        assert causes[-1] == ACTION_CAUSE_ABSENT


@drives("sit_out_pays", SitOutPays.NOTHING)
async def test_who_sits_out_at_a_cash_table_pays_nothing(suite: TableSuite, sit_out_pays: SitOutPays) -> None:
    table = await open_table(suite, card_room(clock=clock(sit_out_pays=sit_out_pays)), hands_max=1)
    await table.sit("ann", "bob", "cid")
    await suite.tables.SitOut(pb.SitOutRequest(request_id=fresh(), table_id=table.table_id, player_id="bob"))
    await table.resume()
    view = await table.until(lambda view: view.HasField("turn"))
    assert (seat_of(view, 2).in_hand, seat_of(view, 2).stack_chips) == (False, 100)


@drives("seat_lost_seconds", 0, 900)
async def test_a_seat_is_lost_after_so_long(suite: TableSuite, seat_lost_seconds: int) -> None:
    table = await open_table(suite, card_room(clock=clock(seat_lost_seconds=seat_lost_seconds)))
    await table.sit("ann", "bob")
    await suite.tables.SitOut(pb.SitOutRequest(request_id=fresh(), table_id=table.table_id, player_id="bob"))
    suite.clock.move(901)
    if seat_lost_seconds:
        await table.until(lambda view: len(view.seats) == 1)
        return
    suite.clock.move(100_000)
    await suite.tables.Return(pb.ReturnRequest(request_id=fresh(), table_id=table.table_id, player_id="bob"))
    await table.resume()
    await table.until(lambda view: view.hand_number == 1)


# --- showdown, pauses -----------------------------------------------------------------------------


@drives("showdown_seconds", 0, 5)
async def test_a_showdown_waits_for_beaten_players(suite: TableSuite, showdown_seconds: int) -> None:
    table = await played(suite, *TO_THE_RIVER, showdown_seconds=showdown_seconds)
    await table.play(*CHECKED_DOWN)
    if showdown_seconds:
        view = await table.until(lambda view: not view.HasField("turn"))
        assert view.state == table_pb2.TABLE_STATE_PLAYING
        suite.clock.move(showdown_seconds + 1)
    assert any(event.HasField("hand_mucked") for event in (await table.hand(1)).events)


@drives("resume_minimum_seconds", 15, 29)
async def test_after_a_pause_a_clock_has_the_least_of_the_rules(suite: TableSuite, resume_minimum_seconds: int) -> None:
    table = await played(suite, decision_seconds=60, resume_minimum_seconds=resume_minimum_seconds)
    suite.clock.move(58)
    pause = pb.PauseTableRequest(request_id=fresh(), table_id=table.table_id, clocks_too=True, cause="fire alarm")
    await suite.house.PauseTable(pause)
    await table.resume()
    assert resume_minimum_seconds - 10 < await left_seconds(table, suite) <= resume_minimum_seconds


@drives("between_hands_seconds", 0, 40)
async def test_the_next_hand_waits_as_long_as_the_rules_say(suite: TableSuite, between_hands_seconds: int) -> None:
    table = await played(suite, "2 bring_in", hands=2, between_hands_seconds=between_hands_seconds)
    await table.play("1 fold")
    await table.hand(1)
    if between_hands_seconds:
        suite.clock.move(between_hands_seconds - 15)
        assert (await table.view()).hand_number == 1
        suite.clock.move(20)
    await table.until(lambda view: view.hand_number == 2)
