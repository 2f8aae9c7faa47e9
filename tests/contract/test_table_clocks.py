"""Clocks, presence and showdown choices at a table: time is moved, never waited for."""

from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from sevenstud.common.v1.betting_pb2 import (
    ACTION_CAUSE_ABSENT,
    ACTION_CAUSE_CLOCK,
    ACTION_KIND_BRING_IN,
    ACTION_KIND_CHECK,
    ACTION_KIND_FOLD,
)
from sevenstud.common.v1.game_pb2 import STREET_SIXTH
from sevenstud.common.v1.rule_options_pb2 import (
    RETURN_WHEN_AT_ONCE,
    TIME_BANK_ACTIVATION_AUTO,
    TIME_BANK_ACTIVATION_MANUAL,
    TIMEOUT_CHECK_FOLD_SIT_OUT,
    TIMEOUT_FREE_CHECK,
)
from sevenstud.common.v1.rules_pb2 import RuleSet
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.console.domain.phh_file import read_hands
from services.console.domain.recorded_hand import RecordError
from shared.kernel.errors import Reason
from tests.support.ledger_house import fresh, refused
from tests.support.table_suite import (
    CHECKED_DOWN,
    TO_THE_RIVER,
    PlayedTable,
    TableSuite,
    card_room,
    heads_up,
    kinds,
    open_table,
)

DECISION_SECONDS = 10


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


def sit_out_on_timeout(rules: RuleSet) -> None:
    """Check or fold, then sit out, and be back at once (document 000)."""
    rules.clock.timeout = TIMEOUT_CHECK_FOLD_SIT_OUT
    rules.clock.timeout_free = TIMEOUT_FREE_CHECK
    rules.clock.return_timeout = RETURN_WHEN_AT_ONCE


def bank(seconds: int, activation: int) -> Callable[[RuleSet], None]:
    def set_bank(rules: RuleSet) -> None:
        rules.clock.time_bank_seconds = seconds
        rules.clock.time_bank_activation = activation  # type: ignore[assignment]  # a number of the enum

    return set_bank


def showdown_waits(rules: RuleSet) -> None:
    rules.clock.showdown_seconds = 5


async def events(table: PlayedTable, kind: str) -> list[Any]:
    """The events of a kind in the first hand."""
    return [getattr(each, kind) for each in (await table.hand(1)).events if each.WhichOneof("event") == kind]


async def presence(table: PlayedTable, seat: int) -> int:
    return next(each.presence for each in (await table.view()).seats if each.seat == seat)


async def command(table: PlayedTable, player_id: str, kind: str) -> table_pb2.TableView:
    """SitOut or Return."""
    request = {"SitOut": pb.SitOutRequest, "Return": pb.ReturnRequest}[kind]
    call = getattr(table.suite.tables, kind)
    answer = await call(request(request_id=fresh(), table_id=table.table_id, player_id=player_id))
    view: table_pb2.TableView = answer.table
    return view


# --- the clock ----------------------------------------------------------------------------------


