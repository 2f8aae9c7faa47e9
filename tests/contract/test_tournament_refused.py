"""What was refused to a tournament's house stays refused: a late copy starts, stops and resumes nothing."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.orchestrator.v1 import tournament_service_pb2 as pb

from shared.kernel.errors import Reason
from tests.support.ledger_house import fresh, refused
from tests.support.tournament_lobby import quick
from tests.support.tournament_suite import TournamentSuite


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TournamentSuite]:
    async with TournamentSuite(tmp_path) as running:
        yield running


def _pause(tournament_id: str) -> pb.PauseTournamentRequest:
    return pb.PauseTournamentRequest(request_id=fresh(), tournament_id=tournament_id)


def _resume(tournament_id: str) -> pb.ResumeTournamentRequest:
    return pb.ResumeTournamentRequest(request_id=fresh(), tournament_id=tournament_id)


async def test_a_start_that_was_refused_begins_nothing_when_a_copy_of_it_comes_late(suite: TournamentSuite) -> None:
    tournament_id = await suite.announce(quick(), ["ann"])
    start = pb.StartTournamentRequest(request_id=fresh(), tournament_id=tournament_id)
    await refused(suite.tournaments.StartTournament(start), Reason.TOURNAMENT_STATE)
    await suite.register(tournament_id, "bob")
    await refused(suite.tournaments.StartTournament(start), Reason.TOURNAMENT_STATE)
    assert (await suite.start(tournament_id)).players_left == 2


@pytest.mark.parametrize("restarted", [False, True])
async def test_a_pause_that_was_refused_stops_nobody_when_a_copy_of_it_comes_late(
    suite: TournamentSuite, *, restarted: bool
) -> None:
    tournament_id = await suite.announce(quick(), ["ann", "bob"])
    early, again, resume = _pause(tournament_id), _pause(tournament_id), _resume(tournament_id)
    await refused(suite.tournaments.PauseTournament(early), Reason.NOT_FOUND)
    await suite.start(tournament_id)
    await suite.tournaments.PauseTournament(_pause(tournament_id))
    await refused(suite.tournaments.PauseTournament(again), Reason.TOURNAMENT_STATE)
    await suite.tournaments.ResumeTournament(_resume(tournament_id))
    await refused(suite.tournaments.ResumeTournament(resume), Reason.TOURNAMENT_STATE)
    if restarted:
        await suite.stop_orchestrator()
        await suite.start_orchestrator()
    await refused(suite.tournaments.PauseTournament(early), Reason.NOT_FOUND)
    await refused(suite.tournaments.PauseTournament(again), Reason.TOURNAMENT_STATE)
    assert (await suite.view(tournament_id)).state == pb.PLAY_STATE_PLAYING
    await suite.tournaments.PauseTournament(_pause(tournament_id))
    await refused(suite.tournaments.ResumeTournament(resume), Reason.TOURNAMENT_STATE)
    assert (await suite.view(tournament_id)).state == pb.PLAY_STATE_PAUSED
