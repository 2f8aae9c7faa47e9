"""A dealer that cheats before it commits has right proofs; what they prove must be an honest deal all the same."""

import copy

import pytest
from google.protobuf.json_format import ParseDict
from sevenstud.dealer.v1.dealer_service_pb2 import GetProofResponse

from services.console.domain.fair_check import check
from services.console.domain.fair_record import DealerRecord, Evidence, Mismatch, OwnOpenings
from services.dealer.domain.proof import own_openings
from services.dealer.domain.rules import DealingRules
from services.dealer.domain.streets import Deal, Dealing, plan_deal
from shared.kernel.game import Street
from shared.rpc.mirror import from_proto
from tests.fairness import verifier
from tests.fairness.forging import FORGERIES, Forgery, grown, nothing
from tests.fairness.published import dealer_record
from tests.fairness.records import a_random_hand, proof_json, rules_json
from tests.fairness.tampering import Json

HANDS = 30
Hands = list[tuple[Json, Json]]


@pytest.fixture(scope="module")
def hands() -> Hands:
    return [(proof_json(*hand), rules_json(rules)) for hand, rules in map(a_random_hand, range(HANDS))]


def by_the_console(record: Json) -> None:
    """Mismatch where the console does not take a record."""
    check(Evidence(record=from_proto(ParseDict(record, GetProofResponse()), DealerRecord)))


def test_the_forger_can_do_its_sums(hands: Hands) -> None:
    for record, rules in copy.deepcopy(hands):
        grown(record, nothing)
        verifier.verify(record, rules)
        by_the_console(record)


@pytest.mark.parametrize("forgery", FORGERIES, ids=lambda forgery: forgery.__name__)
def test_a_deck_that_no_honest_dealer_has_is_refused_by_both_verifiers(forgery: Forgery, hands: Hands) -> None:
    for record, rules in copy.deepcopy(hands):
        grown(record, forgery)
        with pytest.raises(verifier.Mismatch):
            verifier.verify(record, rules)
        with pytest.raises(Mismatch):
            by_the_console(record)


def test_of_cards_that_stay_hidden_nothing_is_proved(hands: Hands) -> None:
    """The threat model names this limit: a dealer that was bought may have put any card there, or one twice."""

    def hidden_ones_alike(record: Json, deck: list[int]) -> None:
        opened = {each["position"] for each in record["openings"]}
        deck[:] = [card if at in opened else 1 for at, card in enumerate(deck)]

    for record, rules in copy.deepcopy(hands):
        grown(record, hidden_ones_alike)
        verifier.verify(record, rules)
        by_the_console(record)


def test_a_river_that_no_key_mixed_to_which_the_dealer_was_bound_is_refused_by_both_verifiers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A dealer who may leave the key closed chooses between two rivers, when all other cards are known to it."""

    def by_no_key(dealing: Dealing, street: Street, live: tuple[int, ...], rules: DealingRules, _: bytes) -> Deal:
        return plan_deal(dealing, street, live, rules, b"")

    monkeypatch.setattr("services.dealer.domain.advance.plan_deal", by_no_key)
    mixed = 0
    for hand, rules in map(a_random_hand, range(HANDS)):
        record = proof_json(*hand)
        if record["reshuffle_key"]:
            record["reshuffle_key"], mixed = "", mixed + 1
            with pytest.raises(verifier.Mismatch):
                verifier.verify(record, rules_json(rules))
            with pytest.raises(Mismatch):
                by_the_console(record)
    assert mixed > 3


def test_own_openings_that_leave_a_card_out_prove_nothing() -> None:
    hand, _ = a_random_hand(1)
    record = dealer_record(hand)
    seat = record.seats[0]
    cards = own_openings(*hand, seat)
    own = OwnOpenings(openings=cards, commitment=record.commitment)  # type: ignore[arg-type]  # the same fields
    check(Evidence(record=record, own=own))
    for at, left_out in enumerate(cards):
        rest = OwnOpenings(openings=(*own.openings[:at], *own.openings[at + 1 :]), commitment=record.commitment)
        if left_out.seat == seat:
            with pytest.raises(Mismatch, match="not among its openings"):
                check(Evidence(record=record, own=rest))
