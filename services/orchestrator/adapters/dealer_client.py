"""The dealer over gRPC."""

from collections.abc import Sequence

import grpc
from sevenstud.dealer.v1 import dealer_service_pb2 as wire
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from services.orchestrator.adapters.remote import ask, hand_rules_message, request_id
from services.orchestrator.adapters.wire_numbers import street_number
from services.orchestrator.domain.dealing import (
    Commitment,
    HandToDeal,
    Lots,
    OpenedCards,
    Opening,
    SeatHandCards,
    StreetDeal,
)
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Street
from shared.rpc.mirror import from_proto, to_proto

_NAME = "dealer"
_DEALT = "deal_street"
_SCRIPTED = ("scripted_decks", "allowed")


class DealerClient:
    """Implements ports.Dealer."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        """Call through this channel."""
        self._stub = DealerServiceStub(channel)

    async def open_hand(self, hand: HandToDeal) -> Commitment:
        """See ports.Dealer."""
        request = wire.OpenHandRequest(
            request_id=request_id(_NAME, "open_hand", hand.hand_id),
            hand_id=hand.hand_id,
            table_id=hand.table_id,
            hand_number=hand.hand_number,
            seats=hand.seats,
            rules=hand_rules_message(hand.rules),
            entropy_seats=hand.entropy_seats,
            seat_keys=[to_proto(each, wire.SeatKey) for each in hand.seat_keys],
        )
        if hand.script is not None:
            request.script.CopyFrom(to_proto(hand.script, wire.Script))
        response = await ask(_NAME, self._stub.OpenHand(request))
        return from_proto(response.commitment, Commitment)

    async def has_dealt(self, hand_id: str) -> bool:
        """See ports.Dealer."""
        proof = await ask(_NAME, self._stub.GetProof(wire.GetProofRequest(hand_id=hand_id)))
        return any(step.step == _DEALT for step in proof.steps)

    async def was_asked_for(self, hand_id: str) -> bool:
        """See ports.Dealer."""
        try:
            await ask(_NAME, self._stub.GetProof(wire.GetProofRequest(hand_id=hand_id)))
        except DomainError as refusal:
            if refusal.reason is not Reason.NOT_FOUND:
                raise
            return refusal.metadata.get("kind") != "hand"  # else a key is missing, and the hand is there
        return True

    async def contribute_entropy(self, hand_id: str, seat: int, entropy: bytes) -> Commitment:
        """See ports.Dealer."""
        request = wire.ContributeEntropyRequest(
            request_id=request_id(_NAME, "contribute_entropy", hand_id, seat),
            hand_id=hand_id,
            seat=seat,
            entropy=entropy,
        )
        response = await ask(_NAME, self._stub.ContributeEntropy(request))
        return from_proto(response.commitment, Commitment)

    async def fix_deck(self, hand_id: str) -> Commitment:
        """See ports.Dealer."""
        request = wire.FixDeckRequest(request_id=request_id(_NAME, "fix_deck", hand_id), hand_id=hand_id)
        response = await ask(_NAME, self._stub.FixDeck(request))
        return from_proto(response.commitment, Commitment)

    async def deal_street(self, hand_id: str, street: Street, live_seats: Sequence[int]) -> StreetDeal:
        """See ports.Dealer."""
        request = wire.DealStreetRequest(
            request_id=request_id(_NAME, "deal_street", hand_id, street),
            hand_id=hand_id,
            street=street_number(street),
            live_seats=live_seats,
        )
        return from_proto(await ask(_NAME, self._stub.DealStreet(request)), StreetDeal)

    async def reveal_for_ranking(self, hand_id: str, seats: Sequence[int]) -> tuple[SeatHandCards, ...]:
        """See ports.Dealer."""
        request = wire.RevealForRankingRequest(
            request_id=request_id(_NAME, "reveal_for_ranking", hand_id, *seats), hand_id=hand_id, seats=seats
        )
        response = await ask(_NAME, self._stub.RevealForRanking(request))
        return tuple(from_proto(hand, SeatHandCards) for hand in response.hands)

    async def open_cards(self, hand_id: str, seats: Sequence[int]) -> OpenedCards:
        """See ports.Dealer."""
        request = wire.OpenCardsRequest(
            request_id=request_id(_NAME, "open_cards", hand_id, *seats), hand_id=hand_id, seats=seats
        )
        return from_proto(await ask(_NAME, self._stub.OpenCards(request)), OpenedCards)

    async def get_openings(self, hand_id: str, seat: int) -> tuple[Opening, ...]:
        """See ports.Dealer."""
        response = await ask(_NAME, self._stub.GetOpenings(wire.GetOpeningsRequest(hand_id=hand_id, seat=seat)))
        return tuple(from_proto(opening, Opening) for opening in response.openings)

    async def close_hand(self, hand_id: str) -> tuple[Opening, ...]:
        """See ports.Dealer."""
        request = wire.CloseHandRequest(request_id=request_id(_NAME, "close_hand", hand_id), hand_id=hand_id)
        response = await ask(_NAME, self._stub.CloseHand(request))
        return tuple(from_proto(opening, Opening) for opening in response.openings)

    async def void_hand(self, hand_id: str, cause: str) -> None:
        """See ports.Dealer."""
        request = wire.VoidHandRequest(
            request_id=request_id(_NAME, "void_hand", hand_id), hand_id=hand_id, reason=cause
        )
        await ask(_NAME, self._stub.VoidHand(request))

    async def draw_lots(self, purpose: str, subject_id: str, entries: Sequence[str], step: str) -> Lots:
        """See ports.Dealer."""
        request = wire.DrawLotsRequest(
            request_id=request_id(_NAME, "draw_lots", purpose, subject_id, step, *entries),
            purpose=purpose,
            subject_id=subject_id,
            entries=entries,
        )
        return from_proto(await ask(_NAME, self._stub.DrawLots(request)), Lots)

    async def scripted_decks(self) -> bool:
        """See ports.Dealer."""
        response = await ask(_NAME, self._stub.GetServiceInfo(wire.GetServiceInfoRequest()))
        return _SCRIPTED in {(trait.name, trait.value) for trait in response.info.traits}
