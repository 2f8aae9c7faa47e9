"""The evaluator over gRPC."""

from collections.abc import Sequence

import grpc
from sevenstud.common.v1.card_pb2 import Card as CardMessage
from sevenstud.evaluator.v1 import evaluator_service_pb2 as wire
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from services.orchestrator.adapters.remote import ask, hand_rules_message
from services.orchestrator.domain.ranking import (
    BoardOrder,
    HandValue,
    SeatBoard,
    SeatDoorCard,
    ShowdownRanking,
    ShowdownToRank,
)
from shared.kernel.cards import Card
from shared.kernel.rules import HandRules
from shared.rpc.mirror import from_proto, to_proto

_NAME = "evaluator"


class EvaluatorClient:
    """Implements ports.Evaluator."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        """Call through this channel."""
        self._stub = EvaluatorServiceStub(channel)

    async def order_bring_in(self, door_cards: Sequence[SeatDoorCard], rules: HandRules) -> tuple[int, ...]:
        """See ports.Evaluator."""
        request = wire.OrderBringInRequest(
            door_cards=[to_proto(door_card, wire.SeatDoorCard) for door_card in door_cards],
            rules=hand_rules_message(rules),
        )
        response = await ask(_NAME, self._stub.OrderBringIn(request))
        return tuple(response.seats)

    async def order_boards(self, boards: Sequence[SeatBoard], common_card: Card | None, rules: HandRules) -> BoardOrder:
        """See ports.Evaluator."""
        request = wire.OrderBoardsRequest(
            boards=[to_proto(board, wire.SeatBoard) for board in boards],
            common_card=_card(common_card),
            rules=hand_rules_message(rules),
        )
        return from_proto(await ask(_NAME, self._stub.OrderBoards(request)), BoardOrder)

    async def evaluate(self, cards: Sequence[Card]) -> HandValue:
        """See ports.Evaluator."""
        request = wire.EvaluateRequest(cards=[_card(card) for card in cards])
        return from_proto((await ask(_NAME, self._stub.Evaluate(request))).value, HandValue)

    async def rank_showdown(self, showdown: ShowdownToRank) -> ShowdownRanking:
        """See ports.Evaluator."""
        request = wire.RankShowdownRequest(
            hands=[to_proto(hand, wire.SeatHand) for hand in showdown.hands],
            common_card=_card(showdown.common_card),
            pots=[to_proto(pot, wire.PotToWin) for pot in showdown.pots],
            rules=hand_rules_message(showdown.rules),
            last_aggressor_seat=showdown.last_aggressor_seat,
            first_to_act_seat=showdown.first_to_act_seat,
        )
        return from_proto(await ask(_NAME, self._stub.RankShowdown(request)), ShowdownRanking)


def _card(card: Card | None) -> CardMessage.ValueType:
    return CardMessage.ValueType(card or 0)
