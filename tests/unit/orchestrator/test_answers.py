"""What the other services answer arrives whole: every type of ours mirrors a message of the contract."""

from uuid import UUID

import pytest
from google.protobuf.message import Message
from sevenstud.betting.v1 import betting_service_pb2 as betting
from sevenstud.betting.v1 import betting_state_pb2 as betting_state
from sevenstud.common.v1.betting_pb2 import PotAward
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer
from sevenstud.evaluator.v1 import evaluator_service_pb2 as evaluator
from sevenstud.tournament_ledger.v1 import fact_pb2 as fact
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger
from sevenstud.tournament_ledger.v1 import tournament_pb2 as tournament

from services.orchestrator.adapters.betting_client import BettingClient
from services.orchestrator.adapters.remote import request_id
from services.orchestrator.domain import booking, dealing, ranking, wagering
from shared.rpc.mirror import descriptor_of, plan_for

MIRRORS: list[tuple[type, type[Message]]] = [
    (dealing.Commitment, dealer.Commitment),
    (dealing.Script, dealer.Script),
    (dealing.StreetDeal, dealer.DealStreetResponse),
    (dealing.SeatHandCards, dealer.SeatCards),
    (dealing.OpenedCards, dealer.OpenCardsResponse),
    (dealing.Opening, dealer.Opening),
    (dealing.Lots, dealer.DrawLotsResponse),
    (wagering.BettingOutcome, betting_state.BettingOutcome),
    (wagering.SeatStack, betting.SeatStack),
    (wagering.PotResult, betting.PotResult),
    (wagering.PotAward, PotAward),
    (ranking.SeatDoorCard, evaluator.SeatDoorCard),
    (ranking.SeatBoard, evaluator.SeatBoard),
    (ranking.BoardOrder, evaluator.OrderBoardsResponse),
    (ranking.SeatHand, evaluator.SeatHand),
    (ranking.PotToWin, evaluator.PotToWin),
    (ranking.ShowdownRanking, evaluator.RankShowdownResponse),
    (booking.LedgerTournament, tournament.Tournament),
    (booking.Standing, tournament.Standing),
    (booking.SeatAssignment, ledger.SeatAssignment),
    (booking.HandToBook, ledger.RecordHandRequest),
    (booking.BookedHand, ledger.RecordHandResponse),
    (booking.LedgerSheet, ledger.OpenSheetResponse),
    (booking.NumberedFact, fact.TournamentFact),
]


@pytest.mark.parametrize(("ours", "message"), MIRRORS, ids=lambda each: each.__name__)
def test_a_type_of_ours_has_its_counterpart_in_the_contract(ours: type, message: type[Message]) -> None:
    plan = plan_for(ours, descriptor_of(message()))
    assert plan is plan_for(ours, descriptor_of(message()))


def test_the_betting_state_comes_back_from_the_bytes_that_were_stored() -> None:
    message = betting_state.BettingState(
        schema_version=1, phase=betting_state.BETTING_PHASE_ROUND, turn_seat=3, price_chips=50
    )
    opaque = message.SerializeToString()
    state = BettingClient.recall(BettingClient.__new__(BettingClient), opaque)
    assert (state.turn_seat, state.phase, state.opaque) == (3, wagering.BettingPhase.ROUND, opaque)


def test_the_same_step_asked_again_is_the_same_request() -> None:
    first, again, other = (request_id("dealer", "deal_street", "h1", street) for street in ("THIRD", "THIRD", "FOURTH"))
    assert first == again
    assert first != other
    assert UUID(first).version == 5
