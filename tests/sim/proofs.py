"""An honest house is accused by nobody: every hand of a world, as one of its viewers sees it, is proved."""

from collections.abc import Iterator, Sequence
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import Message
from sevenstud.dealer.v1.dealer_service_pb2 import GetProofResponse
from sevenstud.orchestrator.v1 import table_event_pb2 as event_pb
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.console.adapters.hand_records import HandRecords
from services.console.domain.fair_check import check
from services.console.domain.fair_record import Mismatch
from services.dealer.domain.answers import street_dealt
from services.dealer.domain.hand import StepName
from services.dealer.domain.proof import own_openings, proof_of
from services.dealer.ports import Found
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.hand_facts import CardOpening, HandStarted, OpeningsPublished, SeatDealtIn
from services.orchestrator.domain.visibility import BLIND, DownCards, Sight, view_event
from shared.rpc.mirror import to_proto
from tests.fairness import verifier
from tests.sim.cards import DealersCards
from tests.sim.table_truth import TableTruth


def proved(dealer: DealersCards, truth: TableTruth) -> None:
    """By the command that players use and by the verifier that shares no code with it; AssertionError where not."""
    for hand_id, events in _hands(truth).items():
        if not any(isinstance(each.fact, OpeningsPublished) for each in events):
            continue
        found = dealer.found(hand_id)
        hand, player_id = _as_told(found, truth.table_id, hand_id, events)
        proof = to_proto(proof_of(found.record, found.secrets), GetProofResponse)
        try:
            check(HandRecords(proof=proof, hand=hand, player_id=player_id).evidence())
            check(HandRecords(hand=hand, player_id=player_id).evidence())
            verifier.verify_hand(_json(hand), _json(proof), _json(hand)["own_openings"])
        except (Mismatch, verifier.Mismatch) as accusation:
            raise AssertionError(f"{hand_id} is not proved to {player_id or 'a spectator'}: {accusation}") from None


def _hands(truth: TableTruth) -> dict[str, list[Recorded]]:
    found: dict[str, list[Recorded]] = {}
    for each in truth.events:
        if each.hand_id:
            found.setdefault(each.hand_id, []).append(each)
    return found


def _as_told(found: Found, table_id: str, hand_id: str, events: Sequence[Recorded]) -> tuple[pb.GetHandResponse, str]:
    """The hand as one of those who may ask for it gets it: a spectator, or a player with proofs of the own cards."""
    started = next(each.fact for each in events if isinstance(each.fact, HandStarted))
    viewers: list[SeatDealtIn | None] = [None, *started.seats]
    viewer = viewers[started.hand_number % len(viewers)]
    sight = BLIND if viewer is None else Sight(_down_cards(found, viewer.seat))
    hand = pb.GetHandResponse(hand_id=hand_id, table_id=table_id, hand_number=started.hand_number)
    hand.events.extend(to_proto(view_event(each, sight), event_pb.TableEvent) for each in events)
    if viewer is None:
        return hand, ""
    hand.own_openings.extend(_own_openings(found, viewer.seat))
    return hand, viewer.player_id


def _down_cards(found: Found, seat: int) -> DownCards:
    cards: dict[Any, Any] = {}
    for number, step in enumerate(found.record.steps):
        if step.step == StepName.DEAL_STREET:
            for each in street_dealt(found.record, found.secrets, number).dealt:
                if each.seat == seat and (each.down_cards or each.sealed_down_cards):
                    cards[seat, step.street] = each.sealed_down_cards or each.down_cards
    return cards


def _own_openings(found: Found, seat: int) -> Iterator[event_pb.CardOpening]:
    if found.record.deck_root and seat in found.record.terms.seats:
        for each in own_openings(found.record, found.secrets, seat):
            opening = CardOpening(
                position=each.position, card=each.card, salt=each.salt, path=each.path, seat=each.seat
            )
            yield to_proto(opening, event_pb.CardOpening)


def _json(message: Message) -> Any:
    return MessageToDict(message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True)
