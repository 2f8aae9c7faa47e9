"""In which order tied winners get the chips that cannot be split (rules 123 to 127)."""

from dataclasses import replace

import pytest

from shared.kernel.rules import OddChip
from shared.kernel.rules.presets import PRESETS
from tests.unit.evaluator.showdowns import showdown, winners

RULES = PRESETS["regulated_tournament"].hand
FIVE, SEVEN, POSITION = OddChip.FIVE_CARD_SUIT, OddChip.SEVEN_CARD_SUIT, OddChip.POSITION

TWO_WAYS = {1: "Ts 9d 8c 7h 6s Kc 2d", 2: "Th 9c 8d 7s 6d Ad 3c"}
THREE_WAYS = {**TWO_WAYS, 3: "Tc 9s 8h 7c 6c 2c 3h"}
NINE_HIGH = {1: "9c 8s 7d 6h 5s As 2d", 2: "9d 8c 7h 6s 5d Kh 2c"}
BROADWAY = {2: "As Kd Qh Jc Td 3c 2h", 3: "Ah Kc Qs Jd Th 4c 2d", 5: "Ad Ks Qc Jh Tc 4d 3h"}
SHARED_ACE = {1: "Kh Qd Js Tc 4d 3s", 2: "Ks Qc Jd Td 5h 2h"}
WHEELS = {1: "5s 4d 3c 2h Ad 9c 9d", 2: "5d 4c 3h 2s Ah Kc Qd"}
KICKERS = {1: "Ac Ah Kh Kd 5h 5s 3h", 2: "Ad As Kc Ks 5d 2c 3s"}

CASES = (
    ("ten of spades over ten of hearts", TWO_WAYS, FIVE, "", (1, 2)),
    ("ace of diamonds among all seven", TWO_WAYS, SEVEN, "", (2, 1)),
    ("three ways", THREE_WAYS, FIVE, "", (1, 2, 3)),
    ("nine of diamonds over nine of clubs", NINE_HIGH, FIVE, "", (2, 1)),
    ("ace of spades over king of hearts", NINE_HIGH, SEVEN, "", (1, 2)),
    ("the seat next to the dealer's left", NINE_HIGH, POSITION, "", (1, 2)),
    ("spades, then hearts", BROADWAY, FIVE, "", (2, 3, 5)),
    ("spades, then hearts of all seven", BROADWAY, SEVEN, "", (2, 3, 5)),
    ("the shared ace decides nothing, the next card does", SHARED_ACE, FIVE, "Ac", (2, 1)),
    ("the shared ace decides nothing among seven either", SHARED_ACE, SEVEN, "Ac", (2, 1)),
    ("the ace counts high also in five high", WHEELS, FIVE, "", (2, 1)),
    ("two pair by the best ace", KICKERS, FIVE, "", (2, 1)),
)


@pytest.mark.parametrize(
    ("cards", "odd_chip", "common", "order"), [row[1:] for row in CASES], ids=[row[0] for row in CASES]
)
def test_odd_chips_go_in_the_order_of(
    cards: dict[int, str], odd_chip: OddChip, common: str, order: tuple[int, ...]
) -> None:
    assert winners(showdown(cards, replace(RULES, odd_chip=odd_chip), common=common)) == [order]


def test_position_is_counted_in_dealing_order() -> None:
    from_seat_two = {2: NINE_HIGH[2], 1: NINE_HIGH[1]}
    assert winners(showdown(from_seat_two, replace(RULES, odd_chip=POSITION))) == [(2, 1)]
