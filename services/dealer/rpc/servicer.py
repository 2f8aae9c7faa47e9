"""The RPCs of the dealer: read the request, ask the use case, write the answer."""

from dataclasses import dataclass

from sevenstud.dealer.v1 import dealer_service_pb2 as pb
from sevenstud.dealer.v1 import dealer_service_pb2_grpc as pb_grpc

from services.dealer.application.hands import Hands
from services.dealer.application.lots import LotDraws
from services.dealer.application.open_hand import OpenHands
from services.dealer.application.proofs import Proofs
from services.dealer.domain.lots import DrawLots
from services.dealer.domain.opening import OpenHand
from services.dealer.rpc.requests import StreetAsked
from shared.observability.logging import bind_call
from shared.rpc.context import Context
from shared.rpc.mirror import from_proto, to_proto
from shared.rpc.server import Servable

DESCRIPTOR = pb.DESCRIPTOR.services_by_name["DealerService"]


@dataclass(frozen=True, slots=True)
class UseCases:
    """What the dealer can do."""

    open_hands: OpenHands
    hands: Hands
    proofs: Proofs
    lots: LotDraws


class DealerServicer(pb_grpc.DealerServiceServicer):
    """Serves DealerService."""

    def __init__(self, use_cases: UseCases, info: pb.GetServiceInfoResponse) -> None:
        """Serve these."""
        self._open_hands = use_cases.open_hands
        self._hands = use_cases.hands
        self._proofs = use_cases.proofs
        self._lots = use_cases.lots
        self._info = info

    async def OpenHand(self, request: pb.OpenHandRequest, context: Context) -> pb.OpenHandResponse:
        """Draw a seed and commit to the deck of a hand."""
        bind_call(hand_id=request.hand_id, table_id=request.table_id, request_id=request.request_id)
        commitment = await self._open_hands.open_hand(request.request_id, from_proto(request, OpenHand))
        return pb.OpenHandResponse(commitment=to_proto(commitment, pb.Commitment))

    async def ContributeEntropy(
        self, request: pb.ContributeEntropyRequest, context: Context
    ) -> pb.ContributeEntropyResponse:
        """Add a seat's entropy."""
        bind_call(hand_id=request.hand_id, request_id=request.request_id)
        commitment = await self._hands.contribute_entropy(
            request.request_id, request.hand_id, request.seat, request.entropy
        )
        return pb.ContributeEntropyResponse(commitment=to_proto(commitment, pb.Commitment))

    async def FixDeck(self, request: pb.FixDeckRequest, context: Context) -> pb.FixDeckResponse:
        """Fix the deck with the entropy that came."""
        bind_call(hand_id=request.hand_id, request_id=request.request_id)
        commitment = await self._hands.fix_deck(request.request_id, request.hand_id)
        return pb.FixDeckResponse(commitment=to_proto(commitment, pb.Commitment))

    async def DealStreet(self, request: pb.DealStreetRequest, context: Context) -> pb.DealStreetResponse:
        """Burn and deal the next street."""
        bind_call(hand_id=request.hand_id, request_id=request.request_id)
        asked = from_proto(request, StreetAsked)
        dealt = await self._hands.deal_street(request.request_id, request.hand_id, asked.street, asked.live_seats)
        return to_proto(dealt, pb.DealStreetResponse)

    async def RevealForRanking(
        self, request: pb.RevealForRankingRequest, context: Context
    ) -> pb.RevealForRankingResponse:
        """Give live hands for the comparison at the showdown."""
        bind_call(hand_id=request.hand_id, request_id=request.request_id)
        hands = await self._hands.reveal_for_ranking(request.request_id, request.hand_id, tuple(request.seats))
        return pb.RevealForRankingResponse(hands=[to_proto(each, pb.SeatCards) for each in hands])

    async def OpenCards(self, request: pb.OpenCardsRequest, context: Context) -> pb.OpenCardsResponse:
        """Open the cards of seats that showed."""
        bind_call(hand_id=request.hand_id, request_id=request.request_id)
        hands, openings = await self._hands.open_cards(request.request_id, request.hand_id, tuple(request.seats))
        return pb.OpenCardsResponse(
            hands=[to_proto(each, pb.SeatCards) for each in hands],
            openings=[to_proto(each, pb.Opening) for each in openings],
        )

    async def GetOpenings(self, request: pb.GetOpeningsRequest, context: Context) -> pb.GetOpeningsResponse:
        """Give a seat the openings of its own cards."""
        bind_call(hand_id=request.hand_id)
        openings, commitment = await self._proofs.get_openings(request.hand_id, request.seat)
        return pb.GetOpeningsResponse(
            openings=[to_proto(each, pb.Opening) for each in openings],
            commitment=to_proto(commitment, pb.Commitment),
        )

    async def CloseHand(self, request: pb.CloseHandRequest, context: Context) -> pb.CloseHandResponse:
        """End a hand and open what everybody saw."""
        bind_call(hand_id=request.hand_id, request_id=request.request_id)
        openings = await self._hands.close_hand(request.request_id, request.hand_id)
        return pb.CloseHandResponse(openings=[to_proto(each, pb.Opening) for each in openings])

    async def VoidHand(self, request: pb.VoidHandRequest, context: Context) -> pb.VoidHandResponse:
        """End a hand that cannot go on."""
        bind_call(hand_id=request.hand_id, request_id=request.request_id)
        await self._hands.void_hand(request.request_id, request.hand_id, request.reason)
        return pb.VoidHandResponse()

    async def GetProof(self, request: pb.GetProofRequest, context: Context) -> pb.GetProofResponse:
        """Give the public record of a hand."""
        bind_call(hand_id=request.hand_id)
        return to_proto(await self._proofs.get_proof(request.hand_id), pb.GetProofResponse)

    async def DrawLots(self, request: pb.DrawLotsRequest, context: Context) -> pb.DrawLotsResponse:
        """Draw lots."""
        bind_call(request_id=request.request_id)
        lots = await self._lots.draw(request.request_id, from_proto(request, DrawLots))
        return to_proto(lots, pb.DrawLotsResponse)

    async def GetServiceInfo(self, request: pb.GetServiceInfoRequest, context: Context) -> pb.GetServiceInfoResponse:
        """Say who this is and whether scripted decks are allowed."""
        return self._info


def servable(servicer: DealerServicer) -> Servable:
    """What the server needs to serve it."""
    return Servable(DESCRIPTOR, lambda server: pb_grpc.add_DealerServiceServicer_to_server(servicer, server))
