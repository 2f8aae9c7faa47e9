"""The six questions of the contract, each handed to the domain."""

from collections.abc import AsyncIterator
from contextlib import aclosing

from sevenstud.common.v1.service_info_pb2 import ServiceInfo
from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceServicer

from services.evaluator.application.batch import ValueBatch
from services.evaluator.application.equity import EquityQuestion, EstimateEquity
from services.evaluator.domain.boards import order_boards
from services.evaluator.domain.bring_in import order_bring_in
from services.evaluator.domain.card_checks import check_hand
from services.evaluator.domain.hand_value import value_of
from services.evaluator.domain.show_order import River
from services.evaluator.domain.showdown import rank_showdown
from services.evaluator.rpc.hand_rules import read_rules
from services.evaluator.rpc.questions import (
    BoardsQuestion,
    BringInAnswer,
    BringInQuestion,
    HandQuestion,
    ShowdownQuestion,
)
from shared.rpc.call import current_caller
from shared.rpc.context import Context
from shared.rpc.drain import Drain, draining
from shared.rpc.mirror import from_proto, to_proto


class EvaluatorServicer(EvaluatorServiceServicer):
    """Answers from the domain; only batches and equity take longer than a look-up."""

    def __init__(self, batch: ValueBatch, equity: EstimateEquity, info: ServiceInfo, drain: Drain) -> None:
        """Serve with these."""
        self._batch = batch
        self._equity = equity
        self._info = info
        self._drain = drain

    async def Evaluate(self, request: pb.EvaluateRequest, context: Context) -> pb.EvaluateResponse:
        """What one hand is worth (rules 117-122)."""
        question = from_proto(request, HandQuestion)
        check_hand(question.cards, "cards")
        return pb.EvaluateResponse(value=to_proto(value_of(question.cards), pb.HandValue))

    async def EvaluateBatch(self, request: pb.EvaluateBatchRequest, context: Context) -> pb.EvaluateBatchResponse:
        """What many hands are worth."""
        return pb.EvaluateBatchResponse(strengths=await self._batch.strengths(request.masks, _caller()))

    async def OrderBringIn(self, request: pb.OrderBringInRequest, context: Context) -> pb.OrderBringInResponse:
        """Who owes the bring-in, and who next (rules 23-27)."""
        question = from_proto(request, BringInQuestion)
        seats = order_bring_in(question.door_cards, read_rules(request.rules))
        return to_proto(BringInAnswer(seats=seats), pb.OrderBringInResponse)

    async def OrderBoards(self, request: pb.OrderBoardsRequest, context: Context) -> pb.OrderBoardsResponse:
        """Who opens a street, and who shows a pair (rules 53, 79-81, 95)."""
        question = from_proto(request, BoardsQuestion)
        order = order_boards(question.boards, question.common_card, read_rules(request.rules))
        return to_proto(order, pb.OrderBoardsResponse)

    async def RankShowdown(self, request: pb.RankShowdownRequest, context: Context) -> pb.RankShowdownResponse:
        """Who wins each pot and who shows (rules 107-112, 120-125)."""
        question = from_proto(request, ShowdownQuestion)
        river = River(last_aggressor_seat=question.last_aggressor_seat, first_to_act_seat=question.first_to_act_seat)
        rules = read_rules(request.rules)
        showdown = rank_showdown(question.hands, question.common_card, question.pots, river, rules)
        return to_proto(showdown, pb.RankShowdownResponse)

    async def EstimateEquity(
        self,
        request: pb.EstimateEquityRequest,
        context: Context,
    ) -> AsyncIterator[pb.EstimateEquityResponse]:
        """How much of the pot each hand wins on average, narrowing."""
        question = from_proto(request, EquityQuestion)
        async with aclosing(self._equity.estimates(question, _caller())) as estimates:
            async for estimate in estimates:
                yield to_proto(estimate, pb.EstimateEquityResponse)
                if self._drain.begun and not estimate.final:
                    raise draining()

    async def GetServiceInfo(self, request: pb.GetServiceInfoRequest, context: Context) -> pb.GetServiceInfoResponse:
        """Who this is, which version, and its limits."""
        return pb.GetServiceInfoResponse(info=self._info)


def _caller() -> str:
    """Whose places they are."""
    caller = current_caller()
    return f"{caller.role}:{caller.id}"
