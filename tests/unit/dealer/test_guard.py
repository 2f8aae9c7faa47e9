"""The guard of a hand: once only, in order, for live seats; the same question has the same answer."""

from dataclasses import replace

import pytest

from services.dealer.domain.advance import advance
from services.dealer.domain.answers import commitment_of, hands_shown
from services.dealer.domain.guard import STEPS_MAX, answered_by, in_dealing_order
from services.dealer.domain.hand import HandRecord, Question, StepName
from services.dealer.domain.opening import OpenHand, check_open
from services.dealer.domain.proof import own_openings, proof_of, public_openings
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Street
from tests.support.dealer_hands import AT, Hand, a_command, deal, deal_profile, open_hand


def ask(
    hand: Hand, step: StepName, seats: tuple[int, ...] = (), street: Street | None = None, payload: bytes = b""
) -> Hand:
    """The hand after a question."""
    question = Question(step=step, street=street, seats=seats, payload=payload)
    return advance(hand[0], hand[1], question, AT), hand[1]


def refused(
    hand: Hand, step: StepName, seats: tuple[int, ...] = (), street: Street | None = None, payload: bytes = b""
) -> DomainError:
    """The refusal of a question."""
    with pytest.raises(DomainError) as refusal:
        ask(hand, step, seats, street, payload)
    return refusal.value


def an_entropy_hand() -> Hand:
    """A hand that waits for entropy of seats 1 and 3."""
    return open_hand(replace(a_command(3), entropy_seats=(1, 3)))


def test_a_street_dealt_early_late_or_twice_is_out_of_step() -> None:
    hand = open_hand(a_command(3))
    early = refused(hand, StepName.DEAL_STREET, (1, 2, 3), Street.FOURTH)
    assert early.reason is Reason.OUT_OF_STEP
    assert early.metadata["expected"] == "deal_street THIRD"
    hand, _ = deal(hand, 3)
    for street in (Street.THIRD, Street.FIFTH, Street.SEVENTH):
        assert refused(hand, StepName.DEAL_STREET, (1, 2, 3), street).metadata["expected"] == "deal_street FOURTH"


def test_third_street_is_for_every_seat_dealt_in() -> None:
    refusal = refused(open_hand(a_command(3)), StepName.DEAL_STREET, (1, 2), Street.THIRD)
    assert refusal.metadata["expected"] == "every seat dealt in, in dealing order: 1, 2, 3"


def test_a_seat_that_folded_gets_no_card_again() -> None:
    hand, _ = deal(open_hand(a_command(4)), 4)
    hand, _ = deal(hand, (1, 3))
    refusal = refused(hand, StepName.DEAL_STREET, (1, 2, 3), Street.FIFTH)
    assert refusal.reason is Reason.OUT_OF_STEP
    assert refusal.metadata["expected"] == "live seats among 1, 3"


def test_with_one_live_seat_no_card_is_dealt() -> None:
    hand, _ = deal(open_hand(a_command(4)), 4)
    assert "no card is dealt" in refused(hand, StepName.DEAL_STREET, (1,), Street.FOURTH).metadata["expected"]


def test_hands_are_revealed_for_ranking_only_after_the_river_and_only_live_ones() -> None:
    hand, _ = deal_profile(open_hand(a_command(4)), (4, 4, 4))
    assert refused(hand, StepName.REVEAL_FOR_RANKING, (1, 2)).metadata["expected"] == "deal_street SEVENTH"
    hand, _ = deal(hand, (1, 2))
    assert refused(hand, StepName.REVEAL_FOR_RANKING, (1, 3)).metadata["expected"] == "live seats among 1, 2"
    hand = ask(hand, StepName.REVEAL_FOR_RANKING, (1, 2))
    assert [len(each.cards) for each in hands_shown(*hand, hand[0].version - 1)] == [7, 7]


def test_what_was_revealed_for_ranking_is_not_public() -> None:
    hand, _ = deal_profile(open_hand(a_command(2)), (2, 2, 2, 2))
    hand = ask(hand, StepName.REVEAL_FOR_RANKING, (1, 2))
    assert all(each.face_up for each in public_openings(*hand))
    hand = ask(hand, StepName.OPEN_CARDS, (2,))
    down = [each.seat for each in public_openings(*hand) if not each.face_up]
    assert down == [2, 2, 2]


