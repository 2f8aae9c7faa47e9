"""Several processes of the orchestrator: what one decided before it stood still counts no more once another directs."""

from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import pytest
from sevenstud.tournament_ledger.v1 import account_pb2
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from shared.kernel.errors import Reason
from tests.support.ledger_house import TABLE, Ledger, fresh, ledger, refused, two_ledgers
from tests.support.postgres_server import PostgresServer

PLAYERS = ("ann", "bob", "cid")
Ask = Callable[[Ledger, str, str], Awaitable[object]]


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


async def direct(house: Ledger, event: str, director_id: str) -> None:
    request = pb.RecordDirectorRequest(request_id=fresh(), tournament_id=event, director_id=director_id)
    await house.service.RecordDirector(request)


def moving(event: str, director_id: str, request_id: str = "", player_id: str = "cid") -> pb.RecordMoveRequest:
    to = pb.SeatAssignment(player_id=player_id, table_id="table-2", seat=1)
    return pb.RecordMoveRequest(
        request_id=request_id or fresh(), tournament_id=event, to=to, draw_id="d", director_id=director_id
    )


async def _move(house: Ledger, event: str, director_id: str) -> object:
    return await house.service.RecordMove(moving(event, director_id))


async def _level(house: Ledger, event: str, director_id: str) -> object:
    request = pb.RecordLevelRequest(request_id=fresh(), tournament_id=event, level=2, director_id=director_id)
    return await house.service.RecordLevel(request)


async def _sheet(house: Ledger, event: str, director_id: str) -> object:
    request = pb.OpenSheetRequest(
        request_id=fresh(), tournament_id=event, table_id=TABLE, hand_number=1, director_id=director_id
    )
    return await house.service.OpenSheet(request)


async def _sheet_taken_back(house: Ledger, event: str, director_id: str) -> object:
    version = (await house.tournament(event)).version
    request = pb.WithdrawSheetRequest(
        request_id=fresh(), tournament_id=event, table_id=TABLE, hand_number=1, director_id=director_id
    )
    request.expected_version = version
    return await house.service.WithdrawSheet(request)


async def _round(house: Ledger, event: str, director_id: str) -> object:
    seats = [pb.SeatAssignment(player_id=each, table_id="table-2", seat=at) for at, each in enumerate(PLAYERS, 1)]
    request = pb.StartRoundRequest(
        request_id=fresh(), tournament_id=event, round=2, seats=seats, draw_id="d", director_id=director_id
    )
    return await house.service.StartRound(request)


async def _lots(house: Ledger, event: str, director_id: str) -> object:
    request = pb.RecordLotsRequest(
        request_id=fresh(), tournament_id=event, table_id=TABLE, player_ids=PLAYERS, director_id=director_id
    )
    return await house.service.RecordLots(request)


async def _round_of_hands(house: Ledger, event: str, director_id: str) -> object:
    request = pb.EndHandForHandRoundRequest(request_id=fresh(), tournament_id=event, round=1, director_id=director_id)
    return await house.service.EndHandForHandRound(request)


@pytest.mark.parametrize("ask", [_move, _level, _sheet, _sheet_taken_back, _round, _lots, _round_of_hands])
async def test_a_director_that_stood_still_while_another_took_over_changes_nothing(house: Ledger, ask: Ask) -> None:
    event = await house.event(PLAYERS)
    await direct(house, event, "one.1")
    await direct(house, event, "two.1")
    before, standings = await house.tournament(event), await house.standings(event)
    told = await refused(ask(house, event, "one.1"), Reason.VERSION_CONFLICT)
    assert told == {"expected": "one.1", "current": "two.1"}
    assert (await house.tournament(event), await house.standings(event)) == (before, standings)


async def test_whoever_said_last_that_it_directs_does_and_saying_it_again_writes_nothing(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    for director_id in ("one.1", "two.1", "one.2"):
        await direct(house, event, director_id)
    version = (await house.tournament(event)).version
    await direct(house, event, "one.2")
    assert (await house.tournament(event)).version == version
    await refused(_level(house, event, "two.1"), Reason.VERSION_CONFLICT)
    await _level(house, event, "one.2")
    assert (await house.tournament(event)).level == 2
    book = pb.ExportJournalRequest(book=f"tournament:{event}", page_size=100)
    kinds = [each.kind for each in (await house.auditor.ExportJournal(book)).entries]
    assert kinds.count(account_pb2.ENTRY_KIND_DIRECTOR_CHANGED) == 3
    await house.sound()


async def test_the_next_director_asks_for_a_move_that_was_made_and_gets_its_answer(house: Ledger) -> None:
    event, request_id = await house.event(PLAYERS), fresh()
    await direct(house, event, "one.1")
    made = await house.service.RecordMove(moving(event, "one.1", request_id))
    await direct(house, event, "two.1")
    assert await house.service.RecordMove(moving(event, "two.1", request_id)) == made
    assert await house.service.RecordMove(moving(event, "one.1", request_id)) == made
    other = moving(event, "two.1", request_id, player_id="bob")
    await refused(house.service.RecordMove(other), Reason.REQUEST_ID_REUSED)


async def test_who_names_no_director_and_a_tournament_that_is_over_are_not_asked_for_one(house: Ledger) -> None:
    event = await house.event(PLAYERS)
    await direct(house, event, "one.1")
    await _level(house, event, "")
    await house.cancel(event)
    version = (await house.tournament(event)).version
    await direct(house, event, "two.1")
    assert (await house.tournament(event)).version == version


async def test_a_director_told_to_one_ledger_holds_at_the_other(tmp_path: Path, postgres: PostgresServer) -> None:
    async with two_ledgers(tmp_path, postgres) as (first, second):
        event = await first.event(PLAYERS)
        await direct(first, event, "one.1")
        await _sheet(second, event, "one.1")
        await direct(second, event, "two.1")
        await refused(_move(first, event, "one.1"), Reason.VERSION_CONFLICT)
        await refused(_move(second, event, "one.1"), Reason.VERSION_CONFLICT)
        await _move(first, event, "two.1")
        assert (await second.standings(event))["cid"].table_id == "table-2"
        await second.sound()
