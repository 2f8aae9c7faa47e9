"""Hands as the console gets them: the dealer's record from its JSON, and what the table of such a hand published."""

from dataclasses import replace

from google.protobuf.json_format import ParseDict
from sevenstud.common.v1.rules_pb2 import HandRules as HandRulesMessage
from sevenstud.dealer.v1.dealer_service_pb2 import GetProofResponse

from services.console.domain.fair_check import check
from services.console.domain.fair_deal import of_record
from services.console.domain.fair_record import DealerRecord, Evidence, Mismatch, StreetSeen, TableRecord
from services.dealer.domain.proof import proof_of
from shared.kernel.errors import DomainError
from shared.kernel.rules.hand import HandRules
from shared.rpc.mirror import from_proto, to_proto
from tests.fairness.tampering import Json
from tests.support.dealer_hands import Hand


def dealer_record(hand: Hand) -> DealerRecord:
    """The public record as the console gets it."""
    return from_proto(to_proto(proof_of(*hand), GetProofResponse), DealerRecord)


def table_record(record: DealerRecord, rules: HandRules) -> TableRecord:
    """What the table of such a hand would have published."""
    streets = []
    places = check(Evidence(record=record)).cards
    for done, step in zip(of_record(record.steps), (s for s in record.steps if s.step == "deal_street"), strict=True):
        up = ((place, card) for place, card in places.values() if place.street is done.street and place.face_up)
        seen = tuple((place.seat, card) for place, card in up)
        seats = () if done.source.common else done.seats
        dealt = 1 if done.source.common else len(done.seats) * (3 if done.street == "THIRD" else 1)
        burned = len(step.positions) - dealt
        streets.append(StreetSeen(done.street, seats, seen, (), burned, done.source, step.at, step.at, step.seats))
    shown = {seat for step in record.steps if step.step == "open_cards" for seat in step.seats}
    own = {seat: tuple(card for place, card in places.values() if place.seat == seat) for seat in sorted(shown)}
    bound = record.commitment
    return TableRecord(
        hand_id=record.hand_id,
        table_id=record.table_id,
        hand_number=record.hand_number,
        seats=record.seats,
        rules=rules,
        shuffle_version=bound.shuffle_version,
        seed_commitment=bound.seed_commitment,
        deck_root=bound.deck_root,
        scripted=False,
        entropy=record.entropy,
        started_version=10,
        first_card_version=13,
        first_action_version=15,
        streets=tuple(streets),
        shown=tuple(own.items()),
        openings=record.openings,
        voided=False,
        compared_seats=tuple(seat for step in record.steps if step.step == "reveal_for_ranking" for seat in step.seats),
    )


def refuses(record: Json, rules: Json, table: TableRecord) -> bool:
    """The console does not take a record with the rules that its table published."""
    try:
        parsed = from_proto(ParseDict(record, GetProofResponse()), DealerRecord)
        published = from_proto(ParseDict(rules, HandRulesMessage()), HandRules)
        check(Evidence(record=parsed, table=replace(table, rules=published)))
    except (Mismatch, DomainError):
        return True
    return False
