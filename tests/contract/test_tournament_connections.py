"""Entrants who are not there when play begins (rule 148)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as table_pb
from sevenstud.orchestrator.v1 import tournament_service_pb2 as pb
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.orchestrator.adapters.ledger_client import LedgerClient
from services.orchestrator.application.tournament_start import CONNECTIONS_PER_MINUTE_MAX
from services.orchestrator.domain.booking import Standing
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.kernel.rules import NoShow
from tests.support.driven_options import drives, set_options
from tests.support.ledger_house import fresh, refused
from tests.support.servers import calling
from tests.support.tournament_lobby import quick
from tests.support.tournament_suite import TournamentSuite

PLAYERS = ["ann", "bob", "cid"]
FEE_MINOR = 1000


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TournamentSuite]:
    async with TournamentSuite(tmp_path) as running:
        yield running


def under(option: NoShow) -> RuleSelection:
    rules = quick()
    set_options(rules.overrides.clock, no_show=option)
    return rules


def said(tournament_id: str, player_id: str, *, connected: bool) -> pb.SetEntrantConnectionRequest:
    return pb.SetEntrantConnectionRequest(
        request_id=fresh(), tournament_id=tournament_id, player_id=player_id, connected=connected
    )


async def seats(suite: TournamentSuite, tournament_id: str) -> dict[str, table_pb2.SeatView]:
    """Who sits at the table of a tournament, once its first hand is dealt."""
    (table_id,) = (await suite.view(tournament_id)).table_ids
    async for _ in suite.tables.Watch(table_pb.WatchRequest(table_id=table_id)):
        view = (await suite.tables.GetTable(table_pb.GetTableRequest(table_id=table_id))).table
        if view.hand_number:
            return {seat.player_id: seat for seat in view.seats}
    raise AssertionError("the table was closed")


async def wallet(suite: TournamentSuite, player_id: str) -> int:
    answer = await suite.ledger.GetBalance(ledger_pb.GetBalanceRequest(player_id=player_id, currency="EUR"))
    return answer.balance.available.amount_minor


@drives("no_show", NoShow.SIT_OUT)
async def test_who_is_not_there_at_the_start_is_seated_and_sits_out(suite: TournamentSuite, no_show: NoShow) -> None:
    tournament_id = await suite.announce(under(no_show), PLAYERS)
    await suite.tournaments.SetEntrantConnection(said(tournament_id, "ann", connected=False))
    await suite.tournaments.SetEntrantConnection(said(tournament_id, "bob", connected=False))
    await suite.tournaments.SetEntrantConnection(said(tournament_id, "bob", connected=True))
    await suite.stop_orchestrator()
    await suite.start_orchestrator()
    await suite.start(tournament_id)
    found = await seats(suite, tournament_id)
    assert {player_id: (seat.presence, seat.disconnected) for player_id, seat in found.items()} == {
        "ann": (table_pb2.PRESENCE_DISCONNECTED, True),
        "bob": (table_pb2.PRESENCE_PLAYING, False),
        "cid": (table_pb2.PRESENCE_PLAYING, False),
    }
    (table_id,) = (await suite.view(tournament_id)).table_ids
    back = table_pb.SetConnectionRequest(request_id=fresh(), table_id=table_id, player_id="ann", connected=True)
    view = (await suite.tables.SetConnection(back)).table
    assert {seat.presence for seat in view.seats} == {table_pb2.PRESENCE_PLAYING}


@drives("no_show", NoShow.REMOVE)
async def test_who_is_not_there_at_the_start_is_not_seated_where_the_rules_say_so(
    suite: TournamentSuite, no_show: NoShow
) -> None:
    tournament_id = await suite.announce(under(no_show), PLAYERS)
    paid = await wallet(suite, "ann")
    await suite.tournaments.SetEntrantConnection(said(tournament_id, "ann", connected=False))
    began = await suite.start(tournament_id)
    assert began.players_left == 2
    assert set(await seats(suite, tournament_id)) == {"bob", "cid"}
    assert await wallet(suite, "ann") == paid + FEE_MINOR


async def test_a_removal_that_leaves_too_few_refuses_the_start(suite: TournamentSuite) -> None:
    tournament_id = await suite.announce(under(NoShow.REMOVE), PLAYERS[:2])
    await suite.tournaments.SetEntrantConnection(said(tournament_id, "ann", connected=False))
    start = pb.StartTournamentRequest(request_id=fresh(), tournament_id=tournament_id)
    await refused(suite.tournaments.StartTournament(start), Reason.TOURNAMENT_STATE)


async def test_connections_of_entrants_are_told_once_by_whom_they_concern(suite: TournamentSuite) -> None:
    tournament_id = await suite.announce(under(NoShow.SIT_OUT), PLAYERS)
    request = said(tournament_id, "ann", connected=False)
    await suite.tournaments.SetEntrantConnection(request)
    await suite.tournaments.SetEntrantConnection(said(tournament_id, "ann", connected=True))
    await suite.tournaments.SetEntrantConnection(request)  # the same request again says nothing new
    stranger = said(tournament_id, "dan", connected=True)
    await refused(suite.tournaments.SetEntrantConnection(stranger), Reason.NOT_REGISTERED)
    async with calling(suite.address, Caller(Role.PLAYER, "bob")) as channel:
        other = said(tournament_id, "ann", connected=False)
        await refused(TournamentServiceStub(channel).SetEntrantConnection(other), Reason.NOT_PERMITTED)
    await suite.start(tournament_id)
    assert (await seats(suite, tournament_id))["ann"].presence == table_pb2.PRESENCE_PLAYING
    late = said(tournament_id, "ann", connected=False)
    await refused(suite.tournaments.SetEntrantConnection(late), Reason.TOURNAMENT_STATE)


async def test_who_says_it_without_end_fills_nothing_and_has_the_entrants_read_once(
    suite: TournamentSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each is kept as an answer, and all entrants were read for each, before whoever starts the tournament."""
    tournament_id = await suite.announce(under(NoShow.SIT_OUT), PLAYERS)
    read, looks = LedgerClient.get_standings, 0

    async def counted(self: LedgerClient, tournament_id: str) -> tuple[Standing, ...]:
        nonlocal looks
        looks += 1
        return await read(self, tournament_id)

    monkeypatch.setattr(LedgerClient, "get_standings", counted)
    for each in range(CONNECTIONS_PER_MINUTE_MAX - 1):
        await suite.tournaments.SetEntrantConnection(said(tournament_id, "ann", connected=bool(each % 2)))
    assert looks == 1
    stranger = said(tournament_id, "dan", connected=True)
    await refused(suite.tournaments.SetEntrantConnection(stranger), Reason.NOT_REGISTERED)
    await suite.register(tournament_id, "dan")
    await suite.tournaments.SetEntrantConnection(said(tournament_id, "dan", connected=True))
    assert looks == 2
    last = said(tournament_id, "ann", connected=False)
    await suite.tournaments.SetEntrantConnection(last)
    await refused(suite.tournaments.SetEntrantConnection(last), Reason.LIMIT_REACHED)
    await suite.tournaments.SetEntrantConnection(said(tournament_id, "bob", connected=True))
    suite.clock.move(60)
    await suite.tournaments.SetEntrantConnection(last)
