"""What must hold for every hand, whatever the cards; and a second opinion on the order of hands."""

from itertools import combinations, permutations

from hypothesis import given, settings
from hypothesis import strategies as st
from pokerkit import StandardHighHand

from services.evaluator.domain.hand_value import value_of
from services.evaluator.domain.strength import category_of, ranks_of, strength_of
from shared.kernel.cards import FULL_DECK, Card, cards_text, mask_of, rank_of, suit_of

Cards = tuple[Card, ...]

seven = st.lists(st.sampled_from(FULL_DECK), min_size=7, max_size=7, unique=True).map(tuple)
five_to_seven = st.lists(st.sampled_from(FULL_DECK), min_size=5, max_size=7, unique=True).map(tuple)
# Cards of few ranks and suits, so that groups, straights, flushes and ties are frequent.
_NARROW = tuple(card for card in FULL_DECK if rank_of(card) in {0, 1, 2, 3, 4, 5, 12} and suit_of(card) < 3)
narrow = st.lists(st.sampled_from(_NARROW), min_size=7, max_size=7, unique=True).map(tuple)
hands = st.one_of(seven, narrow)


def strength(cards: Cards) -> int:
    return strength_of(mask_of(cards))


@given(one=hands, other=hands)
@settings(max_examples=300, deadline=None)
def test_hands_are_ordered_as_by_another_evaluator(one: Cards, other: Cards) -> None:
    first = StandardHighHand.from_game(cards_text(one))
    second = StandardHighHand.from_game(cards_text(other))
    assert (strength(one) > strength(other)) == (first > second)
    assert (strength(one) == strength(other)) == (first == second)


@given(cards=hands)
@settings(max_examples=200, deadline=None)
def test_a_hand_is_worth_its_best_five_cards(cards: Cards) -> None:
    assert strength(cards) == max(strength(five) for five in combinations(cards, 5))


@given(cards=hands)
@settings(max_examples=300, deadline=None)
def test_the_five_cards_that_play_are_of_the_hand_and_worth_as_much(cards: Cards) -> None:
    value = value_of(cards)
    assert len(set(value.best_five)) == 5
    assert set(value.best_five) <= set(cards)
    assert strength(value.best_five) == value.strength
    assert tuple(rank_of(card) for card in value.best_five) == ranks_of(value.strength)


@given(cards=five_to_seven, suits=st.sampled_from(tuple(permutations(range(4)))))
@settings(max_examples=300, deadline=None)
def test_suits_are_equal(cards: Cards, suits: tuple[int, ...]) -> None:
    exchanged = tuple(Card(1 + 4 * rank_of(card) + suits[suit_of(card)]) for card in cards)
    assert strength(exchanged) == strength(cards)


@given(cards=seven)
@settings(max_examples=300, deadline=None)
def test_one_more_card_never_makes_a_hand_worse(cards: Cards) -> None:
    assert strength(cards[:5]) <= strength(cards[:6]) <= strength(cards)


@given(cards=five_to_seven)
@settings(max_examples=300, deadline=None)
def test_a_strength_decodes_into_its_kind_and_ranks(cards: Cards) -> None:
    number = strength(cards)
    decoded = int(category_of(number))
    for rank in ranks_of(number):
        decoded = decoded * 16 + rank
    assert decoded == number
