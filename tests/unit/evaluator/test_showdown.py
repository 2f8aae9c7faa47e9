"""Who wins each pot, who shows first and who may muck (rules 96, 107 to 114, 120)."""

from dataclasses import replace

import pytest

from services.evaluator.domain.show_order import River
from services.evaluator.domain.showdown_hand import SeatHand
from shared.kernel.cards import FACE_DOWN, parse_cards
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import HandRules
from shared.kernel.rules.presets import PRESETS
from tests.unit.evaluator.showdowns import NO_RIVER_BET, pots_of, seat_hands, showdown, shown, winners

REGULATED = PRESETS["regulated_tournament"].hand
CARD_ROOM = PRESETS["card_room"].hand

# Seat 1 a pair of nines, seat 3 two pair, seat 4 ace high; boards 9c 8d 4s 2h, Kd Kc 5s 3h, Ac Qs 7d 6h.
UNBET = {1: "9h Jc 9c 8d 4s 2h 3c", 3: "5d 2c Kd Kc 5s 3h 7c", 4: "2d 3d Ac Qs 7d 6h Jh"}
# Seat 1 a flush, seat 3 a straight, seat 5 a pair.
THREE = {1: "2h 5h 9h Kh 3c 4d 7h", 3: "5c 6d 7c 8s 9d Kd 2s", 5: "Qs Qd 3d 8h Jc Tc 2d"}


def river(last_aggressor: int = 0, first_to_act: int = 0) -> River:
    return River(last_aggressor_seat=last_aggressor, first_to_act_seat=first_to_act)


def test_the_last_raiser_shows_first_then_clockwise() -> None:
    result = showdown(THREE, REGULATED, river=river(last_aggressor=5, first_to_act=3))
    assert shown(result) == [(5, True), (1, True), (3, False)]


def test_without_a_wager_on_the_river_the_best_board_shows_first() -> None:
    result = showdown(UNBET, REGULATED, river=river(first_to_act=3))
    assert [seat for seat, _ in shown(result)] == [3, 4, 1]
    assert winners(result) == [(3,)]


def test_the_best_board_must_show_even_when_it_loses() -> None:
    beaten = {1: "9h Jc 9c 8d 4s 2h 3c", 3: "5d 2c Kd Kc 6s 3h 7c", 4: "Ah Ad Ac Qs 7d 6h Jh"}
    assert shown(showdown(beaten, REGULATED)) == [(3, True), (4, True), (1, False)]


def test_in_the_card_room_who_acted_first_shows_first_and_may_muck_having_checked() -> None:
    result = showdown(UNBET, CARD_ROOM, river=river(first_to_act=4))
    assert shown(result) == [(4, False), (1, False), (3, True)]


def test_where_the_first_to_act_folded_a_free_check_the_next_one_still_live_shows_first() -> None:
    assert [seat for seat, _ in shown(showdown(UNBET, CARD_ROOM, river=river(first_to_act=2)))] == [3, 4, 1]
    assert [seat for seat, _ in shown(showdown(UNBET, CARD_ROOM, river=river(first_to_act=8)))] == [1, 3, 4]


def test_where_nobody_could_act_on_the_river_the_best_board_shows_first() -> None:
    assert [seat for seat, _ in shown(showdown(UNBET, CARD_ROOM, river=NO_RIVER_BET))] == [3, 4, 1]


def test_a_beaten_caller_may_muck_and_the_beaten_raiser_must_show() -> None:
    cards = {1: UNBET[1], 2: UNBET[3]}
    assert shown(showdown(cards, CARD_ROOM, river=river(last_aggressor=2))) == [(2, True), (1, False)]
    turned = {1: UNBET[3], 2: UNBET[1]}
    assert shown(showdown(turned, CARD_ROOM, river=river(last_aggressor=2))) == [(2, True), (1, True)]


def test_options_let_the_first_muck_or_make_everybody_show() -> None:
    lenient = replace(REGULATED, first_to_show_may_muck=True)
    strict = replace(REGULATED, losers_may_muck=False)
    cards = {1: UNBET[3], 2: UNBET[1]}
    assert shown(showdown(cards, lenient, river=river(last_aggressor=2))) == [(2, False), (1, True)]
    assert shown(showdown(cards, strict, river=river(last_aggressor=2))) == [(2, True), (1, True)]


def test_each_pot_is_compared_among_those_who_can_win_it() -> None:
    result = showdown(THREE, REGULATED, (1, 3, 5), (3, 5))
    assert winners(result) == [(1,), (3,)]
    assert [pot.pot_index for pot in result.winners] == [0, 1]


