"""Seats come back in dealing order, which is not the order of their numbers; seats and cards that cannot be do not."""

from dataclasses import replace

import pytest

from services.evaluator.domain.boards import BoardGroup, SeatBoard, order_boards
from services.evaluator.domain.bring_in import SeatDoorCard, order_bring_in
from services.evaluator.domain.showdown_hand import SeatHand, check_hands
from shared.kernel.cards import FACE_DOWN, parse_card, parse_cards
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import OpenerTie, SuitOrder
from shared.kernel.rules.presets import PRESETS


def test_tied_boards_are_grouped_in_dealing_order() -> None:
    rules = replace(PRESETS["card_room"].hand, opener_tie=OpenerTie.SUIT)
    boards = [
        SeatBoard(seat=7, up_cards=parse_cards("Ac Kd")),
        SeatBoard(seat=2, up_cards=parse_cards("As Kc")),
        SeatBoard(seat=5, up_cards=parse_cards("Qs Qc")),
    ]
    order = order_boards(boards, None, rules)
    assert order.seats == (5, 2, 7)
    assert order.groups == (BoardGroup(seats=(5,)), BoardGroup(seats=(7, 2)))


def test_no_boards_have_no_order() -> None:
    order = order_boards([], None, PRESETS["card_room"].hand)
    assert (order.seats, order.groups, order.open_pair_seats) == ((), (), ())


def test_a_seat_with_two_boards_is_refused() -> None:
    boards = [SeatBoard(seat=1, up_cards=parse_cards("Ac Kd")), SeatBoard(seat=1, up_cards=parse_cards("As Kc"))]
    with pytest.raises(DomainError) as refused:
        order_boards(boards, None, PRESETS["card_room"].hand)
    assert refused.value.metadata == {"field": "boards"}


def test_a_door_card_that_lies_down_is_refused() -> None:
    doors = [SeatDoorCard(seat=1, card=FACE_DOWN), SeatDoorCard(seat=2, card=parse_card("2c"))]
    with pytest.raises(DomainError) as refused:
        order_bring_in(doors, PRESETS["card_room"].hand)
    assert refused.value.reason is Reason.CARDS_INVALID


def test_a_wrong_number_of_cards_is_answered_with_the_right_one() -> None:
    boards = [SeatBoard(seat=1, up_cards=parse_cards("Ac Kd")), SeatBoard(seat=2, up_cards=parse_cards("As"))]
    with pytest.raises(DomainError) as refused:
        order_boards(boards, None, PRESETS["card_room"].hand)
    assert refused.value.metadata == {"expected": "2 cards, not 1"}
    with pytest.raises(DomainError) as refused:
        order_boards([SeatBoard(seat=1, up_cards=())], None, PRESETS["card_room"].hand)
    assert refused.value.metadata == {"expected": "1 to 4 cards, not 0"}


ONE = SeatHand(seat=1, cards=parse_cards("As Kd 9c 4h 2s 7d Th"), up_cards=parse_cards("9c 4h 2s 7d"))
OTHER = SeatHand(seat=2, cards=parse_cards("Ac Kh 9d 4c 2d 7h Td"), up_cards=parse_cards("9d 4c 2d 7h"))


def test_two_hands_that_can_be_are_not_refused() -> None:
    check_hands([ONE, OTHER], None)


def test_a_seat_with_two_hands_is_refused() -> None:
    with pytest.raises(DomainError) as refused:
        check_hands([ONE, replace(OTHER, seat=1)], None)
    assert refused.value.metadata == {"field": "hands"}


@pytest.mark.parametrize("up_cards", ["9d 4c 2d", "9d 4c 2d 2d"], ids=["three up cards", "one of them twice"])
def test_up_cards_that_cannot_be_are_refused(up_cards: str) -> None:
    with pytest.raises(DomainError) as refused:
        check_hands([ONE, replace(OTHER, up_cards=parse_cards(up_cards))], None)
    assert refused.value.reason is Reason.CARDS_INVALID
    assert refused.value.violations[0].field == "hands[1].up_cards"


def test_a_board_of_five_up_cards_is_refused() -> None:
    with pytest.raises(DomainError) as refused:
        order_boards([SeatBoard(seat=1, up_cards=parse_cards("Ac Kd 9h 7s 5d"))], None, PRESETS["card_room"].hand)
    assert refused.value.metadata == {"expected": "1 to 4 cards, not 5"}


@pytest.mark.parametrize(
    ("suits", "seats"), [(SuitOrder.CDHS, (4, 3, 2, 1)), (SuitOrder.SHDC, (1, 2, 3, 4))], ids=["clubs", "spades"]
)
def test_every_suit_has_its_place_among_equal_door_cards(suits: SuitOrder, seats: tuple[int, ...]) -> None:
    rules = replace(PRESETS["card_room"].hand, bring_in_suits=suits)
    doors = [SeatDoorCard(seat=seat, card=card) for seat, card in enumerate(parse_cards("2s 2h 2d 2c"), start=1)]
    assert order_bring_in(doors, rules) == seats
