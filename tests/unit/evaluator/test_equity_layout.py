"""What is dealt to answer an equity question: seven cards for each hand, or six and one for all."""

from functools import reduce
from operator import and_, or_
from random import Random

import pytest

from services.evaluator.domain.equity_deals import all_deals, drawn_deals
from services.evaluator.domain.equity_question import EquityHand, Layout, lay_out
from services.evaluator.domain.equity_tally import WHOLE_POT, Tally, count_deals, no_deals
from shared.kernel.cards import FACE_DOWN, FULL_DECK, Card, mask_of, parse_cards
from shared.kernel.errors import DomainError, Reason


def unknown(count: int, dead: int = 0) -> Layout:
    return lay_out([EquityHand(cards=())] * count, FULL_DECK[:dead])


def refused(hands: list[EquityHand], dead: tuple[Card, ...] = ()) -> DomainError:
    with pytest.raises(DomainError) as refusal:
        lay_out(hands, dead)
    assert refusal.value.reason is Reason.CARDS_INVALID
    return refusal.value


def test_eight_unknown_hands_share_one_card_and_have_six_of_their_own() -> None:
    deals = drawn_deals(unknown(8), Random(1).random)
    for _ in range(20):
        deal = next(deals)
        assert [hand.bit_count() for hand in deal] == [7] * 8
        assert reduce(and_, deal).bit_count() == 1
        assert reduce(or_, deal).bit_count() == 49


def test_seven_unknown_hands_have_seven_cards_of_their_own() -> None:
    deal = next(drawn_deals(unknown(7), Random(1).random))
    assert [hand.bit_count() for hand in deal] == [7] * 7
    assert reduce(or_, deal).bit_count() == 49


@pytest.mark.parametrize(("draw", "place"), [(0.0, 0), (0.5, 23), (0.999, 45)])
def test_a_draw_is_a_place_in_the_deck(draw: float, place: int) -> None:
    layout = lay_out([EquityHand(cards=FULL_DECK[:6])], ())
    assert len(layout.deck) == 46
    assert next(drawn_deals(layout, lambda: draw)) == [mask_of(FULL_DECK[:6]) | layout.deck[place]]


def test_a_card_that_lies_in_a_full_hand_leaves_no_room_for_one_for_all() -> None:
    full = [EquityHand(cards=FULL_DECK[at : at + 7]) for at in range(0, 49, 7)]
    refused([*full, EquityHand(cards=())])


@pytest.mark.parametrize(("dead", "common"), [(38, False), (39, True)])
def test_the_last_card_may_be_the_one_for_all(dead: int, *, common: bool) -> None:
    assert unknown(2, dead).common is common


def test_without_a_card_for_all_the_question_is_refused() -> None:
    assert "12 cards left" in refused([EquityHand(cards=())] * 2, FULL_DECK[:40]).message


def test_a_hand_of_eight_cards_is_refused() -> None:
    assert refused([EquityHand(cards=FULL_DECK[:8])]).violations[0].field == "hands[0].cards"


def test_the_card_for_all_is_the_last_one_drawn() -> None:
    layout = unknown(8)
    assert reduce(and_, next(drawn_deals(layout, lambda: 0.0))) == layout.deck[48]


def test_each_card_left_may_be_the_one_for_all() -> None:
    layout = lay_out([EquityHand(cards=FULL_DECK[at : at + 6]) for at in range(0, 48, 6)], ())
    assert (layout.deals_count, len(list(all_deals(layout)))) == (4, 4)


def test_a_card_that_lies_down_is_no_card_of_a_question() -> None:
    refused([EquityHand(cards=(FACE_DOWN,)), EquityHand(cards=())])


STRONG, WEAK = mask_of(parse_cards("As Ks Qs Js Ts 2c 3d")), mask_of(parse_cards("Ac Kd 9h 7s 5d 4c 2h"))


def test_every_deal_is_counted_won_or_tied() -> None:
    tally = count_deals([[STRONG, WEAK], [STRONG, STRONG], [WEAK, STRONG], [STRONG, WEAK]], 2)
    assert (tally.deals, tally.wins, tally.ties) == (4, (2, 1), (1, 1))
    assert tally.parts == (2 * WHOLE_POT + WHOLE_POT // 2, WHOLE_POT + WHOLE_POT // 2)
    assert tally.squares == (9 * WHOLE_POT**2 // 4, 5 * WHOLE_POT**2 // 4)


def test_nothing_played_out_is_nothing_counted() -> None:
    assert count_deals([], 3) == no_deals(3)


def sampled(won: int) -> Tally:
    """Sixteen deals, so many of them won by the first hand alone."""
    return count_deals([[STRONG, WEAK]] * won + [[WEAK, STRONG]] * (16 - won), 2)


def test_the_error_of_a_share_is_its_spread_over_the_root_of_the_deals() -> None:
    assert [each.error_millionths for each in sampled(8).equities(exact=False)] == [125_000, 125_000]


def test_a_sample_without_spread_may_be_wrong_by_one_deal() -> None:
    assert [each.error_millionths for each in sampled(16).equities(exact=False)] == [62_500, 62_500]


def test_an_exact_share_has_no_error() -> None:
    assert [each.error_millionths for each in sampled(8).equities(exact=True)] == [0, 0]
