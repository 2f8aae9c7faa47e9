"""RPCs of agreed splits."""

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_pb2

from services.tournament_ledger.domain.facts_deals import Deal, DealShare
from services.tournament_ledger.domain.tournament import Tournament
from services.tournament_ledger.rpc.calls import call_of, response_of
from services.tournament_ledger.rpc.messages import tournament_message
from services.tournament_ledger.rpc.use_cases import UseCases
from shared.observability.logging import bind_call
from shared.rpc.context import Context
from shared.rpc.mirror import to_proto


class DealRpcs:
    """Proposing and accepting."""

    _use: UseCases

    async def ProposeDeal(self, request: pb.ProposeDealRequest, context: Context) -> pb.ProposeDealResponse:
        """Propose a split."""
        bind_call(tournament_id=request.tournament_id)
        call = call_of("ProposeDeal", request, _proposed_message)
        shares = tuple(DealShare(each.player_id, each.amount_minor) for each in request.shares)
        answer = await self._use.deals.propose(
            call, request.tournament_id, request.player_id, shares, request.rest_minor
        )
        return response_of(answer, pb.ProposeDealResponse)

    async def AcceptDeal(self, request: pb.AcceptDealRequest, context: Context) -> pb.AcceptDealResponse:
        """Accept a split."""
        bind_call(tournament_id=request.tournament_id)
        call = call_of("AcceptDeal", request, _accepted_message)
        answer = await self._use.deals.accept(call, request.tournament_id, request.player_id, request.deal_number)
        return response_of(answer, pb.AcceptDealResponse)


def _proposed_message(deal: Deal) -> pb.ProposeDealResponse:
    return pb.ProposeDealResponse(deal=to_proto(deal, tournament_pb2.Deal))


def _accepted_message(tournament: Tournament) -> pb.AcceptDealResponse:
    return pb.AcceptDealResponse(tournament=tournament_message(tournament))
