"""The betting service over gRPC. The state crosses as the bytes it came in: nothing of it is rebuilt here."""

from collections.abc import Sequence

import grpc
from sevenstud.betting.v1 import betting_service_pb2 as wire
from sevenstud.betting.v1.betting_service_pb2_grpc import BettingServiceStub
from sevenstud.betting.v1.betting_state_pb2 import BettingOutcome as OutcomeMessage
from sevenstud.betting.v1.betting_state_pb2 import BettingState as StateMessage
from sevenstud.common.v1.rules_pb2 import RakeRules as RakeMessage
from sevenstud.common.v1.rules_pb2 import Stakes as StakesMessage

from services.orchestrator.adapters.acting_together import ActingTogether
from services.orchestrator.adapters.remote import ask, clock_rules_message, hand_rules_message
from services.orchestrator.adapters.wire_numbers import cause_number, kind_number, street_number
from services.orchestrator.domain.wagering import (
    ActionKind,
    BettingOutcome,
    BettingState,
    Expired,
    Expiry,
    HandToBet,
    PotAward,
    PotResult,
    Settled,
)
from shared.kernel.frozen import evolve
from shared.kernel.game import Street
from shared.kernel.rules import RakeRules
from shared.rpc.mirror import from_proto, to_proto

_NAME = "betting"


class BettingClient:
    """Implements ports.Betting."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        """Call through this channel."""
        self._stub = BettingServiceStub(channel)
        self._acting = ActingTogether(self._stub)

    async def open_hand(self, hand: HandToBet) -> BettingOutcome:
        """See ports.Betting."""
        request = wire.OpenHandRequest(
            rules=hand_rules_message(hand.rules),
            stakes=to_proto(hand.stakes, StakesMessage),
            seats=[to_proto(seat, wire.SeatStack) for seat in hand.seats],
            last_two_of_event=hand.last_two_of_event,
        )
        response = await ask(_NAME, self._stub.OpenHand(request))
        return _outcome(response.outcome)

    async def open_street(
        self, state: BettingState, street: Street, opening_order: Sequence[int], open_pair_seats: Sequence[int]
    ) -> BettingOutcome:
        """See ports.Betting."""
        request = wire.OpenStreetRequest(
            state=_message(state),
            street=street_number(street),
            opening_order=opening_order,
            open_pair_seats=open_pair_seats,
        )
        response = await ask(_NAME, self._stub.OpenStreet(request))
        return _outcome(response.outcome)

    async def act(self, state: BettingState, seat: int, kind: ActionKind, to_chips: int) -> BettingOutcome:
        """See ports.Betting."""
        request = wire.ActRequest(state=_message(state), seat=seat, kind=kind_number(kind), to_chips=to_chips)
        response = await self._acting.act(request)
        return _outcome(response.outcome)

    async def expire(self, state: BettingState, expiry: Expiry) -> Expired:
        """See ports.Betting."""
        request = wire.ExpireRequest(
            state=_message(state),
            seat=expiry.seat,
            cause=cause_number(expiry.cause),
            clock_rules=clock_rules_message(expiry.clock_rules),
            protections_used=expiry.protections_used,
        )
        response = await ask(_NAME, self._stub.Expire(request))
        return Expired(outcome=_outcome(response.outcome), sits_out=response.sits_out, protected=response.protected)

    async def settle(self, state: BettingState, results: Sequence[PotResult], rake: RakeRules | None) -> Settled:
        """See ports.Betting."""
        request = wire.SettleRequest(
            state=_message(state),
            results=[to_proto(result, wire.PotResult) for result in results],
            rake=None if rake is None else to_proto(rake, RakeMessage),
        )
        response = await ask(_NAME, self._stub.Settle(request))
        return Settled(
            outcome=_outcome(response.outcome),
            awards=tuple(from_proto(award, PotAward) for award in response.awards),
            rake_chips=response.rake_chips,
        )

    def recall(self, opaque: bytes) -> BettingState:  # part of the port
        """See ports.Betting."""
        return evolve(from_proto(StateMessage.FromString(opaque), BettingState), opaque=opaque)


def _message(state: BettingState) -> StateMessage:
    return StateMessage.FromString(state.opaque)


def _outcome(message: OutcomeMessage) -> BettingOutcome:
    outcome = from_proto(message, BettingOutcome)
    return evolve(outcome, state=evolve(outcome.state, opaque=message.state.SerializeToString()))
