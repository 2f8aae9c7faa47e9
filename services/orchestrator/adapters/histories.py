"""What dealer and ledger have written down, over gRPC."""

import grpc
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.orchestrator.adapters.remote import ask
from services.orchestrator.application.histories import UNREADABLE, DealtHand
from shared.kernel.errors import DomainError, Reason

_DEALT = "deal_street"


class RemoteHistories:
    """Implements application.histories.OtherHistories."""

    def __init__(self, dealer_channel: grpc.aio.Channel, ledger_channel: grpc.aio.Channel) -> None:
        """Ask through these channels."""
        self._dealer = DealerServiceStub(dealer_channel)
        self._ledger = TournamentLedgerServiceStub(ledger_channel)

    async def dealt(self, hand_id: str) -> DealtHand | None:
        """See OtherHistories."""
        try:
            proof = await ask("dealer", self._dealer.GetProof(dealer.GetProofRequest(hand_id=hand_id)))
        except DomainError as refusal:
            if refusal.reason is not Reason.NOT_FOUND:
                raise
            return None if refusal.metadata.get("kind") == "hand" else UNREADABLE
        streets = sum(step.step == _DEALT for step in proof.steps)
        return DealtHand(proof.commitment.seed_commitment, streets)

    async def booked(self, tournament_id: str, table_id: str) -> int | None:
        """See OtherHistories."""
        request = ledger.GetLastHandRequest(table_id=table_id, tournament_id=tournament_id)
        try:
            return (await ask("tournament_ledger", self._ledger.GetLastHand(request))).hand_number
        except DomainError as refusal:
            if refusal.reason is Reason.NOT_FOUND:
                return None
            raise
