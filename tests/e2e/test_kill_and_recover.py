"""Kill -9 in the middle of a hand: the same cards, pots and turns afterwards, and the hand goes on."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from itertools import cycle
from pathlib import Path

import pytest
from sevenstud.common.v1.betting_pb2 import (
    ACTION_KIND_BET,
    ACTION_KIND_CALL,
    ACTION_KIND_CHECK,
    ACTION_KIND_COMPLETE,
    LegalAction,
)
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.console.domain.suite_plan import SERVICES
from tests.batteries.chaos.hand import play
from tests.support.ledger_house import fresh
from tests.support.suite_processes import Processes
from tests.support.table_suite import PlayedTable, card_room, kinds, open_table

pytestmark = pytest.mark.process
PLAYERS = ("ann", "bob", "cid")
PATIENCE_SECONDS = 30.0
_EAGER = (ACTION_KIND_COMPLETE, ACTION_KIND_BET, ACTION_KIND_CALL, ACTION_KIND_CHECK)
"""What is done first where it is legal: everybody stays in and the pot grows."""


@pytest.fixture
async def processes(tmp_path: Path) -> AsyncIterator[Processes]:
    async with Processes(tmp_path) as running:
        yield running


@asynccontextmanager
async def first_hand(processes: Processes) -> AsyncGenerator[PlayedTable, None]:
    """Three players, one hand; when it is over its history is whole and every chip is accounted for."""
    table = await open_table(processes, card_room(), hands_max=1)
    await table.sit(*PLAYERS)
    await table.resume()
    yield table
    events = (await table.hand(1)).events
    assert [event.version for event in events] == list(range(events[0].version, events[-1].version + 1))
    assert "hand_voided" not in kinds(events)
    assert kinds(events).count("hand_booked") == 1
    await pay_out(processes, table)


async def pay_out(processes: Processes, table: PlayedTable) -> None:
    """Everybody leaves: what the table says is what the wallets get."""
    left = {seat.player_id: seat.stack_chips for seat in (await table.view()).seats}
    assert sum(left.values()) == 300
    await processes.house.CloseTable(pb.CloseTableRequest(request_id=fresh(), table_id=table.table_id))
    for player_id, chips in left.items():
        request = ledger_pb.GetBalanceRequest(player_id=player_id, currency="EUR")
        answer = await processes.ledger.GetBalance(request)
        assert answer.balance.available.amount_minor == 900 + chips


def choice(actions: Sequence[LegalAction]) -> LegalAction:
    """The most eager legal action; the bring-in where nothing else is."""
    for kind in _EAGER:
        for action in actions:
            if action.kind == kind:
                return action
    return actions[-1]


async def act(processes: Processes, table: PlayedTable, turn: table_pb2.Turn) -> None:
    action = choice(turn.legal.actions)
    request = pb.ActRequest(
        request_id=fresh(),
        table_id=table.table_id,
        player_id=turn.player_id,
        turn_id=turn.turn_id,
        kind=action.kind,
        to_chips=action.to_chips_choices[0] if action.to_chips_choices else 0,
    )
    answer = await processes.tables.Act(request)
    assert await processes.tables.Act(request) == answer


async def next_turn(table: PlayedTable, after_turn_id: int) -> table_pb2.Turn | None:
    """The next open turn, or None once the hand is over and the table has paused itself."""
    view = await table.until(
        lambda found: found.turn.turn_id > after_turn_id or found.state == table_pb2.TABLE_STATE_PAUSED
    )
    return view.turn if view.HasField("turn") else None


async def seen(processes: Processes, table: PlayedTable, player_id: str, last: int) -> list[TableEvent]:
    """What a player was sent up to a version."""
    watch = pb.WatchRequest(table_id=table.table_id, after_version=0, player_id=player_id)
    found: list[TableEvent] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        call = processes.tables.Watch(watch)
        async for item in call:
            found.append(item.event)
            if item.event.version == last:
                break
        call.cancel()
    return found


@pytest.mark.slow
async def test_the_orchestrator_killed_at_every_turn_loses_nothing(processes: Processes) -> None:
    async with first_hand(processes) as table:
        turn_id, kills_count = 0, 0
        while (turn := await next_turn(table, turn_id)) is not None:
            before = await table.view("bob")
            sent = await seen(processes, table, "bob", before.version)
            await processes.kill_and_start("orchestrator")
            after = await table.view("bob")
            assert after.turn.deadline.ToDatetime() >= before.turn.deadline.ToDatetime()  # rule 141
            assert _but_for_the_clock(after) == _but_for_the_clock(before)
            assert await seen(processes, table, "bob", before.version) == sent
            await act(processes, table, turn)
            turn_id, kills_count = turn.turn_id, kills_count + 1
        assert kills_count >= 10


async def test_a_hand_of_eight_in_which_each_service_died_is_the_one_that_would_have_been(tmp_path: Path) -> None:
    """A small `make chaos`: a kill after every thirteenth event, one service after the other."""
    victims = cycle(SERVICES)
    async with Processes(tmp_path, scripted=True) as processes:
        undisturbed = await play(processes)
        hurt = await play(processes, lambda: processes.kill_and_start(next(victims)), every=13)
    assert hurt.journal == undisturbed.journal
    assert hurt.kills >= len(SERVICES)
    assert not hurt.voided


async def test_the_orchestrator_killed_right_after_an_action_goes_on_from_it(processes: Processes) -> None:
    async with first_hand(processes) as table:
        turn_id, killed = 0, False
        while (turn := await next_turn(table, turn_id)) is not None:
            await act(processes, table, turn)
            turn_id = turn.turn_id
            if not killed:
                await processes.kill_and_start("orchestrator")
                killed = True


@pytest.mark.parametrize("service", ["dealer", "betting", "evaluator", "tournament_ledger"])
async def test_a_service_that_is_away_holds_the_table_up_and_no_more(processes: Processes, service: str) -> None:
    async with first_hand(processes) as table:
        turn = await next_turn(table, 0)
        assert turn is not None
        await processes.suite.kill(service)
        if service != "betting":  # with the betting service away, nobody can act; nothing was changed
            await act(processes, table, turn)
        await processes.suite.start(service)
        turn_id = turn.turn_id if service != "betting" else turn.turn_id - 1
        while (turn := await next_turn(table, turn_id)) is not None:
            await act(processes, table, turn)
            turn_id = turn.turn_id


def _but_for_the_clock(view: table_pb2.TableView) -> table_pb2.TableView:
    """The table without what an outage may change: more time, and the event that says so."""
    same = table_pb2.TableView()
    same.CopyFrom(view)
    same.ClearField("version")
    same.turn.ClearField("deadline")
    return same


def _went_on(view: table_pb2.TableView, after: int) -> bool:
    """Another turn is open, or none any more."""
    return view.turn.turn_id > after or not view.HasField("turn")


async def test_a_hand_whose_deck_is_lost_is_void_and_every_chip_goes_back(processes: Processes) -> None:
    table = await open_table(processes, card_room())
    await table.sit(*PLAYERS)
    await table.resume()
    turn = await next_turn(table, 0)
    assert turn is not None
    await processes.suite.kill("dealer")
    for lost in processes.suite.folder.glob("dealer.sqlite*"):
        lost.unlink()
    await processes.suite.start("dealer")
    while True:
        await act(processes, table, turn)
        after = turn.turn_id
        view = await table.until(partial(_went_on, after=after))
        if not view.HasField("turn"):
            break
        turn = view.turn
    hand = await table.hand(1)
    assert "hand_voided" in kinds(hand.events)
    assert [seat.stack_chips for seat in (await table.view()).seats] == [100, 100, 100]
    await pay_out(processes, table)


async def test_a_table_says_whom_it_waits_for(processes: Processes) -> None:
    async with first_hand(processes) as table:
        await processes.suite.kill("dealer")
        turn_id = 0
        while (view := await _next(table, turn_id)).state != table_pb2.TABLE_STATE_STALLED:
            await act(processes, table, view.turn)
            turn_id = view.turn.turn_id
        assert view.waiting_for == "dealer"
        await processes.suite.start("dealer")
        while (turn := await next_turn(table, turn_id)) is not None:
            await act(processes, table, turn)
            turn_id = turn.turn_id


async def _next(table: PlayedTable, turn_id: int) -> table_pb2.TableView:
    """The next turn, or the table waiting for a service."""
    return await table.until(lambda found: found.turn.turn_id > turn_id or found.state == table_pb2.TABLE_STATE_STALLED)
