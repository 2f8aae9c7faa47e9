"""``python -m tests.batteries.great [1000]``: robots play one great tournament over gRPC; every cent is checked."""

import asyncio
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_pb2 import Standing, Tournament

from services.console.domain.results import RobotFigures
from tests.audit.walk import facts_of
from tests.batteries.great.play import Great, great, summed
from tests.batteries.great.seats_walk import journal_counts
from tests.batteries.great.terms import FEE_MINOR, STACK_CHIPS, WALLET_MINOR
from tests.batteries.tournaments.verdicts import check_audit, check_places

PLAY_SECONDS: Final = 3_600.0


async def judged(event: Great) -> tuple[Tournament, Counter[str]]:
    """Places, chips, money and seats, from the answers of the services and from the exported journal alone."""
    standings = await event.standings()
    check_places(standings)
    request = pb.GetTournamentRequest(tournament_id=event.tournament_id)
    tournament: Tournament = (await event.lobby.ledger.GetTournament(request)).tournament
    balances = await check_audit(event.auditor, event.folder, event.tournament_id, standings)
    with (event.folder / "journal.jsonl").open(encoding="utf-8") as journal:
        told = journal_counts(facts_of_book(f"tournament:{event.tournament_id}", journal))
    assert not event.seats.faults, event.seats.faults[:5]
    assert told["HandRecorded"] == event.events["hand_played"], "the journal and the stream count other hands"
    check_chips(tournament, standings, told)
    check_cents(event.tournament_id, tournament, standings, balances)
    return tournament, told


def facts_of_book(book: str, journal: Iterable[str]) -> list[tuple[str, dict[str, str]]]:
    """The facts that one book tells."""
    entries = (json.loads(line) for line in journal)
    return [fact for entry in entries if entry["book"] == book for fact in facts_of(entry.get("subject", ""))]


def check_chips(tournament: Tournament, standings: Mapping[str, Standing], told: Counter[str]) -> None:
    """The winner has every chip that was sold; the walk has seen that no hand made or lost one."""
    sold = len(standings) + told["REBUY"] + told["ADD_ON"] - told["PurchaseReturned"]
    assert tournament.chips_total == sold * STACK_CHIPS, f"{tournament.chips_total} chips, {sold} stacks were sold"
    winner = next(each for each in standings.values() if each.place == 1)
    assert winner.chips == tournament.chips_total, f"the winner has {winner.chips} of {tournament.chips_total} chips"


def check_cents(
    tournament_id: str, tournament: Tournament, standings: Mapping[str, Standing], balances: Mapping[str, int]
) -> None:
    """Money in is prizes, fees and refunds, for each player and for all."""
    prizes = sum(each.prize_minor for each in standings.values())
    spent = sum(each.spent_minor for each in standings.values())
    house = balances.get(f"tournament/{tournament_id}/house", 0)
    assert prizes == sum(tournament.prizes_minor) == tournament.prize_fund_minor, "the prizes are not the fund"
    assert spent == prizes + house, f"{spent} were paid in, {prizes} paid out and {house} kept"
    assert spent == tournament.chips_total // STACK_CHIPS * FEE_MINOR, "what was paid is not what was sold"
    for player, line in standings.items():
        wallet = balances[f"wallet/{player}/EUR"]
        assert wallet == WALLET_MINOR - line.spent_minor + line.prize_minor, f"{player} has {wallet}"


def report(event: Great, tournament: Tournament, told: Counter[str], figures: list[RobotFigures]) -> str:
    """What it was like."""
    actions, refused, late, slowest = summed(figures)
    hands = f"{told['HandRecorded']:,} hands, {actions:,} actions ({refused} refused, {late} late, p99 {slowest:.2f} s)"
    seats = (
        f"{told['SheetOpened']:,} sheets, {told['PlayerMoved']:,} moves, {event.events['table_broken']} tables broken"
    )
    bought = f"{told['REBUY']} rebuys ({told['PurchaseReturned']} given back), {told['ADD_ON']} add-ons"
    paid = f"{tournament.prize_fund_minor / 100:,.2f} EUR paid to {len(tournament.prizes_minor)} places"
    return (
        f"{event.entrants} entrants, {hands}\n{seats}, largest difference {event.seats.most_uneven}, "
        f"{event.events['tournament_break_began']} breaks, {event.events['level_began']} levels, "
        f"{told['HandForHandRoundEnded']} rounds of hand for hand\n{bought}, {paid}\n"
        f"filled in {event.fill_seconds:.0f} s, played in {event.play_seconds:.0f} s "
        f"({told['HandRecorded'] / max(event.play_seconds, 0.001):.1f} hands a second)\n"
        "right: chips at every hand, every cent, every place once, tables even within one, the auditor's walk"
    )


async def _play(entrants: int, folder: Path) -> int:
    began = time.monotonic()
    async with great(entrants, folder) as event:
        await event.fill()
        figures = await event.run(PLAY_SECONDS)
        tournament, told = await judged(event)
        print(report(event, tournament, told, figures))
        print(f"{time.monotonic() - began:.0f} s in all")
        return 1 if any(each.refused_count for each in figures) else 0


def main(arguments: list[str]) -> int:
    """Exit code 0 only if everything was right."""
    entrants = int(arguments[0]) if arguments else 1_000
    with tempfile.TemporaryDirectory(prefix="great-") as folder:
        return asyncio.run(_play(entrants, Path(folder)))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
