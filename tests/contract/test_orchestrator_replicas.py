"""Two orchestrators on one PostgreSQL: either of them serves every table, and one table has one history."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from datetime import UTC
from functools import partial
from pathlib import Path
from typing import TypeVar

import grpc
import pytest
from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.orchestrator.adapters.dealer_client import DealerClient
from services.orchestrator.ports import ServiceAway
from shared.kernel.errors import Reason
from tests.support.ledger_house import euro, fresh, refused
from tests.support.postgres_server import PostgresServer
from tests.support.replica_suite import Replica, ReplicaSuite, replicas_on
from tests.support.table_suite import PlayedTable, card_room, kinds, open_table

T = TypeVar("T")
PATIENCE_SECONDS = 60.0
PLAYERS = ("ann", "bob", "cid")
EAGER = ("complete", "bet", "call", "check", "bring_in")


@pytest.fixture
async def suite(tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[ReplicaSuite]:
    async with replicas_on(postgres, tmp_path) as running:
        yield running


@pytest.fixture
async def other(suite: ReplicaSuite) -> Replica:
    return await suite.start_another()


async def events_up_to(stream: AsyncIterator[pb.WatchResponse], last: int) -> list[TableEvent]:
    found: list[TableEvent] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for item in stream:
            found.append(item.event)
            if item.event.version == last:
                break
    return found


async def view_at(tables: TableServiceStub, table: PlayedTable, player_id: str = "") -> table_pb2.TableView:
    return (await tables.GetTable(pb.GetTableRequest(table_id=table.table_id, player_id=player_id))).table


async def played(stubs: list[TableServiceStub], table: PlayedTable, hands: int) -> int:
    """Hands played to their end by players who act at one orchestrator and look at another; how many actions."""
    acted, turn_id = 0, 0
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            looked, asked = stubs[acted % len(stubs)], stubs[(acted + 1) % len(stubs)]
            view = await view_at(looked, table)
            if view.hand_number >= hands and view.state == table_pb2.TABLE_STATE_PAUSED:
                return acted
            if view.HasField("turn") and view.turn.turn_id > turn_id:
                turn_id, acted = view.turn.turn_id, acted + 1
                await asked.Act(eager(view, table.table_id))
            else:
                await asyncio.sleep(0.005)


def eager(view: table_pb2.TableView, table_id: str) -> pb.ActRequest:
    """The most eager legal action."""
    legal = {ActionKind.Name(each.kind): each for each in view.turn.legal.actions}
    name = next(f"ACTION_KIND_{each.upper()}" for each in EAGER if f"ACTION_KIND_{each.upper()}" in legal)
    return pb.ActRequest(
        request_id=fresh(),
        table_id=table_id,
        player_id=view.turn.player_id,
        turn_id=view.turn.turn_id,
        kind=legal[name].kind,
        to_chips=legal[name].to_chips_choices[0] if legal[name].to_chips_choices else 0,
    )


async def test_players_who_act_here_and_look_there_play_one_history(suite: ReplicaSuite, other: Replica) -> None:
    table = await open_table(suite, card_room(), hands_max=3)
    await table.sit(*PLAYERS)
    watched = [
        aiter(stub.Watch(pb.WatchRequest(table_id=table.table_id, after_version=0, player_id="bob")))
        for stub in (suite.tables, other.tables)
    ]
    await other.house.ResumeTable(pb.ResumeTableRequest(request_id=fresh(), table_id=table.table_id))
    assert await played([suite.tables, other.tables], table, 3) > 20
    for number in (1, 2, 3):
        events = (await table.hand(number)).events
        assert [event.version for event in events] == list(range(events[0].version, events[-1].version + 1))
        assert kinds(events).count("hand_booked") == 1
        assert "hand_voided" not in kinds(events)
    last = (await table.view()).version
    seen = [await events_up_to(stream, last) for stream in watched]
    assert [event.version for event in seen[0]] == list(range(1, last + 1))
    assert seen[0] == seen[1]
    own = [card for event in seen[1] for seat in event.street_dealt.seats for card in seat.down_cards if seat.seat == 2]
    assert len(own) >= 6
    assert all(1 <= card <= 52 for card in own)
    assert sum(seat.stack_chips for seat in (await table.view()).seats) == 300


async def test_a_player_sees_the_own_cards_at_an_orchestrator_that_could_not_ask_the_dealer_when_it_started(
    suite: ReplicaSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: object) -> None:
        raise ServiceAway("dealer")

    table = await open_table(suite, card_room(), hands_max=1)
    await table.sit("ann", "bob")
    await table.resume()
    await table.turn()
    with monkeypatch.context() as patched:
        patched.setattr(DealerClient, "deal_street", away)
        other = await suite.start_another()
        watch = partial(pb.WatchRequest, table_id=table.table_id, player_id="bob")
        told = await refused(anext(aiter(other.tables.Watch(watch()))), Reason.DEPENDENCY_UNAVAILABLE)
        assert told == {"service": "dealer"}
        await suite.tables.Act(eager(await table.view(), table.table_id))
        last = (await table.view()).version
        await events_up_to(_watch(other.tables, table), last)  # it has heard of it, without the cards
    for after_version in (0, last - 1):
        stream = other.tables.Watch(watch(after_version=after_version))
        seen = await events_up_to(aiter(stream), last)
        assert seen[-1].version == last
        own = [
            card for event in seen for seat in event.street_dealt.seats if seat.seat == 2 for card in seat.down_cards
        ]
        assert len(own) == (0 if after_version else 2)
        assert all(1 <= card <= 52 for card in own)


async def test_of_two_clocks_one_ends_a_turn_and_the_same_command_told_to_both_counts_once(
    suite: ReplicaSuite, other: Replica
) -> None:
    table = await open_table(suite, card_room())
    await table.sit(*PLAYERS)
    await table.resume()
    view = await table.until(lambda found: found.HasField("turn"))
    request = eager(view, table.table_id)
    answers = await asyncio.gather(*(tables.Act(request) for tables in (suite.tables, other.tables)))
    assert answers[0] == answers[1]
    for _ in range(4):
        view = await table.until(partial(has_gone_on, after=view.turn.turn_id))
        if view.HasField("turn"):
            left = view.turn.deadline.ToDatetime(UTC) - suite.clock.now()
            suite.clock.move(left.total_seconds() + 1)
    await table.until(partial(has_gone_on, after=view.turn.turn_id))
    last = (await table.view()).version
    seen = [await events_up_to(_watch(tables, table), last) for tables in both(suite, other)]
    assert seen[0] == seen[1]
    turns = [event.action_taken.turn_id for event in seen[0] if event.HasField("action_taken")]
    assert turns
    assert len(turns) == len(set(turns))


async def test_a_command_that_changes_nothing_at_one_takes_nothing_back_that_was_recorded_at_the_other(
    suite: ReplicaSuite, other: Replica
) -> None:
    """The other one has not looked yet when it answers; the hand goes on from what was written last."""
    table = await open_table(suite, card_room(), hands_max=1)
    await table.sit(*PLAYERS)
    await table.resume()
    replicas = [(suite.tables, suite.orchestrator), (other.tables, other.orchestrator)]
    turn_id = 0
    while True:
        view = await table.until(partial(has_gone_on_or_ended, after=turn_id))
        if not view.HasField("turn"):
            break
        turn_id = view.turn.turn_id
        (acting, _), (asked, behind) = replicas
        actor = await behind.tables.actor(table.table_id)
        await actor.refresh(PATIENCE_SECONDS)
        async with actor.lock:
            unchanged = pb.SetAutoAnteRequest(
                request_id=fresh(), table_id=table.table_id, player_id="ann", auto_ante=True
            )
            answer = asyncio.create_task(_answered(asked.SetAutoAnte(unchanged)))
            await asyncio.sleep(0.1)  # it waits for the table, which nobody can see from outside
            await acting.Act(eager(view, table.table_id))
        await answer
        replicas.reverse()
    assert turn_id > 10
    assert "hand_voided" not in kinds((await table.hand(1)).events)


async def test_players_who_sit_down_at_either_at_once_get_a_seat_each_and_the_lobby_of_both_knows(
    suite: ReplicaSuite, other: Replica
) -> None:
    table = await open_table(suite, card_room())
    lobby = aiter(other.tables.WatchLobby(pb.WatchLobbyRequest()))
    players = [f"p{number}" for number in range(8)]
    for player_id in players:
        await suite.ledger.OpenAccount(
            ledger_pb.OpenAccountRequest(request_id=fresh(), player_id=player_id, currency="EUR")
        )
        await suite.ledger.Deposit(ledger_pb.DepositRequest(request_id=fresh(), player_id=player_id, amount=euro(1000)))

    asked = both(suite, other) * 4
    taken = await asyncio.gather(*(seated(stub, table, each) for stub, each in zip(asked, players, strict=True)))
    assert sorted(taken) == list(range(1, 9))
    for tables in both(suite, other):
        seats = (await view_at(tables, table)).seats
        assert sorted(seat.seat for seat in seats if seat.player_id) == list(range(1, 9))
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for item in lobby:
            if item.table.table_id == table.table_id and item.table.seats_taken == 8:
                break


async def test_the_lobby_of_one_tells_what_becomes_of_tables_that_the_other_goes_on_with(
    suite: ReplicaSuite, other: Replica
) -> None:
    tables = {(await open_table(suite, card_room())).table_id for _ in range(6)}
    lobbies = [aiter(each.WatchLobby(pb.WatchLobbyRequest())) for each in both(suite, other)]
    for lobby in lobbies:
        await _until_told(lobby, tables, table_pb2.TABLE_STATE_PAUSED)
    for table_id in tables:
        await suite.house.CloseTable(pb.CloseTableRequest(request_id=fresh(), table_id=table_id))
    for lobby in lobbies:
        await _until_told(lobby, tables, table_pb2.TABLE_STATE_CLOSED)
    replicas = suite.orchestrator.replicas
    assert replicas is not None
    async with asyncio.timeout(PATIENCE_SECONDS):  # whose tables they were is not kept for ever
        while await replicas._store.read("SELECT subject FROM owners WHERE replica <> ''"):  # noqa: ASYNC110  # no bell
            await asyncio.sleep(0.01)


async def _until_told(
    lobby: AsyncIterator[pb.WatchLobbyResponse], tables: set[str], state: table_pb2.TableState.ValueType
) -> None:
    told: set[str] = set()
    async with asyncio.timeout(PATIENCE_SECONDS):
        while told != tables:
            line = (await anext(lobby)).table
            if line.state == state:
                told.add(line.table_id)


async def test_the_table_of_an_orchestrator_that_stops_goes_on_at_the_other(
    suite: ReplicaSuite, other: Replica
) -> None:
    tables = [await open_table(suite, card_room(), hands_max=1) for _ in range(3)]
    for number, table in enumerate(tables):
        await table.sit(f"a{number}", f"b{number}")
        await table.resume()
    await suite.stop_orchestrator()
    for table in tables:
        await played([other.tables], table, 1)


async def seated(tables: TableServiceStub, table: PlayedTable, player_id: str) -> int:
    """The seat that the player gets; asked again where the one that was free went to a player at the other one."""
    for _ in range(20):
        sitting = pb.SitRequest(request_id=fresh(), table_id=table.table_id, player_id=player_id, buy_in_chips=100)
        try:
            return (await tables.Sit(sitting)).seat
        except grpc.aio.AioRpcError as refusal:
            if "seat" not in str(refusal.details()):
                raise
    raise AssertionError("no seat in the end")


def has_gone_on(view: table_pb2.TableView, after: int) -> bool:
    """Another turn is open, or none any more."""
    return view.turn.turn_id > after or not view.HasField("turn")


def has_gone_on_or_ended(view: table_pb2.TableView, after: int) -> bool:
    """Another turn is open, or the only hand is over."""
    return view.turn.turn_id > after or view.state == table_pb2.TABLE_STATE_PAUSED


async def _answered(call: Awaitable[T]) -> T:
    return await call


def both(suite: ReplicaSuite, other: Replica) -> list[TableServiceStub]:
    return [suite.tables, other.tables]


def _watch(tables: TableServiceStub, table: PlayedTable) -> AsyncIterator[pb.WatchResponse]:
    return aiter(tables.Watch(pb.WatchRequest(table_id=table.table_id, after_version=0)))
