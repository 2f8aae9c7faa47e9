"""Checking hands in the console: it agrees with the stand-alone verifier, and nothing that was changed passes."""

import random
from dataclasses import replace
from typing import Any

import pytest
from google.protobuf.json_format import ParseDict
from hypothesis import given, settings
from hypothesis import strategies as st
from sevenstud.common.v1.rules_pb2 import HandRules as HandRulesMessage
from sevenstud.dealer.v1.dealer_service_pb2 import GetProofResponse

from services.console.domain.fair_check import check
from services.console.domain.fair_deal import of_record
from services.console.domain.fair_record import (
    DealerRecord,
    Evidence,
    Mismatch,
    OwnOpenings,
    StreetSeen,
    TableRecord,
)
from services.console.domain.fair_river import river_of
from services.console.domain.fair_words import told
from services.dealer.domain.deck_out import Supply, decide_river
from services.dealer.domain.proof import own_openings, proof_of
from services.dealer.domain.rules import dealing_rules
from shared.kernel.errors import DomainError
from shared.kernel.rules.hand import HandRules
from shared.rpc.mirror import from_proto, to_proto
from tests.fairness import verifier
from tests.fairness.records import a_random_hand, proof_json, rules_json
from tests.fairness.tampering import CHANGES, Change, Json
from tests.property.test_dealer_deals import rules_of_a_hand
from tests.support.dealer_hands import Hand

HANDS = 60


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
        streets.append(StreetSeen(done.street, seats, seen, (), len(step.positions) - dealt, done.source))
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
        started_version=10,
        first_card_version=13,
        first_action_version=15,
        streets=tuple(streets),
        shown=tuple(own.items()),
        openings=record.openings,
        voided=False,
    )


@pytest.fixture(scope="module")
def hands() -> list[tuple[Hand, HandRules]]:
    return [a_random_hand(number) for number in range(HANDS)]


Hands = list[tuple[Hand, HandRules]]


def test_every_random_hand_is_proved_by_the_record_by_the_table_and_by_both(hands: Hands) -> None:
    for hand, rules in hands:
        record = dealer_record(hand)
        table = table_record(record, rules)
        for evidence in (Evidence(record=record), Evidence(table=table), Evidence(record=record, table=table)):
            proven = check(evidence)
            assert len(proven.cards) == len(record.openings)
            assert "PROVED" in told(evidence, proven)[0]


def test_a_seat_proves_its_own_down_cards_and_nobody_elses(hands: Hands) -> None:
    for hand, rules in hands:
        record = dealer_record(hand)
        table = table_record(record, rules)
        for seat in record.seats[:2]:
            cards = own_openings(*hand, seat)
            own = OwnOpenings(openings=cards, commitment=record.commitment)  # type: ignore[arg-type]  # the same fields
            for evidence in (Evidence(record=record, own=own), Evidence(table=table, own=own)):
                proven = check(evidence)
                assert {each.position for each in cards} <= set(proven.cards)


def refuses(record: Json, rules: Json, table: TableRecord) -> bool:
    """The console does not take a record with the rules that its table published."""
    try:
        parsed = from_proto(ParseDict(record, GetProofResponse()), DealerRecord)
        published = from_proto(ParseDict(rules, HandRulesMessage()), HandRules)
        check(Evidence(record=parsed, table=replace(table, rules=published)))
    except (Mismatch, DomainError):
        return True
    return False


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_record_in_which_one_thing_was_changed_is_refused_as_the_other_verifier_does(
    change: Change, hands: Hands
) -> None:
    for number, (hand, rules) in enumerate(hands):
        record, published = proof_json(*hand), rules_json(rules)
        table = table_record(dealer_record(hand), rules)
        assert not refuses(record, published, table)
        change(record, published, random.Random(number))
        with pytest.raises(verifier.Mismatch):
            verifier.verify(record, published)
        assert refuses(record, published, table)


def test_a_table_that_showed_another_card_or_committed_late_is_refused(hands: Hands) -> None:
    hand, rules = hands[0]
    record = dealer_record(hand)
    table = table_record(record, rules)
    third = table.streets[0]
    (seat, card), *rest = third.cards
    other = replace(third, cards=((seat, card % 52 + 1), *rest))  # type: ignore[arg-type]  # a card is a number
    for changed, why in (
        (replace(table, streets=(other, *table.streets[1:])), "up cards"),
        (replace(table, first_card_version=9), "came after"),
        (replace(table, deck_root=b""), "no deck root"),
        (replace(table, scripted=True), "chosen beforehand"),
        (replace(table, openings=()), "no openings"),
        (replace(table, shown=((table.shown[0][0], table.shown[0][1][1:]),)), "showed is not"),
    ):
        with pytest.raises(Mismatch, match=why):
            check(Evidence(table=changed))


def test_openings_of_another_hand_prove_nothing(hands: Hands) -> None:
    (one, _), (other, _) = hands[0], hands[1]
    record, strange = dealer_record(one), dealer_record(other)
    own = OwnOpenings(openings=strange.openings, commitment=strange.commitment)
    with pytest.raises(Mismatch, match="another deck"):
        check(Evidence(record=record, own=own))
    forged = OwnOpenings(openings=strange.openings, commitment=record.commitment)
    with pytest.raises(Mismatch):
        check(Evidence(record=record, own=forged))


@settings(max_examples=400, deadline=None)
@given(rules_of_a_hand(), st.integers(0, 20), st.integers(0, 4), st.integers(2, 8))
def test_the_river_is_worked_out_as_the_dealer_does(rules: HandRules, stub: int, burned: int, seats: int) -> None:
    if stub + burned == 0:
        return
    dealing: Any = dealing_rules(rules)
    expected = decide_river(dealing, Supply(stub, burned, seats))
    found = river_of(dealing, stub, burned, seats)
    assert (str(found.source), found.burns) == (str(expected.source), expected.burn_count)
    assert found.straight == expected.straight_count or not found.source.mixed
