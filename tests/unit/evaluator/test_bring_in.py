"""Who owes the bring-in (rules 23 to 27)."""

from dataclasses import replace

import pytest

from services.evaluator.domain.bring_in import SeatDoorCard, order_bring_in
from shared.kernel.cards import parse_card
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Structure
from shared.kernel.rules import BringInBy, HandRules, HighDoorTie, SuitOrder
from shared.kernel.rules.presets import PRESETS

REGULATED = PRESETS["regulated_tournament"].hand
CARD_ROOM = PRESETS["card_room"].hand
CLASSIC = PRESETS["classic"].hand
POT_LIMIT = replace(CLASSIC, structure=Structure.POT_LIMIT)
HIGH = replace(CLASSIC, bring_in_by=BringInBy.HIGH)

CASES = (
    ("a tie of deuces goes to clubs", REGULATED, "2h 2c 2s 2d", (2, 4, 1, 3)),
    (
        "spades pay first in the other reading",
        replace(REGULATED, bring_in_suits=SuitOrder.SHDC),
        "2h 2c 2s 2d",
        (3, 1, 4, 2),
    ),
    (
        "a suit decides, not who was dealt first",
        replace(REGULATED, bring_in_suits=SuitOrder.SHDC),
        "2c 2d 2h 2s",
        (4, 3, 2, 1),
    ),
    ("the lowest door card by suit, the ace is high", CARD_ROOM, "3h 2s 2d 2h Ac", (3, 4, 2, 1, 5)),
    ("declined, it goes to the next lowest card, not to the left", REGULATED, "5d 2c Ks 3h", (2, 4, 1, 3)),
    ("the same with the king first", REGULATED, "5d 2c 3h Ks", (2, 3, 1, 4)),
    ("the lowest in the classic limit game", CLASSIC, "Ks Kh 7c 2d", (4, 3, 2, 1)),
    ("the highest in the classic pot-limit game", POT_LIMIT, "Ks Kh 7c 2d", (1, 2, 3, 4)),
    ("the highest by suit", HIGH, "Kh 7c Ks 2d", (3, 1, 2, 4)),
    ("the highest by position", replace(HIGH, high_door_tie=HighDoorTie.POSITION), "Kh 7c Ks 2d", (1, 3, 2, 4)),
    ("the highest where clubs are", replace(HIGH, bring_in_suits=SuitOrder.SHDC), "Ks 7c Kh 2d", (3, 1, 2, 4)),
)


def doors(cards: str, first_seat: int = 1) -> tuple[SeatDoorCard, ...]:
    return tuple(
        SeatDoorCard(seat=seat, card=parse_card(text)) for seat, text in enumerate(cards.split(), start=first_seat)
    )


@pytest.mark.parametrize(("rules", "cards", "seats"), [row[1:] for row in CASES], ids=[row[0] for row in CASES])
def test_the_bring_in_is_owed_by(rules: HandRules, cards: str, seats: tuple[int, ...]) -> None:
    assert order_bring_in(doors(cards), rules) == seats


def test_position_is_counted_in_dealing_order_not_by_seat_number() -> None:
    rules = replace(HIGH, high_door_tie=HighDoorTie.POSITION)
    assert order_bring_in((*doors("Kh", 7), *doors("Ks", 2)), rules) == (7, 2)


def test_one_card_cannot_lie_at_two_seats() -> None:
    with pytest.raises(DomainError) as refusal:
        order_bring_in(doors("2h 2h"), REGULATED)
    assert refusal.value.reason is Reason.CARDS_INVALID


def test_one_seat_has_one_door_card() -> None:
    with pytest.raises(DomainError) as refusal:
        order_bring_in((*doors("2h"), *doors("3h")), REGULATED)
    assert refusal.value.reason is Reason.REQUEST_INVALID
