"""Dealing street by street: the order of the cards, burns, and what is left (rules 5-7, 84-86)."""

from dataclasses import replace

import pytest

from services.dealer.domain.commitment import fix_deck
from services.dealer.domain.hand import CardSource
from services.dealer.domain.rules import dealing_rules
from services.dealer.domain.streets import Dealing, Given, plan_deal, undealt
from shared.kernel.game import Street
from shared.kernel.rules.hand_options import BurnStreets
from shared.kernel.rules.presets import PRESETS
from tests.support.dealer_hands import a_command, deal, deal_profile, open_hand

ROOM = dealing_rules(PRESETS["card_room"].hand)


def test_third_street_goes_round_one_card_at_a_time_down_down_up() -> None:
    dealt = plan_deal(undealt((3, 5, 1)), Street.THIRD, (3, 5, 1), ROOM, b"")
    seats = [(each.position, each.seat, each.face_up) for each in dealt.given]
    assert seats == [
        *((0, 3, False), (1, 5, False), (2, 1, False)),
        *((3, 3, False), (4, 5, False), (5, 1, False)),
        *((6, 3, True), (7, 5, True), (8, 1, True)),
    ]
    assert dealt.burned == ()


def test_fourth_street_burns_one_and_deals_one_up_card_to_each_live_seat() -> None:
    dealing = Dealing(tuple(range(9, 52)), (), (), (3, 5, 1), Street.THIRD)
    dealt = plan_deal(dealing, Street.FOURTH, (3, 1), ROOM, b"")
    assert dealt.burned == (9,)
    assert dealt.given == (Given(10, 3, Street.FOURTH, face_up=True), Given(11, 1, Street.FOURTH, face_up=True))


def test_without_burns_the_next_card_is_dealt() -> None:
    rules = replace(ROOM, burn_streets=BurnStreets.NONE)
    dealing = Dealing(tuple(range(9, 52)), (), (), (3, 5, 1), Street.THIRD)
    assert plan_deal(dealing, Street.FIFTH, (3, 5, 1), rules, b"").positions == (9, 10, 11)


def test_the_seventh_card_is_dealt_down() -> None:
    _, streets = deal_profile(open_hand(a_command(3)), (3, 3, 3))
    assert [len(each.up_cards) for each in streets[-1].dealt] == [1, 1, 1]
    hand, _ = deal_profile(open_hand(a_command(3)), (3, 3, 3, 2))
    assert hand[0].steps[-1].street is Street.SEVENTH
    _, streets = deal_profile(open_hand(a_command(3)), (3, 3, 3, 2))
    assert [(len(each.down_cards), len(each.up_cards)) for each in streets[-1].dealt] == [(1, 0), (1, 0)]


def test_every_seat_that_stays_has_three_down_and_four_up_cards() -> None:
    _, streets = deal_profile(open_hand(a_command(6)), (6, 6, 6, 6))
    for seat in range(6):
        own = [street.dealt[seat] for street in streets]
        assert sum(len(each.down_cards) for each in own) == 3
        assert sum(len(each.up_cards) for each in own) == 4


def test_the_stub_is_counted_down_without_the_burned_cards() -> None:
    _, streets = deal_profile(open_hand(a_command(8)), (8, 7, 6, 4))
    assert [(each.burned_count, each.stub_count) for each in streets] == [(0, 28), (1, 19), (1, 11), (1, 4), (0, 0)]


def test_a_deck_that_was_dealt_begins_with_the_cards_of_the_committed_order() -> None:
    record, secrets = open_hand(a_command(2))
    deck = fix_deck(record.terms, secrets.seed, ())
    _, dealt = deal((record, secrets), 2)
    assert [each.down_cards for each in dealt.dealt] == [(deck.cards[0], deck.cards[2]), (deck.cards[1], deck.cards[3])]
    assert [each.up_cards for each in dealt.dealt] == [(deck.cards[4],), (deck.cards[5],)]


@pytest.mark.parametrize(
    ("preset", "source", "burned", "stub"),
    [
        ("card_room", CardSource.COMMON_FROM_BURNS, 0, 1),
        ("regulated_tournament", CardSource.COMMON_FROM_BURNS, 0, 1),
        ("classic", CardSource.COMMON_FROM_STUB, 0, 0),
    ],
)
def test_eight_to_the_river_share_one_card_that_nobody_had(
    preset: str, source: CardSource, burned: int, stub: int
) -> None:
    _, streets = deal_profile(open_hand(a_command(8, preset)), (8, 8, 8, 8))
    river = streets[-1]
    own = {card for street in streets for seat in street.dealt for card in (*seat.down_cards, *seat.up_cards)}
    assert len(own) == 48
    assert river.dealt == ()
    assert river.common_card not in own
    assert (river.source, river.burned_count, river.stub_count) == (source, burned, stub)


def test_seven_of_eight_get_the_seven_cards_of_stub_and_burns_and_never_a_folded_one() -> None:
    hand, streets = deal_profile(open_hand(a_command(8)), (7, 7, 7, 7))
    river = streets[-1]
    assert (river.source, river.stub_count) == (CardSource.RESHUFFLED_STUB_AND_BURNS, 0)
    burns = {position for step in hand[0].steps[1:-1] for position in step.positions[:1] if step.street != Street.THIRD}
    assert burns <= set(hand[0].steps[-1].positions)
    used_before = {position for step in hand[0].steps[1:-1] for position in step.positions} - burns
    assert used_before.isdisjoint(hand[0].steps[-1].positions)
