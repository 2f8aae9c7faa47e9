"""Who opens fourth to seventh street (rules 53, 79 to 81, 95)."""

from dataclasses import replace

import pytest

from services.evaluator.domain.boards import BoardGroup, SeatBoard, board_rank, order_boards
from shared.kernel.cards import FACE_DOWN, parse_card, parse_cards
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import CommonCardOpener, OpenerTie
from shared.kernel.rules.presets import PRESETS

RULES = PRESETS["card_room"].hand
BY_SUIT = replace(RULES, opener_tie=OpenerTie.SUIT)
WITH_COMMON = replace(RULES, common_card_opener=CommonCardOpener.UP_CARDS_AND_COMMON)

Boards = tuple[SeatBoard, ...]


def boards(cards: dict[int, str]) -> Boards:
    return tuple(SeatBoard(seat=seat, up_cards=parse_cards(text)) for seat, text in cards.items())


RIVER = boards(
    {
        1: "As Kd 9c 4h",
        2: "Qc Jd 7s 5h",
        3: "Kc Td 8s 3h",
        4: "Jc 9d 6s 2h",
        5: "Tc 8d 5s 4d",
        6: "9s 7d 6h 3c",
        7: "8c 7h 4s 2d",
        8: "6d 5c 3s 2c",
    }
)


def test_with_a_common_card_the_up_cards_alone_open_the_river() -> None:
    assert order_boards(RIVER, parse_card("Qd"), RULES).seats[0] == 1


def test_with_a_common_card_up_cards_and_common_may_open_the_river() -> None:
    order = order_boards(RIVER, parse_card("Qd"), WITH_COMMON)
    assert order.seats[:3] == (2, 1, 3)
    assert order.open_pair_seats == ()


def test_a_tie_goes_to_the_dealers_left_or_to_the_suit_of_the_highest_card() -> None:
    tied = boards({2: "Ac Kd 7h", 5: "As Kc 7d"})
    assert order_boards(tied, None, RULES).seats == (2, 5)
    assert order_boards(tied, None, BY_SUIT).seats == (5, 2)
    assert order_boards(tied, None, BY_SUIT).groups == (BoardGroup(seats=(2, 5)),)


def test_the_dealers_left_is_the_first_in_dealing_order() -> None:
    cards = {1: "Qd 7c", 2: "Ac 9d", 3: "As 9s", 4: "Kh Qh"}
    assert order_boards(boards(cards), None, RULES).seats == (2, 3, 4, 1)
    from_seat_three = {seat: cards[seat] for seat in (3, 4, 1, 2)}
    assert order_boards(boards(from_seat_three), None, RULES).seats == (3, 2, 4, 1)


def test_draws_to_a_straight_or_flush_count_for_nothing() -> None:
    cards = {1: "Kh Qh Jh", 2: "3c 3d 2s", 3: "As Td 9c"}
    assert order_boards(boards(cards), None, RULES).seats == (2, 3, 1)
    del cards[2]
    assert order_boards(boards(cards), None, RULES).seats[0] == 3


def test_five_suited_cards_in_a_row_with_the_common_card_are_still_only_high_cards() -> None:
    tied = boards({1: "2h 3h 4h 6h", 2: "2c 2d 9s 4d"})
    assert order_boards(tied, parse_card("5h"), WITH_COMMON).seats == (2, 1)


ASCENDING = (
    "9c 7d 5h 3s",
    "Ac 7d 5h 2s",
    "Ac 7d 5h 3s",
    "2c 2d 5h 3s",
    "2c 2d Ah 3s",
    "Ac Ad 5h 3s",
    "3c 3d 2h 2s",
    "Kc Kd Qh Qs",
    "2c 2d 2h 3s",
    "Ac Ad Ah 3s",
    "2c 2d 2h 2s",
)


def test_boards_rise_from_high_cards_over_pairs_and_triples_to_four_of_a_kind() -> None:
    ranks = [board_rank(parse_cards(text)) for text in ASCENDING]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)


def test_seats_that_show_a_pair_or_better_are_named_in_dealing_order() -> None:
    order = order_boards(boards({3: "9d 9c", 4: "Ah Kd", 1: "2c 2h"}), None, RULES)
    assert order.open_pair_seats == (3, 1)
    assert order.seats == (3, 1, 4)
    assert order.groups == (BoardGroup(seats=(3,)), BoardGroup(seats=(1,)), BoardGroup(seats=(4,)))


def test_a_single_card_opens_by_rank() -> None:
    assert order_boards(boards({1: "9d", 2: "Th"}), None, RULES).seats == (2, 1)


REFUSED = (
    ("boards of unequal length", boards({1: "9d 9c", 2: "Ah"}), None),
    ("a card on two boards", boards({1: "9d 9c", 2: "9d Ah"}), None),
    ("a common card that lies on a board", boards({1: "9d 9c"}), parse_card("9c")),
    ("five up cards", boards({1: "9d 9c 2d 3d 4d"}), None),
    ("a card face down", (SeatBoard(seat=1, up_cards=(FACE_DOWN,)),), None),
)


@pytest.mark.parametrize(("wrong", "common_card"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_boards_that_cannot_be_are_refused(wrong: Boards, common_card: object) -> None:
    card = common_card if common_card is None else parse_card("9c")
    with pytest.raises(DomainError) as refusal:
        order_boards(wrong, card, RULES)
    assert refusal.value.reason is Reason.CARDS_INVALID
