"""Which hand wins: the ranking of rules 117 to 122, by table."""

from math import comb

import pytest

from services.evaluator.domain.category import HandCategory
from services.evaluator.domain.hand_value import value_of
from services.evaluator.domain.strength import category_of, ranks_of, strength_of, strengths_of
from services.evaluator.domain.strength_tables import FLUSH_STRENGTHS, MULTISET_STRENGTHS
from shared.kernel.cards import RANKS, cards_text, mask_of, parse_cards

CATEGORY = HandCategory

# Cards, kind of hand, the ranks that decide.
HANDS = (
    ("Tc Jc Qc Kc Ac 2d 3d", CATEGORY.ROYAL_FLUSH, "AKQJT"),
    ("9h Th Jh Qh Kh Ac As", CATEGORY.STRAIGHT_FLUSH, "KQJT9"),
    ("As 2s 3s 4s 5s Kd Kh", CATEGORY.STRAIGHT_FLUSH, "5432A"),
    ("Ad 2d 3d 4d 5d 6d Ks", CATEGORY.STRAIGHT_FLUSH, "65432"),
    ("7c 7d 7h 7s 2c 2d 2h", CATEGORY.FOUR_OF_A_KIND, "77772"),
    ("7c 7d 7h 7s Ac 3d 2h", CATEGORY.FOUR_OF_A_KIND, "7777A"),
    ("Tc Td Th 4s 4d Kc Kh", CATEGORY.FULL_HOUSE, "TTTKK"),
    ("Jh Jd Jc 6d 6c 6s Th", CATEGORY.FULL_HOUSE, "JJJ66"),
    ("Js Jh Jd Ts Th 6c 6h", CATEGORY.FULL_HOUSE, "JJJTT"),
    ("Ah Jh 8h 6h 3h 2h 9c", CATEGORY.FLUSH, "AJ863"),
    ("9c Th Jh Qh Kh 2h 3h", CATEGORY.FLUSH, "KQJT3"),
    ("2h 4h 6h 8h Th Qh Ah", CATEGORY.FLUSH, "AQT86"),
    ("2s 3d 4h 5c 6s 9d Kh", CATEGORY.STRAIGHT, "65432"),
    ("As 2d 3h 4c 5s 9d Kc", CATEGORY.STRAIGHT, "5432A"),
    ("5c 6d 7h 8s 9c 9d 9h", CATEGORY.STRAIGHT, "98765"),
    ("8c 8d 8h Ks 5c 3d 2h", CATEGORY.THREE_OF_A_KIND, "888K5"),
    ("Ac Ad Kh Ks Qd Qc 2h", CATEGORY.TWO_PAIR, "AAKKQ"),
    ("9s 9d 5s 5d 3s 3d Ah", CATEGORY.TWO_PAIR, "9955A"),
    ("6c 6d Ah Qs 9c 3d 2h", CATEGORY.PAIR, "66AQ9"),
    ("Qc Kd Ah 2s 3c 7d 9h", CATEGORY.HIGH_CARD, "AKQ97"),
    ("2c 3d 4h 5s 7c", CATEGORY.HIGH_CARD, "75432"),
    ("2c 2d 4h 5s 7c Kd", CATEGORY.PAIR, "22K75"),
)


@pytest.mark.parametrize(("cards", "category", "ranks"), HANDS)
def test_a_hand_is_of_its_kind_and_decided_by_its_best_five(cards: str, category: HandCategory, ranks: str) -> None:
    strength = strength_of(mask_of(parse_cards(cards)))
    assert category_of(strength) is category
    assert "".join(RANKS[rank] for rank in ranks_of(strength)) == ranks
    digits = sum(RANKS.index(rank) * 16 ** (4 - place) for place, rank in enumerate(ranks))
    assert strength == category * 16**5 + digits


# Better hand, worse hand, why.
PAIRS = (
    ("Tc Td Th 4s 4d Kc Kh", "Ts Th Tc 4h 4c 4d As", "tens full of kings over tens full of fours"),
    ("Ah Jh 8h 6h 3h 2h 9c", "Ac Jc 8c 6c 2c Kd Kh", "the fifth flush card"),
    ("2s 3d 4h 5c 6s 9d Kh", "As 2d 3h 4c 5s 9d Kc", "six high over five high"),
    ("Ac Ad Kh Ks Qd Qc 2h", "Ah As Kc Kd Jd 3s 2c", "the third pair gives the kicker"),
    ("2h 3h 4h 5h 6h Kd Kc", "As 2s 3s 4s 5s Kd Kh", "six-high straight flush over five-high"),
    ("Ad 2d 3d 4d 5d Kc Ks", "2c 3h 4s 5c 6d Ac Kh", "five-high straight flush over a straight"),
    ("2c 2d 4h 6s 8c Td Jh", "Qc Kd Ah 2s 3c 7d 9h", "straights do not wrap around the ace"),
    ("Js Jh Jd Ts Th 6c 6h", "Jh Jd Jc 6d 6c 6s Th", "the better pair of a full house"),
    ("Ad 9d 7d 4d 2d Kc Qs", "9c Th Jh Qh Kh 2h 3h", "straight and flush apart are only a flush"),
    ("As Ad Ks Kd Qs Qd 2c", "Ah Ac Kh Kc Js 3d 4h", "the best remaining card is the kicker"),
)


