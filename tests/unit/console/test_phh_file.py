"""Records of hands played elsewhere: what is read, and what a broken record is told."""

import time
from dataclasses import replace
from pathlib import Path

import pytest

from services.console.domain.phh_file import read_hands
from services.console.domain.phh_sections import HAND_CHARACTERS_MAX
from services.console.domain.recorded_hand import RecordedHand, RecordedKind, RecordError
from shared.kernel.cards import FACE_DOWN, parse_cards
from shared.kernel.game import Structure

HANDS = Path(__file__).parents[2] / "replay" / "hands"

TWO_PLAYERS = """variant = 'F7S'
antes = [1, 1]
bring_in = 2
small_bet = 5
big_bet = 10
starting_stacks = [100, 100]
actions = [
  'd dh p1 ????Ah',
  'd dh p2 5dQs7s',
  'p2 pb # timeout',
  '# a remark on its own',
  'p1 cbr 5',
  'p2 f',
]
finishing_stacks = [103, 97]
winnings = [6, 0]
_id = 'h1'
_rake = 1
_fee = 2
_open_pair = true
"""


def only(text: str) -> RecordedHand | RecordError:
    (hand,) = read_hands("x.phh", text)
    return hand


def test_a_hand_is_read_with_its_amounts_its_actions_and_our_own_fields() -> None:
    hand = only(TWO_PLAYERS)

    assert isinstance(hand, RecordedHand)
    assert (hand.name, hand.structure, hand.rake_chips, hand.open_pair) == ("h1", Structure.LIMIT, 3, True)
    assert (hand.ante_chips, hand.bring_in_chips, hand.lower_limit_chips, hand.upper_limit_chips) == (1, 2, 5, 10)
    assert hand.winners == {1}
    assert hand.live_players == (1,)
    assert [action.kind for action in hand.decisions] == [
        RecordedKind.BRING_IN,
        RecordedKind.WAGER,
        RecordedKind.FOLD,
    ]


def test_unknown_cards_lie_face_down_and_remarks_are_no_actions() -> None:
    hand = only(TWO_PLAYERS)

    assert isinstance(hand, RecordedHand)
    assert hand.actions[0].cards == (FACE_DOWN, FACE_DOWN, *parse_cards("Ah"))
    assert [(action.number, action.line) for action in hand.actions[2:]] == [(3, 10), (5, 12), (6, 13)]


def test_a_file_of_sections_gives_one_hand_for_each() -> None:
    hands = list(read_hands("x.phhs", f"[1]\n{TWO_PLAYERS}\n[2]\n{TWO_PLAYERS}"))

    assert [hand.line for hand in hands] == [2, 24]


@pytest.mark.parametrize("file", sorted(HANDS.glob("*.phhs")), ids=lambda path: path.name)
def test_the_hands_kept_with_the_tests_can_be_read(file: Path) -> None:
    hands = list(read_hands(file.name, file.read_text()))

    assert hands
    assert not [hand for hand in hands if isinstance(hand, RecordError)]


