"""What must be true of a tournament that is over, worked out from what the lobby itself paid and asked for."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_pb2 import TOURNAMENT_STATE_FINISHED, Standing, Tournament

from tests.support.journal_export import export, walk_apart


def check_places(standings: Mapping[str, Standing], *, satellite: bool = False) -> None:
    """Every place is given once; who shares one leaves the next ones empty. Seats of a satellite share the first."""
    counted = Counter(each.place for each in standings.values())
    place = 1
    for given in sorted(counted):
        assert given == place, f"place {given} where {place} is next: {sorted(counted.items())}"
        place += counted[given]
    assert place == len(standings) + 1
    assert counted[1] == 1 or satellite, "there is one winner"


def check_money(
    tournament: Tournament, standings: Mapping[str, Standing], wallets: Mapping[str, int], paid_in: Any
) -> None:
    """Money in is prizes, fees and refunds, to the cent, for every player alone and for all together."""
    assert tournament.state == TOURNAMENT_STATE_FINISHED
    prizes = sum(each.prize_minor for each in standings.values())
    assert prizes == tournament.prize_fund_minor, f"{prizes} of {tournament.prize_fund_minor} were paid"
    assert paid_in.deal or sum(tournament.prizes_minor) == prizes, "the prize table is not the fund"
    for player, wallet in wallets.items():
        line = standings[player]
        wanted = paid_in.wallet - line.spent_minor + line.prize_minor + line.bonus_minor
        assert wallet == wanted, f"{player} has {wallet}, {wanted} is right"
    spent = sum(each.spent_minor for each in standings.values())
    returned = paid_in.returned * paid_in.fee
    assert spent + returned == paid_in.spent, f"{spent} and {returned} returned, {paid_in.spent} were paid"


async def check_audit(
    auditor: Any, folder: Path, tournament_id: str, standings: Mapping[str, Standing]
) -> dict[str, int]:
    """The books are sound, and the auditor's own program comes to the same balances, places and prizes."""
    verdict = await auditor.VerifyJournal(pb.VerifyJournalRequest(), timeout=120)
    assert verdict.sound, verdict.faults
    assert {each.sum for each in verdict.sums} <= {0}

    async def ask(method: str, request: Any) -> Any:
        return await getattr(auditor, method)(request, timeout=60)

    await export(ask, folder)
    found = await asyncio.to_thread(walk_apart, folder)
    assert found["faults"] == [], found["faults"][:5]
    event = found["tournaments"][tournament_id]
    assert event["places"] == {player: each.place for player, each in standings.items()}
    assert event["prizes"] == {player: each.prize_minor for player, each in standings.items()}
    balances: dict[str, int] = found["balances"]
    for account in ("escrow", "prize_fund", "bonus_fund"):
        left = balances.get(f"tournament/{tournament_id}/{account}", 0)
        assert left == 0, f"{left} is left in the {account}"
    return balances
