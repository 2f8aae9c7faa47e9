"""Seats come back in dealing order, which is not the order of their numbers."""

from dataclasses import replace

from services.evaluator.domain.boards import BoardGroup, SeatBoard, order_boards
from shared.kernel.cards import parse_cards
from shared.kernel.rules import OpenerTie
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
