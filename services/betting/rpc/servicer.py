"""The five steps of a hand, each handed to the application; state in, state out."""

from sevenstud.betting.v1 import betting_service_pb2 as pb
from sevenstud.betting.v1.betting_service_pb2_grpc import BettingServiceServicer
from sevenstud.common.v1.service_info_pb2 import ServiceInfo

from services.betting.application import hands
from services.betting.application.commands import Act, Expire, OpenHand, OpenStreet, Settle
from shared.kernel.errors import DomainError
from shared.rpc.context import Context
from shared.rpc.mirror import fill_proto, from_proto, to_proto


class BettingServicer(BettingServiceServicer):
    """Answers from the rules alone; keeps nothing between two calls."""

    def __init__(self, info: ServiceInfo) -> None:
        """Serve; the info is what it says about itself."""
        self._info = info

    async def OpenHand(self, request: pb.OpenHandRequest, context: Context) -> pb.OpenHandResponse:
        """A hand with the antes taken (rules 15-21)."""
        return to_proto(hands.open_hand(from_proto(request, OpenHand)), pb.OpenHandResponse)

    async def OpenStreet(self, request: pb.OpenStreetRequest, context: Context) -> pb.OpenStreetResponse:
        """The betting of a street opened (rules 23-40, 79-83)."""
        return to_proto(hands.open_street(from_proto(request, OpenStreet)), pb.OpenStreetResponse)

    async def Act(self, request: pb.ActRequest, context: Context) -> pb.ActResponse:
        """An action applied exactly as asked, or refused (rules 41-77)."""
        return to_proto(hands.act(from_proto(request, Act)), pb.ActResponse)

    async def ActTogether(self, request: pb.ActTogetherRequest, context: Context) -> pb.ActTogetherResponse:
        """Actions of different hands, each applied exactly as asked, or refused (rules 41-77)."""
        answer = pb.ActTogetherResponse()
        for action in request.actions:
            result = answer.results.add()
            try:
                applied = hands.act(from_proto(action, Act))
            except DomainError:
                continue  # whoever asks for it alone is told why
            fill_proto(applied, result.response)
        return answer

    async def Expire(self, request: pb.ExpireRequest, context: Context) -> pb.ExpireResponse:
        """What the clock rules do for a seat (rules 130-137, 144, 145)."""
        return to_proto(hands.expire(from_proto(request, Expire)), pb.ExpireResponse)

    async def Settle(self, request: pb.SettleRequest, context: Context) -> pb.SettleResponse:
        """The pots paid to the last odd chip (rules 97-103, 123-127, 196)."""
        return to_proto(hands.settle(from_proto(request, Settle)), pb.SettleResponse)

    async def GetServiceInfo(self, request: pb.GetServiceInfoRequest, context: Context) -> pb.GetServiceInfoResponse:
        """Who this is, which version, and its limits."""
        return pb.GetServiceInfoResponse(info=self._info)