def test_cards_may_be_shown_from_third_street_on() -> None:
    hand = open_hand(a_command(2))
    assert refused(hand, StepName.OPEN_CARDS, (1,)).reason is Reason.OUT_OF_STEP
    hand, _ = deal(hand, 2)
    hand = ask(hand, StepName.OPEN_CARDS, (1,))
    assert len(hands_shown(*hand, hand[0].version - 1)[0].cards) == 3


def test_down_cards_dealt_after_a_hand_was_shown_stay_closed_until_shown() -> None:
    hand, _ = deal_profile(open_hand(a_command(2)), (2, 2, 2))
    hand = ask(hand, StepName.OPEN_CARDS, (1,))
    hand, _ = deal(hand, 2)
    assert sum(not each.face_up for each in public_openings(*hand)) == 2
    hand = ask(ask(hand, StepName.REVEAL_FOR_RANKING, (1,)), StepName.CLOSE_HAND)
    assert sum(not each.face_up for each in public_openings(*hand)) == 2


def test_an_answer_given_before_is_found_again_and_every_other_is_not() -> None:
    hand, _ = deal_profile(open_hand(a_command(4)), (3, 3))
    fourth = Question(step=StepName.DEAL_STREET, street=Street.FOURTH, seats=(1, 2, 3))
    assert answered_by(hand[0], fourth) == 2
    assert answered_by(hand[0], replace(fourth, seats=(1, 2, 4))) is None
    assert answered_by(hand[0], replace(fourth, street=Street.SIXTH)) is None


def test_a_closed_or_voided_hand_takes_no_step() -> None:
    hand, _ = deal(open_hand(a_command(2)), 2)
    closed = ask(hand, StepName.CLOSE_HAND)
    assert (closed[0].closed, closed[0].voided) == (True, False)
    assert "closed" in refused(closed, StepName.DEAL_STREET, (1, 2), Street.FOURTH).metadata["expected"]
    assert "closed" in refused(closed, StepName.VOID_HAND, payload=b"why").metadata["expected"]
    voided = ask(hand, StepName.VOID_HAND, payload=b"the table broke")
    assert (voided[0].voided, voided[0].void_reason) == (True, "the table broke")
    assert "voided" in refused(voided, StepName.REVEAL_FOR_RANKING, (1, 2)).metadata["expected"]


def test_a_hand_without_a_card_is_voided_and_not_closed() -> None:
    hand = open_hand(a_command(2))
    assert refused(hand, StepName.CLOSE_HAND).reason is Reason.OUT_OF_STEP
    assert ask(hand, StepName.VOID_HAND, payload=b"nobody came")[0].voided


def test_the_deck_is_fixed_by_the_last_entropy_and_nothing_is_dealt_before() -> None:
    hand = an_entropy_hand()
    assert commitment_of(hand[0]).deck_root == b""
    refusal = refused(hand, StepName.DEAL_STREET, (1, 2, 3), Street.THIRD)
    assert refusal.metadata["expected"] == "contribute_entropy or fix_deck"
    hand = ask(hand, StepName.CONTRIBUTE_ENTROPY, (1,), payload=b"one")
    assert commitment_of(hand[0]).deck_root == b""
    hand = ask(hand, StepName.CONTRIBUTE_ENTROPY, (3,), payload=b"three")
    assert len(commitment_of(hand[0]).deck_root) == 32
    assert commitment_of(hand[0], hand[0].steps[:2]).deck_root == b""


def test_entropy_changes_the_deck_and_its_order_does_not() -> None:
    roots: list[bytes] = []
    for first, second in (((1, b"a"), (3, b"b")), ((3, b"b"), (1, b"a")), ((1, b"b"), (3, b"a"))):
        hand = ask(an_entropy_hand(), StepName.CONTRIBUTE_ENTROPY, (first[0],), payload=first[1])
        hand = ask(hand, StepName.CONTRIBUTE_ENTROPY, (second[0],), payload=second[1])
        roots.append(hand[0].deck_root)
    assert roots[0] == roots[1] != roots[2]


