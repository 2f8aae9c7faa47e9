"""Hands that cannot be are refused, and the refusal never repeats the cards."""

import pytest

from services.evaluator.domain.card_checks import check_hand, check_hand_masks
from shared.kernel.cards import FACE_DOWN, Card, parse_cards
from shared.kernel.errors import DomainError, Reason

SEVEN = parse_cards("As Kd 9c 4h 2s 7d Th")

WRONG = (
    ("four cards", SEVEN[:4]),
    ("eight cards", (*SEVEN, *parse_cards("3c"))),
    ("a card twice", (*SEVEN[:6], SEVEN[0])),
    ("a card face down", (*SEVEN[:6], FACE_DOWN)),
    ("a number that is no card", (*SEVEN[:6], Card(0))),
)


@pytest.mark.parametrize("cards", [row[1] for row in WRONG], ids=[row[0] for row in WRONG])
def test_a_hand_that_cannot_be_is_refused(cards: tuple[Card, ...]) -> None:
    with pytest.raises(DomainError) as refusal:
        check_hand(cards, "cards")
    assert refusal.value.reason is Reason.CARDS_INVALID
    assert refusal.value.metadata["expected"]
    assert "As" not in refusal.value.message


@pytest.mark.parametrize("count", [5, 6, 7])
def test_five_to_seven_different_cards_are_a_hand(count: int) -> None:
    check_hand(SEVEN[:count], "cards")


@pytest.mark.parametrize("mask", [0, 0b1111, 0xFF, 0x1F << 48, 1 << 63 | 0x1F])
def test_a_mask_that_is_no_hand_is_refused_by_its_place_in_the_batch(mask: int) -> None:
    with pytest.raises(DomainError) as refusal:
        check_hand_masks([0x1F, mask], "masks", first=4_000)
    assert refusal.value.reason is Reason.CARDS_INVALID
    assert refusal.value.violations[0].field == "masks[4001]"


def test_the_first_hand_of_a_batch_has_place_0() -> None:
    with pytest.raises(DomainError) as refusal:
        check_hand_masks([0], "masks")
    assert refusal.value.violations[0].field == "masks[0]"
