"""Cards of recorded hands: what is known, what is chosen, what contradicts itself."""

from itertools import islice

import pytest

from services.console.domain.phh_file import read_hands
from services.console.domain.recorded_hand import RecordedHand
from services.console.domain.replay_cards import CardsContradictError, completions, hidden_at_showdown, known_cards
from shared.kernel.cards import FACE_DOWN, parse_cards


def record(*actions: str, winnings: str = "[20, 0]") -> RecordedHand:
    lines = ", ".join(f"'{action}'" for action in actions)
    text = (
        "variant = 'F7S'\nantes = [1, 1]\nbring_in = 2\nsmall_bet = 5\nbig_bet = 10\n"
        f"starting_stacks = [100, 100]\nwinnings = {winnings}\nactions = [{lines}]\n"
    )
    (hand,) = read_hands("x", text)
    assert isinstance(hand, RecordedHand)
    return hand


DEALT = ("d dh p1 AsAd3c", "d dh p2 ????2d", "d dh p1 Kh", "d dh p2 8c", "d dh p1 7d", "d dh p2 9h")
SIXTH_AND_RIVER = ("d dh p1 Ac", "d dh p2 Td", "d dh p1 6s", "d dh p2 ??")


def test_cards_shown_at_the_end_replace_what_was_dealt_face_down() -> None:
    hand = record(*DEALT, *SIXTH_AND_RIVER, "p2 sm 4c4d2d8c9hTd4h")

    assert known_cards(hand).by_player[2] == parse_cards("4c4d2d8c9hTd4h")


def test_down_cards_alone_may_be_shown() -> None:
    hand = record(*DEALT, *SIXTH_AND_RIVER, "p2 sm 4c4d4h")

    assert known_cards(hand).by_player[2] == parse_cards("4c4d2d8c9hTd4h")


def test_a_hand_hidden_at_the_showdown_is_to_be_chosen_and_a_folded_one_is_not() -> None:
    showdown = record(*DEALT, *SIXTH_AND_RIVER)
    folded = record(*DEALT, "p2 f")

    assert hidden_at_showdown(showdown, known_cards(showdown)) == (2,)
    assert hidden_at_showdown(folded, known_cards(folded)) == ()


def test_chosen_cards_keep_what_is_known_and_take_no_card_twice() -> None:
    hand = record(*DEALT, *SIXTH_AND_RIVER)
    known = known_cards(hand)

    for cards in islice(completions(known, 2), 500):
        assert FACE_DOWN not in cards
        assert len(set(cards)) == 7
        assert not set(cards) & set(known.by_player[1])
        assert cards[2:6] == parse_cards("2d8c9hTd")


def test_with_a_shared_card_each_player_has_six_of_his_own() -> None:
    hand = record(*DEALT, "d dh p1 Ac", "d dh p2 Td", "d db Qc")

    assert known_cards(hand).by_player[2] == (FACE_DOWN, FACE_DOWN, *parse_cards("2d8c9hTd"))


@pytest.mark.parametrize(
    ("actions", "says"),
    [
        ((*DEALT, "d dh p1 2d"), "twice"),
        ((*DEALT, "d dh p1 2c2h2s3d3h"), "seven"),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(actions: tuple[str, ...], says: str) -> None:
    hand = record(*actions)
    with pytest.raises(CardsContradictError, match=says):
        known_cards(hand)
