"""Random whole tournaments: the real director and the real ledger, purchases at any moment, kills now and then."""

from pathlib import Path

import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.orchestrator.adapters.tournament_log import StoredTournamentLog
from services.orchestrator.domain.tournament_facts import HandPlayed, NumberedEvent, PlayerOut, TournamentEnded
from services.orchestrator.domain.tournament_view import PlayState
from tests.support.ledger_floor import LedgerFloor, ledger_floor

SIZES = ((2, 8), (5, 8), (8, 8), (7, 3), (12, 6), (17, 8), (24, 8), (16, 5))


@pytest.mark.parametrize("seed", range(10))
async def test_a_random_tournament_ends_with_every_place_given_and_every_chip_and_cent_in_its_place(
    tmp_path: Path, seed: int
) -> None:
    entrants, seats_per_table = SIZES[seed % len(SIZES)]
    async with ledger_floor(tmp_path, seed) as (at, auditor):
        await at.announce(entrants, seats_per_table)
        await at.play()
        await _check(at, entrants)
        verdict = await auditor.VerifyJournal(pb.VerifyJournalRequest())
        assert verdict.sound, verdict.faults
        assert {each.sum for each in verdict.sums} == {0}


async def _check(at: LedgerFloor, entrants: int) -> None:
    assert at.floor.house is not None
    view = await at.floor.house.commands.view(at.tournament_id)
    assert view.state is PlayState.FINISHED
    standings = await at.standings()
    tournament = (await at.lobby.GetTournament(pb.GetTournamentRequest(tournament_id=at.tournament_id))).tournament
    winner = standings[view.winner_player_id]
    assert winner.place == 1
    assert winner.chips + winner.reserve_chips == tournament.chips_total
    assert sum(each.prize_minor for each in standings.values()) == tournament.prize_fund_minor
    events = [each.event for each in await _events(at)]
    outs = [(each.player_id, each.place) for each in events if isinstance(each, PlayerOut)]
    assert dict(outs) == {player_id: each.place for player_id, each in standings.items()}
    assert len(outs) == entrants
    assert sum(isinstance(each, TournamentEnded) for each in events) == 1
    hands = [(each.table_id, each.hand_number) for each in events if isinstance(each, HandPlayed)]
    assert len(set(hands)) == len(hands)


async def _events(at: LedgerFloor) -> list[NumberedEvent]:
    log = StoredTournamentLog(at._store)
    found: list[NumberedEvent] = []
    while page := await log.read(at.tournament_id, len(found)):
        found += page
    return found