async def test_the_clock_posts_the_bring_in_and_then_folds_who_has_not_bet(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.turn()
    suite.clock.move(DECISION_SECONDS + 1)
    await table.until(lambda view: view.turn.seat == 1)
    suite.clock.move(DECISION_SECONDS + 1)
    actions = await events(table, "action_taken")
    assert [(each.seat, each.kind, each.cause) for each in actions] == [
        (2, ACTION_KIND_BRING_IN, ACTION_CAUSE_CLOCK),
        (1, ACTION_KIND_FOLD, ACTION_CAUSE_CLOCK),
    ]


async def test_in_the_last_moment_the_clock_has_not_ended(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.turn()
    suite.clock.move(DECISION_SECONDS - 0.5)
    assert (await table.act(2, "bring_in")).paid_chips == 2


async def test_who_bet_before_is_frozen_by_the_clock_and_plays_for_what_is_in(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play("2 bring_in", "1 complete 5")
    await table.turn()
    suite.clock.move(DECISION_SECONDS + 1)
    hand = await table.hand(1)
    assert [event.seat_frozen.seat for event in hand.events if event.WhichOneof("event") == "seat_frozen"] == [2]
    ended = next(event.hand_ended for event in hand.events if event.WhichOneof("event") == "hand_ended")
    assert [each.after_chips for each in ended.results] == [103, 97]
    assert "hand_shown" in kinds(hand.events)


async def test_a_frozen_hand_is_exported_with_the_reason_why_it_cannot_be_played_again(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.play("2 bring_in", "1 complete 5")
    await table.turn()
    suite.clock.move(DECISION_SECONDS + 1)
    text = (await table.hand(1, phh=True)).phh
    assert "_frozen = ['p2']" in text
    (read,) = read_hands("exported", text)
    assert isinstance(read, RecordError)
    assert "the clock froze p2 in this hand" in str(read)


async def test_after_a_timeout_later_turns_are_answered_at_once_until_the_player_is_back(suite: TableSuite) -> None:
    table = await heads_up(suite, card_room(sit_out=sit_out_on_timeout))
    await table.play("2 bring_in", "1 complete 5", "2 call")
    await table.until(lambda view: view.turn.seat == 1)
    suite.clock.move(DECISION_SECONDS + 1)
    await table.play("2 check", "2 check")
    await table.until(lambda view: view.street == STREET_SIXTH and view.turn.seat == 2)
    assert await presence(table, 1) == table_pb2.PRESENCE_TIMED_OUT
    await command(table, "ann", "Return")
    await table.play("2 check")
    assert (await table.turn()).seat == 1
    await table.play("1 check", "2 check")
    actions = await events(table, "action_taken")
    checks = [each.cause for each in actions if each.seat == 1 and each.kind == ACTION_KIND_CHECK]
    assert checks[0] == ACTION_CAUSE_CLOCK
    assert ACTION_CAUSE_ABSENT in checks[1:]


async def test_a_paused_clock_stands_still_and_goes_on_with_what_was_left(suite: TableSuite) -> None:
    table = await heads_up(suite)
    await table.turn()
    suite.clock.move(2)
    pause = pb.PauseTableRequest(request_id=fresh(), table_id=table.table_id, clocks_too=True, cause="fire alarm")
    paused = (await suite.house.PauseTable(pause)).table
    assert paused.state == table_pb2.TABLE_STATE_PAUSED
    assert not paused.turn.HasField("deadline")
    suite.clock.move(600)
    action = table.action((await table.view()).turn, "bring_in")
    assert (await refused(suite.tables.Act(action), Reason.ACTION_NOT_LEGAL))["action"] == "act"
    await table.resume()
    left = (await table.view()).turn.deadline.ToDatetime().timestamp() - suite.clock.now().replace(
        tzinfo=None
    ).timestamp()
    assert 6 < left <= DECISION_SECONDS - 2
    assert (await table.act(2, "bring_in")).paid_chips == 2


async def test_after_an_outage_the_player_to_act_has_time_left(suite: TableSuite) -> None:
    table = await heads_up(suite)
    before = await table.turn()
    await suite.stop_orchestrator()
    suite.clock.move(60)
    await suite.start_orchestrator()
    after = await table.turn()
    assert after.turn_id == before.turn_id
    left = after.deadline.ToDatetime() - suite.clock.now().replace(tzinfo=None)
    assert left.total_seconds() > DECISION_SECONDS - 5, "all of it again, but for what this test takes"
    assert (await table.act(2, "bring_in")).paid_chips == 2


async def test_a_clock_does_not_end_while_betting_is_away(suite: TableSuite) -> None:
    """Nobody can act then; when betting is back there is time to (rule 141)."""
    table = await heads_up(suite)
    before = await table.turn()
    await suite.stop_betting()
    suite.clock.move(DECISION_SECONDS + 1)
    await table.until(lambda view: view.waiting_for == "betting")
    await suite.start_betting()
    await table.until(lambda view: not view.waiting_for)
    after = await table.turn()
    assert after.turn_id == before.turn_id
    assert after.deadline.ToDatetime() > suite.clock.now().replace(tzinfo=None)
    assert (await table.act(2, "bring_in")).paid_chips == 2


# --- the time bank ------------------------------------------------------------------------------


async def test_the_bank_begins_by_itself_and_keeps_what_was_not_used(suite: TableSuite) -> None:
    table = await heads_up(suite, card_room(bank=bank(30, TIME_BANK_ACTIVATION_AUTO)))
    await table.turn()
    suite.clock.move(DECISION_SECONDS + 0.5)
    await table.until(lambda view: view.turn.in_time_bank)
    suite.clock.move(11.5)
    await table.act(2, "bring_in")
    left = {seat.seat: seat.time_bank_seconds for seat in (await table.view()).seats}
    assert left == {1: 30, 2: 18}


async def test_a_bank_that_is_empty_ends_the_turn(suite: TableSuite) -> None:
    table = await heads_up(suite, card_room(bank=bank(30, TIME_BANK_ACTIVATION_AUTO)))
    await table.turn()
    suite.clock.move(DECISION_SECONDS + 1)
    await table.until(lambda view: view.turn.in_time_bank)
    suite.clock.move(30)
    await table.until(lambda view: view.turn.seat == 1)
    assert {seat.seat: seat.time_bank_seconds for seat in (await table.view()).seats} == {1: 30, 2: 0}


async def test_a_bank_that_starts_on_request_follows_the_decision_time(suite: TableSuite) -> None:
    table = await heads_up(suite, card_room(bank=bank(30, TIME_BANK_ACTIVATION_MANUAL)))
    turn = await table.turn()
    request = pb.UseTimeBankRequest(request_id=fresh(), table_id=table.table_id, player_id="bob", turn_id=turn.turn_id)
    longer = (await suite.tables.UseTimeBank(request)).turn
    assert longer.deadline.ToDatetime().timestamp() - turn.deadline.ToDatetime().timestamp() == 30
    suite.clock.move(4)
    await table.act(2, "bring_in")
    assert {seat.seat: seat.time_bank_seconds for seat in (await table.view()).seats} == {1: 30, 2: 30}


# --- showing and mucking --------------------------------------------------------------------------


async def test_a_beaten_player_may_show_while_the_showdown_waits(suite: TableSuite) -> None:
    table = await heads_up(suite, card_room(wait=showdown_waits))
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    await table.until(lambda view: view.state == table_pb2.TABLE_STATE_PLAYING and not view.HasField("turn"))
    show = pb.ShowOrMuckRequest(
        request_id=fresh(), table_id=table.table_id, player_id="bob", hand_id=f"{table.table_id}.1", show=True
    )
    await suite.tables.ShowOrMuck(show)
    assert [each.seat for each in await events(table, "hand_shown")] == [1, 2]


async def test_a_beaten_hand_is_mucked_when_its_player_says_so(suite: TableSuite) -> None:
    table = await heads_up(suite, card_room(wait=showdown_waits))
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    muck = pb.ShowOrMuckRequest(
        request_id=fresh(), table_id=table.table_id, player_id="bob", hand_id=f"{table.table_id}.1", show=False
    )
    await table.until(lambda view: not view.HasField("turn"))
    await suite.tables.ShowOrMuck(muck)
    assert [each.seat for each in await events(table, "hand_mucked")] == [2]


async def test_a_beaten_hand_is_mucked_when_the_time_to_choose_is_over(suite: TableSuite) -> None:
    table = await heads_up(suite, card_room(wait=showdown_waits))
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    await table.until(lambda view: not view.HasField("turn"))
    suite.clock.move(6)
    assert [each.seat for each in await events(table, "hand_mucked")] == [2]


async def test_the_winner_of_a_showdown_cannot_hide_the_hand(suite: TableSuite) -> None:
    table = await heads_up(suite, card_room(wait=showdown_waits))
    await table.play(*TO_THE_RIVER, *CHECKED_DOWN)
    await table.until(lambda view: not view.HasField("turn"))
    muck = pb.ShowOrMuckRequest(
        request_id=fresh(), table_id=table.table_id, player_id="ann", hand_id=f"{table.table_id}.1", show=False
    )
    assert (await refused(suite.tables.ShowOrMuck(muck), Reason.ACTION_NOT_LEGAL))["action"] == "show_or_muck"


# --- sitting out ----------------------------------------------------------------------------------


async def test_who_sits_out_at_a_cash_table_is_not_dealt_in(suite: TableSuite) -> None:
    table = await open_table(suite, card_room(), hands_max=1)
    await table.sit("ann", "bob", "cid")
    await command(table, "bob", "SitOut")
    await table.resume()
    await table.turn()
    assert {seat.seat: seat.in_hand for seat in (await table.view()).seats} == {1: True, 2: False, 3: True}


async def test_a_hand_waits_until_two_can_play(suite: TableSuite) -> None:
    table = await open_table(suite, card_room())
    await table.sit("ann", "bob")
    await command(table, "bob", "SitOut")
    await table.resume()
    assert (await table.view()).state == table_pb2.TABLE_STATE_WAITING
    await command(table, "bob", "Return")
    assert (await table.until(lambda view: view.state == table_pb2.TABLE_STATE_PLAYING)).hand_number == 1


async def test_a_seat_is_lost_after_sitting_out_too_long(suite: TableSuite) -> None:
    table = await open_table(suite, card_room())
    await table.sit("ann", "bob")
    await command(table, "bob", "SitOut")
    suite.clock.move(901)
    await table.until(lambda view: [seat.player_id for seat in view.seats] == ["ann"])


async def test_the_table_pauses_itself_after_the_hands_that_were_asked_for(suite: TableSuite) -> None:
    table = await heads_up(suite, hands_max=2)
    await table.play("2 bring_in", "1 fold")
    turn = await table.until(lambda view: view.hand_number == 2 and view.HasField("turn"))
    await table.act(turn.turn.seat, "bring_in")
    await table.act((await table.turn()).seat, "fold")
    view = await table.until(lambda view: view.state == table_pb2.TABLE_STATE_PAUSED)
    assert view.hand_number == 2
    await table.resume()
    assert (await table.until(lambda view: view.hand_number == 3)).state == table_pb2.TABLE_STATE_PLAYING