def test_a_pot_with_one_eligible_seat_is_paid_without_showing() -> None:
    result = showdown(THREE, CARD_ROOM, (1, 3, 5), (5,), river=river(first_to_act=1))
    assert winners(result) == [(1,), (5,)]
    assert dict(shown(result)) == {1: True, 3: False, 5: False}


def test_hands_that_tie_share_the_pot_and_all_of_them_show() -> None:
    tie = {1: "9c 8s 7d 6h 5s As 2d", 2: "9d 8c 7h 6s 5d Kh 2c"}
    result = showdown(tie, CARD_ROOM, river=river(first_to_act=1))
    assert winners(result) == [(1, 2)]
    assert shown(result) == [(1, True), (2, True)]


def test_two_players_may_tie_through_the_common_card() -> None:
    cards = {1: "Kh Qd Js Tc 4d 3s", 2: "Ks Qc Jd Td 5h 2h"}
    result = showdown(cards, REGULATED, common="Ac")
    assert winners(result) == [(2, 1)]
    assert {value.value.description_en for value in result.values} == {"straight, ace high"}


def test_every_hand_is_valued_in_dealing_order() -> None:
    result = showdown(THREE, REGULATED)
    assert [(each.seat, each.value.description_en) for each in result.values] == [
        (1, "flush, king, nine, seven, five, two"),
        (3, "straight, nine high"),
        (5, "pair of queens with jack, ten, eight"),
    ]


CARDS_REFUSED = (
    ("six cards without a common card", {1: "Kh Qd Js Tc 4d 3s"}, ""),
    ("seven cards with a common card", {1: "Kh Qd Js Tc 4d 3s 2h"}, "Ac"),
    ("a card in two hands", {1: UNBET[1], 2: UNBET[3].replace("2c", "9h")}, ""),
    ("a common card that a hand holds", {1: "Kh Qd Js Tc 4d 3s"}, "Kh"),
    ("a card twice in a hand", {1: "9h 9h 9c 8d 4s 2h 3c"}, ""),
)


@pytest.mark.parametrize(("cards", "common"), [row[1:] for row in CARDS_REFUSED], ids=[row[0] for row in CARDS_REFUSED])
def test_cards_that_cannot_lie_on_one_table_are_refused(cards: dict[int, str], common: str) -> None:
    with pytest.raises(DomainError) as refusal:
        showdown(cards, REGULATED, common=common)
    assert refusal.value.reason is Reason.CARDS_INVALID
    assert refusal.value.metadata["expected"]


def test_cards_face_down_and_up_cards_of_another_hand_are_refused() -> None:
    from services.evaluator.domain.showdown_hand import check_hands

    seven = parse_cards(UNBET[1])
    hidden = SeatHand(seat=1, cards=(*seven[:6], FACE_DOWN), up_cards=seven[2:6])
    foreign = SeatHand(seat=1, cards=seven, up_cards=parse_cards("As Ks Qs Js"))
    for hand in (hidden, foreign):
        with pytest.raises(DomainError) as refusal:
            check_hands([hand], None)
        assert refusal.value.reason is Reason.CARDS_INVALID


SEATS_REFUSED: tuple[tuple[str, tuple[tuple[int, ...], ...], River], ...] = (
    ("a pot for a seat that is not there", ((1, 2),), NO_RIVER_BET),
    ("a seat twice in a pot", ((1, 1),), NO_RIVER_BET),
    ("a last aggressor that is not there", ((1, 3),), river(last_aggressor=2)),
)


@pytest.mark.parametrize(
    ("eligible", "betting"), [row[1:] for row in SEATS_REFUSED], ids=[row[0] for row in SEATS_REFUSED]
)
def test_seats_that_make_no_sense_are_refused(eligible: tuple[tuple[int, ...], ...], betting: River) -> None:
    with pytest.raises(DomainError) as refusal:
        showdown(UNBET, REGULATED, *eligible, river=betting)
    assert refusal.value.reason is Reason.REQUEST_INVALID


def test_a_pot_is_named_once() -> None:
    from services.evaluator.domain.showdown import rank_showdown

    with pytest.raises(DomainError) as refusal:
        rank_showdown(seat_hands(UNBET), None, pots_of((1, 3)) * 2, NO_RIVER_BET, REGULATED)
    assert refusal.value.reason is Reason.REQUEST_INVALID


@pytest.mark.parametrize("rules", [REGULATED, CARD_ROOM])
def test_a_lone_hand_wins_without_having_to_show(rules: HandRules) -> None:
    result = showdown({4: UNBET[4]}, replace(rules, first_to_show_may_muck=True))
    assert winners(result) == [(4,)]
    assert shown(result) == [(4, False)]