@pytest.mark.parametrize(("better", "worse"), [row[:2] for row in PAIRS], ids=[row[2] for row in PAIRS])
def test_the_better_hand_is_stronger(better: str, worse: str) -> None:
    assert strength_of(mask_of(parse_cards(better))) > strength_of(mask_of(parse_cards(worse)))


TIES = (
    ("Ah Qh 9h 5h 3h 2h Kc", "As Qs 9s 5s 3s Kd 8c", "six suited cards, suits are equal"),
    ("9c 8s 7d 6h 5s As 2d", "9d 8c 7h 6s 5d Kh 2c", "sixth and seventh cards never count"),
    ("Ac Ad Kh Ks Qd 3c 2h", "Ah As Kc Kd Qc 9s 8c", "two pair with the same kicker"),
)


@pytest.mark.parametrize(("one", "other"), [row[:2] for row in TIES], ids=[row[2] for row in TIES])
def test_equal_best_fives_tie(one: str, other: str) -> None:
    assert strength_of(mask_of(parse_cards(one))) == strength_of(mask_of(parse_cards(other)))


BEST_FIVES = (
    ("9c 8s 7d 6h 5s As 2d", "9c8s7d6h5s"),
    ("As 2d 3h 4c 5s 9d Kc", "5s4c3h2dAs"),
    ("Ac Ad Kh Ks Qd Qc 2h", "AdAcKsKhQd"),
    ("Jh Jd Jc 6d 6c 6s Th", "JhJdJc6s6d"),
    ("5c 5d 6h 7s 8c 9d 9h", "9h8c7s6h5d"),
    ("2h 4h 6h 8h Th Qh As", "QhTh8h6h4h"),
)


@pytest.mark.parametrize(("cards", "five"), BEST_FIVES)
def test_the_cards_that_play_come_in_order_and_in_the_best_suits(cards: str, five: str) -> None:
    assert cards_text(value_of(parse_cards(cards)).best_five) == five


def test_the_tables_hold_every_rank_multiset_and_every_flush_once() -> None:
    multisets = {5: 6_175, 6: 18_395, 7: 49_205}
    counts = dict.fromkeys(multisets, 0)
    for key in MULTISET_STRENGTHS:
        counts[sum(key >> 3 * rank & 7 for rank in range(13))] += 1
    assert counts == multisets
    assert len(FLUSH_STRENGTHS) == comb(13, 5) + comb(13, 6) + comb(13, 7)


def test_there_are_7462_different_five_card_hands() -> None:
    five = {value for key, value in MULTISET_STRENGTHS.items() if sum(key >> 3 * rank & 7 for rank in range(13)) == 5}
    flushes = {value for key, value in FLUSH_STRENGTHS.items() if key.bit_count() == 5}
    assert len(five | flushes) == len(five) + len(flushes) == 7_462


# The published numbers of seven-card hands of each kind (all 133,784,560 of them).
CENSUS_OF_SEVEN = {
    CATEGORY.ROYAL_FLUSH: 4_324,
    CATEGORY.STRAIGHT_FLUSH: 41_584 - 4_324,
    CATEGORY.FOUR_OF_A_KIND: 224_848,
    CATEGORY.FULL_HOUSE: 3_473_184,
    CATEGORY.FLUSH: 4_047_644,
    CATEGORY.STRAIGHT: 6_180_020,
    CATEGORY.THREE_OF_A_KIND: 6_461_620,
    CATEGORY.TWO_PAIR: 31_433_400,
    CATEGORY.PAIR: 58_627_800,
    CATEGORY.HIGH_CARD: 23_294_460,
}


def test_the_census_of_all_seven_card_hands_is_the_published_one() -> None:
    census = dict.fromkeys(CATEGORY, 0)
    for key, strength in FLUSH_STRENGTHS.items():
        suited = key.bit_count()
        census[category_of(strength)] += 4 * comb(39, 7 - suited)
    for key, strength in MULTISET_STRENGTHS.items():
        counts = [key >> 3 * rank & 7 for rank in range(13)]
        if sum(counts) == 7:
            census[category_of(strength)] += _hands_without_a_flush(counts)
    assert census == CENSUS_OF_SEVEN
    assert sum(census.values()) == comb(52, 7)


def _hands_without_a_flush(counts: list[int]) -> int:
    """Ways to give the ranks suits so that no suit has five cards: all ways less those with a flush."""
    ways = 1
    for count in counts:
        ways *= comb(4, count)
    return ways - 4 * sum(_ways_in_suit(counts)[5:])


def _ways_in_suit(counts: list[int]) -> list[int]:
    """Ways to give the ranks suits, by the number of cards in one given suit."""
    ways = [1]
    for count in counts:
        without, within = comb(3, count), comb(3, count - 1) if count else 0
        longer = [*(way * without for way in ways), 0]
        for suited, way in enumerate(ways):
            longer[suited + 1] += way * within
        ways = longer
    return ways


def test_many_hands_are_valued_as_one_by_one() -> None:
    masks = [mask_of(parse_cards(cards)) for cards, _, _ in HANDS]
    assert strengths_of(masks) == [strength_of(mask) for mask in masks]
