"""Agreed splits: what players propose to each other and accept (rule 203)."""

from collections.abc import Sequence

from services.tournament_ledger.application.bookkeeper import Bookkeeper
from services.tournament_ledger.application.decisions import Call
from services.tournament_ledger.application.tournaments import change_tournament, the_tournament
from services.tournament_ledger.domain.deals import accept_deal, propose_deal
from services.tournament_ledger.domain.facts_deals import Deal, DealShare
from services.tournament_ledger.domain.steps import Steps


class Deals:
    """Use cases of agreed splits."""

    def __init__(self, bookkeeper: Bookkeeper) -> None:
        """Book through this bookkeeper."""
        self._keeper = bookkeeper

    async def propose(
        self, call: Call, tournament_id: str, player_id: str, shares: Sequence[DealShare], rest_minor: int
    ) -> bytes:
        """Work out a split and let the others accept it."""

        async def rule(steps: Steps) -> None:
            propose_deal(steps, player_id, shares, rest_minor)

        return await change_tournament(self._keeper, call, tournament_id, rule, _deal)

    async def accept(self, call: Call, tournament_id: str, player_id: str, number: int) -> bytes:
        """Accept for one player; with the last one the money moves."""

        async def rule(steps: Steps) -> None:
            accept_deal(steps, player_id, number)

        return await change_tournament(self._keeper, call, tournament_id, rule, the_tournament)


def _deal(steps: Steps) -> Deal | None:
    return steps.tournament.deal