def test_entropy_late_doubled_or_of_a_seat_not_asked_is_refused() -> None:
    hand = ask(an_entropy_hand(), StepName.CONTRIBUTE_ENTROPY, (1,), payload=b"one")
    assert "seat 1 has added" in refused(hand, StepName.CONTRIBUTE_ENTROPY, (1,), payload=b"two").metadata["expected"]
    assert refused(hand, StepName.CONTRIBUTE_ENTROPY, (2,), payload=b"x").reason is Reason.REQUEST_INVALID
    hand = ask(hand, StepName.FIX_DECK)
    assert "is fixed" in refused(hand, StepName.CONTRIBUTE_ENTROPY, (3,), payload=b"x").metadata["expected"]
    assert refused(hand, StepName.FIX_DECK).metadata["expected"] == "deal_street THIRD"


def test_the_steps_of_a_hand_are_bounded() -> None:
    hand, _ = deal(open_hand(a_command(8)), 8)
    record = replace(hand[0], steps=hand[0].steps * (STEPS_MAX // 2))
    assert "void_hand" in refused((record, hand[1]), StepName.OPEN_CARDS, (1,)).metadata["expected"]
    assert ask((record, hand[1]), StepName.VOID_HAND, payload=b"too many")[0].voided


def test_seats_are_put_in_dealing_order_and_strangers_are_refused() -> None:
    command = replace(a_command(2), seats=(5, 7, 2))
    record: HandRecord = open_hand(command)[0]
    assert in_dealing_order(record, (2, 5)) == (5, 2)
    for seats in ((5, 5), (5, 1)):
        with pytest.raises(DomainError) as refusal:
            in_dealing_order(record, seats)
        assert refusal.value.reason is Reason.REQUEST_INVALID


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"seats": (1, 1)}, "seats"),
        ({"seats": (0, 1)}, "seats"),
        ({"seats": (1, 9)}, "seats"),
        ({"seats": (1, 3, 2)}, "seats"),
        ({"entropy_seats": (4,)}, "entropy_seats"),
        ({"entropy_seats": (1, 1)}, "entropy_seats"),
    ],
)
def test_seats_that_no_hand_can_have_are_refused(changes: dict[str, tuple[int, ...]], field: str) -> None:
    command = a_command(3)
    changed = OpenHand(
        hand_id=command.hand_id,
        table_id=command.table_id,
        hand_number=1,
        seats=changes.get("seats", command.seats),
        rules=command.rules,
        entropy_seats=changes.get("entropy_seats", ()),
    )
    with pytest.raises(DomainError) as refusal:
        check_open(changed)
    assert refusal.value.metadata["field"] == field


def test_more_seats_than_the_rules_allow_are_refused() -> None:
    command = a_command(3)
    with pytest.raises(DomainError, match="at most 2"):
        check_open(replace(command, rules=replace(command.rules, seats_max=2)))


def test_a_seat_is_opened_its_own_cards_and_the_common_card_and_no_other() -> None:
    hand, _ = deal_profile(open_hand(a_command(8)), (8, 8, 8, 8))
    assert [each.seat for each in own_openings(*hand, 3)] == [3, 3, 3, 3, 3, 3, 0]


def test_the_public_record_names_every_step_and_no_hidden_card() -> None:
    hand, _ = deal_profile(open_hand(a_command(8)), (8, 8, 8, 8))
    proof = proof_of(*ask(hand, StepName.CLOSE_HAND))
    assert [step.step for step in proof.steps] == ["open_hand", *["deal_street"] * 5, "close_hand"]
    assert len(proof.openings) == 8 * 4 + 1
    assert proof.closed
    assert len(proof.reshuffle_key) == 32


def test_the_river_key_stays_closed_where_nothing_was_mixed() -> None:
    hand, _ = deal_profile(open_hand(a_command(4)), (4, 4, 4, 4))
    assert proof_of(*ask(hand, StepName.CLOSE_HAND)).reshuffle_key == b""