@pytest.mark.parametrize(
    ("broken", "mended", "line", "says"),
    [
        ("variant = 'F7S'", "variant = 'NT'", 1, "only 'F7S'"),
        ("antes = [1, 1]", "antes = [1, 2]", 2, "differ"),
        ("antes = [1, 1]", "antes = [1]", 2, "1 antes for 2 players"),
        ("bring_in = 2\n", "", 19, "bring_in missing; the record ends on line 19"),
        ("bring_in = 2", "bring_in = -2", 3, "at least 1"),
        ("small_bet = 5", "small_bet = 2.5", 4, "whole numbers"),
        ("starting_stacks = [100, 100]", "starting_stacks = [100, 0]", 6, "at least 1"),
        ("starting_stacks = [100, 100]", "starting_stacks = 100", 6, "list of whole amounts"),
        ("'d dh p1 ????Ah'", "'d dh p3 ????Ah'", 8, "p1 to p2"),
        ("'d dh p1 ????Ah'", "'d dh p1 ???Ah'", 8, "no run of cards"),
        ("'d dh p1 ????Ah'", "'d dh p1 ????Bh'", 8, "'Bh' is no card"),
        ("'p1 cbr 5'", "'p1 cbr five'", 12, "one whole amount"),
        ("'p1 cbr 5'", "'p1 cbr'", 12, "one whole amount"),
        ("'p2 f'", "'p2 folds'", 13, "pb, cbr, cc, f, sm"),
        ("_open_pair = true", "_open_pair = 'yes'", 20, "true or false"),
        ("winnings = [6, 0]", "winnings = [6, 0", 17, ""),
    ],
)
def test_a_broken_record_is_told_file_hand_and_line(broken: str, mended: str, line: int, says: str) -> None:
    hand = only(TWO_PLAYERS.replace(broken, mended))

    assert isinstance(hand, RecordError)
    assert hand.file == "x.phh"
    assert hand.line == line
    assert says in hand.problem
    assert f"line {line}" in str(hand)


@pytest.mark.parametrize(
    ("last", "line", "says"),
    [
        ("small_bet = 5\n", 4, "big_bet, starting_stacks, actions missing; the record ends on line 4"),
        ("small_be", 4, "Expected '='"),
        ("'d dh p2 5dQs7s',", 9, "Invalid value; the record breaks off here"),
        ("'p1 cbr", 12, "the record breaks off here"),
    ],
)
def test_a_record_that_was_cut_off_names_the_line_where_it_ends(last: str, line: int, says: str) -> None:
    hand = only(TWO_PLAYERS[: TWO_PLAYERS.index(last) + len(last)])

    assert isinstance(hand, RecordError)
    assert (hand.line, says in hand.problem) == (line, True), hand


def test_players_seats_and_preset_of_an_export_change_nothing_but_the_hint() -> None:
    exported = f"{TWO_PLAYERS}players = ['ann', 'bob']\nseats = [2, 5]\n_preset = 'classic'\n"
    plain, hand = only(TWO_PLAYERS), only(exported)

    assert isinstance(hand, RecordedHand)
    assert isinstance(plain, RecordedHand)
    assert (plain.preset, hand.preset) == ("", "classic")
    assert replace(hand, preset="") == plain


def test_a_broken_hand_does_not_hide_the_others() -> None:
    hands = list(read_hands("x.phhs", f"[1]\n{TWO_PLAYERS}\n[2]\nvariant =\n[3]\n{TWO_PLAYERS}"))

    assert [type(hand) for hand in hands] == [RecordedHand, RecordError, RecordedHand]


@pytest.mark.parametrize(
    "line",
    [
        f"_id = {'9' * 5000}",
        f"_id = 0x{'f' * 5000}",
        f"_frozen = 0x{'f' * 5000}",
        f"_id = {'[' * 5000}{']' * 5000}",
        f"_id = {'{a=' * 5000}1{'}' * 5000}",
        f"a{'.a' * HAND_CHARACTERS_MAX} = 1",
        f"_remarks = [{'0,' * HAND_CHARACTERS_MAX}]",
    ],
    ids=[
        "a long number",
        "one in hexadecimals",
        "a long name",
        "a deep list",
        "a deep table",
        "deep keys",
        "a long list",
    ],
)
def test_what_somebody_made_to_be_unreadable_hides_no_other_hand_and_takes_no_time(line: str) -> None:
    began = time.perf_counter()
    hands = list(read_hands("x.phhs", f"[1]\n{line}\n{TWO_PLAYERS.replace('_id', '_name')}\n[2]\n{TWO_PLAYERS}"))

    assert [type(hand) for hand in hands] == [RecordError, RecordedHand]
    assert time.perf_counter() - began < 5


def test_an_empty_file_holds_no_hand() -> None:
    hand = only("")

    assert isinstance(hand, RecordError)
    assert "no hand" in hand.problem
