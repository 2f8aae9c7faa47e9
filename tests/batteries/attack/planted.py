"""A service with faults planted where no well-behaved caller gets: a fuzzer that misses one of them bites nothing."""

from collections.abc import AsyncIterator

from sevenstud.evaluator.v1 import evaluator_service_pb2 as pb
from sevenstud.evaluator.v1 import evaluator_service_pb2_grpc as rpc

from shared.kernel.caller import Role
from shared.rpc.context import Context
from shared.rpc.drain import Drain
from shared.rpc.server import Assembly, Servable
from tests.support.evaluator_double import EvaluatorDouble

DESCRIPTOR = pb.DESCRIPTOR.services_by_name["EvaluatorService"]
PLANTED = ("Evaluate", "EvaluateBatch", "OrderBringIn", "OrderBoards", "RankShowdown", "EstimateEquity")
"""RPCs with a fault in them: all but the one that takes nothing."""


class PlantedFaults(EvaluatorDouble):
    """Each RPC has one fault, behind a condition on several fields that the contract allows."""

    def __init__(self) -> None:
        super().__init__(Drain())

    async def Evaluate(self, request: pb.EvaluateRequest, context: Context) -> pb.EvaluateResponse:
        """Breaks when a card is given twice."""
        if len(set(request.cards)) < len(request.cards):
            raise KeyError(request.cards[0])
        return pb.EvaluateResponse()

    async def EvaluateBatch(self, request: pb.EvaluateBatchRequest, context: Context) -> pb.EvaluateBatchResponse:
        """Breaks when the masks do not end with a whole one."""
        if len(request.masks) % 8:
            raise IndexError(len(request.masks))
        return pb.EvaluateBatchResponse()

    async def OrderBringIn(self, request: pb.OrderBringInRequest, context: Context) -> pb.OrderBringInResponse:
        """Breaks when one seat is there twice and the rules name a structure."""
        seats = [each.seat for each in request.door_cards]
        if len(set(seats)) < len(seats) and request.rules.structure:
            raise ZeroDivisionError
        return pb.OrderBringInResponse()

    async def OrderBoards(self, request: pb.OrderBoardsRequest, context: Context) -> pb.OrderBoardsResponse:
        """Breaks when the common card lies on a board as well."""
        if any(request.common_card in each.up_cards for each in request.boards):
            raise ValueError(request.common_card)
        return pb.OrderBoardsResponse()

    async def RankShowdown(self, request: pb.RankShowdownRequest, context: Context) -> pb.RankShowdownResponse:
        """Breaks when a pot is for a seat that is not there and the last aggressor is beyond all seats."""
        seats = {each.seat for each in request.hands}
        if request.last_aggressor_seat > 8 and any(set(each.eligible_seats) - seats for each in request.pots):
            raise LookupError(request.last_aggressor_seat)
        return pb.RankShowdownResponse()

    async def EstimateEquity(
        self, request: pb.EstimateEquityRequest, context: Context
    ) -> AsyncIterator[pb.EstimateEquityResponse]:
        """Breaks for a seed with its highest bit set and no error asked for."""
        if request.seed >= 2**63 and not request.error_millionths:
            raise OverflowError(request.seed)
        yield pb.EstimateEquityResponse(final=True)


def assembly() -> Assembly:
    """The faulty service behind the real server."""
    from shared.rpc.rights import anybody

    rights = {method.name: anybody(Role.SERVICE) for method in DESCRIPTOR.methods if method.name != "GetServiceInfo"}
    servable = Servable(DESCRIPTOR, lambda server: rpc.add_EvaluatorServiceServicer_to_server(PlantedFaults(), server))
    return Assembly(service="evaluator", servables=[servable], rights=rights)
