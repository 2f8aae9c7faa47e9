"""Plays one planned tournament in this process and says what it was like; AssertionError where something is wrong."""

import asyncio
import tempfile
from dataclasses import dataclass
from pathlib import Path

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.orchestrator.adapters.tournament_log import StoredTournamentLog
from services.orchestrator.domain.tournament_facts import (
    HandPlayed,
    NumberedEvent,
    PlaceChanged,
    PlayerOut,
    SeatChanged,
    TournamentEnded,
)
from services.orchestrator.domain.tournament_view import PlayState
from tests.batteries.ledger.in_process import fast_folder
from tests.batteries.tournaments.evening import WALLET, Evening, evening_of
from tests.batteries.tournaments.plans import Plan
from tests.batteries.tournaments.verdicts import check_audit, check_money, check_places


@dataclass(frozen=True, slots=True)
class Played:
    """What a tournament was like."""

    number: int
    formula: str
    entrants: int
    hands: int = 0
    purchases: int = 0
    refusals: int = 0
    moves: int = 0
    late: int = 0
    deals: int = 0
    restarts: int = 0
    fault: str = ""


@dataclass(frozen=True, slots=True)
class PaidIn:
    """What the lobby itself knows was paid."""

    wallet: int
    spent: int
    returned: int
    fee: int
    deal: bool
    """The players agreed on a split, which took the place of the prize table."""


async def _check(evening: Evening, auditor: object, folder: Path) -> int:
    view = await evening._house().commands.view(evening.tournament_id)
    assert view.state is PlayState.FINISHED, view.state
    standings = await evening.standings()
    satellite = evening.plan.own.satellite_seat_minor > 0
    check_places(standings, satellite=satellite)
    assert standings[view.winner_player_id].place == 1
    tournament = (
        await evening.lobby.GetTournament(pb.GetTournamentRequest(tournament_id=evening.tournament_id))
    ).tournament
    first = [each for each in standings.values() if each.place == 1]
    chips = sum(each.chips + each.reserve_chips for each in first)
    assert evening.deal or chips == tournament.chips_total, "who is left has not all chips"
    balances = await check_audit(auditor, folder, evening.tournament_id, standings)
    wallets = {player: balances[f"wallet/{player}/EUR"] for player in evening.players}
    paid = PaidIn(WALLET, sum(evening.spent.values()), await evening._returned(), evening.plan.fee_minor, evening.deal)
    check_money(tournament, standings, wallets, paid)
    return await _check_log(evening, {player: each.place for player, each in standings.items()})


async def _check_log(evening: Evening, places: dict[str, int]) -> int:
    """The director's own log says the same as the ledger; how many moves there were."""
    log, events = StoredTournamentLog(evening.log), list[NumberedEvent]()
    while page := await log.read(evening.tournament_id, len(events)):
        events += page
    facts = [each.event for each in events]
    outs = [(each.player_id, each.place) for each in facts if isinstance(each, PlayerOut | PlaceChanged)]
    assert dict(outs) == places, "the director's log has other places"
    assert sum(isinstance(each, TournamentEnded) for each in facts) == 1
    hands = [(each.table_id, each.hand_number) for each in facts if isinstance(each, HandPlayed)]
    assert len(set(hands)) == len(hands), "a hand was counted twice"
    return sum(isinstance(each, SeatChanged) for each in facts)


async def _play(plan: Plan, folder: Path) -> Played:
    async with evening_of(plan, folder) as (evening, auditor):
        await evening.announce()
        await evening.play()
        moves = await _check(evening, auditor, folder)
        return Played(
            number=plan.number,
            formula=plan.formula.value,
            entrants=plan.entrants,
            hands=evening.floor.hands,
            purchases=evening.purchases,
            refusals=evening.refusals,
            moves=moves,
            late=evening.entered_late,
            deals=int(evening.deal),
            restarts=evening.restarts,
        )


def play_plan(plan: Plan) -> Played:
    """Play it in a loop of its own; a fault is told with what it was."""
    with tempfile.TemporaryDirectory(prefix="tournament-", dir=fast_folder()) as folder:
        try:
            return asyncio.run(_play(plan, Path(folder)))
        except Exception as fault:  # noqa: BLE001  # the others are to be played all the same
            told = f"{type(fault).__name__}: {fault}"[:600]
            return Played(plan.number, plan.formula.value, plan.entrants, fault=told)
