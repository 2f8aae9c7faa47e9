"""What hands are called in English and Italian."""

import pytest

from services.evaluator.domain.hand_value import value_of
from shared.kernel.cards import parse_cards

WORDS = (
    ("Tc Jc Qc Kc Ac 2d 3d", "royal flush", "scala reale"),
    ("9h Th Jh Qh Kh Ac As", "straight flush, king high", "scala di colore al re"),
    ("As 2s 3s 4s 5s Kd Kh", "straight flush, five high", "scala di colore al cinque"),
    ("6c 6d 6h 6s Ac 3d 2h", "four of a kind, sixes with ace", "poker di sei con asso"),
    ("Tc Td Th 4s 4d Kc Kh", "full house, tens full of kings", "full di dieci ai re"),
    ("Kc Kd Kh As Ad 4c 2h", "full house, kings full of aces", "full di re agli assi"),
    ("Kc Kd Kh Qs Qd 4c 2h", "full house, kings full of queens", "full di re alle donne"),
    ("Jc Jd Jh 8s 8d 4c 2h", "full house, jacks full of eights", "full di fanti agli otto"),
    ("Ah Jh 8h 6h 3h 2h 9c", "flush, ace, jack, eight, six, three", "colore, asso, fante, otto, sei, tre"),
    ("Ts 9d 8c 7h 6s Kc 2d", "straight, ten high", "scala al dieci"),
    ("4s 5d 6c 7h 8s Kc 2d", "straight, eight high", "scala all'otto"),
    ("Qs Jd Tc 9h 8s 2c 2d", "straight, queen high", "scala alla donna"),
    ("As Kd Qc Jh Ts 2c 2d", "straight, ace high", "scala all'asso"),
    ("8c 8d 8h Ks 5c 3d 2h", "three of a kind, eights with king, five", "tris di otto con re, cinque"),
    ("Ac Ad Kh Ks Qd Qc 2h", "two pair, aces and kings with queen", "doppia coppia di assi e re con donna"),
    ("Qh Qd Ah 8s 9c 3d 2h", "pair of queens with ace, nine, eight", "coppia di donne con asso, nove, otto"),
    ("Qc Kd Ah 2s 3c 7d 9h", "high card, ace, king, queen, nine, seven", "carta alta, asso, re, donna, nove, sette"),
)


@pytest.mark.parametrize(("cards", "english", "italian"), WORDS)
def test_a_hand_has_its_name_in_both_languages(cards: str, english: str, italian: str) -> None:
    value = value_of(parse_cards(cards))
    assert value.description_en == english
    assert value.description_it == italian
