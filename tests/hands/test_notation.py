"""A script that cannot be read or does not hold says which line, and what is allowed or true there."""

import pytest

from tests.support.hand_expectations import run_play
from tests.support.hand_script import ScriptError, parse_script

HEAD = """title A test of the notation
proves rules 29
preset regulated_tournament
limits 100/200
ante 10
bring-in 50
seat 1: 1000, ?? ?? 5d
seat 2: 1000, ?? ?? 2c
seat 3: 1000, ?? ?? Kd
"""


def play(lines: str, head: str = HEAD) -> None:
    script = parse_script(f"{head}play\n{lines}", "test.hand")
    for each in script.plays:
        run_play(script, each)


def test_a_hand_that_holds_is_played_to_its_end() -> None:
    play("third\nseat 2 brings in 50\nseats 3 1 fold\nend\nexpect stacks: 2 has 1020")


@pytest.mark.parametrize(
    ("lines", "error"),
    [
        ("third\nexpect turn: seat 3", "test.hand:12: 'expect turn: seat 3': it is: seat 2"),
        ("third\nexpect seat 2: fold", "it is: fold, bring in 50"),
        ("third\nexpect seat 1: fold", "the turn is that of seat 2"),
        ("third\nseat 2 dances", "write one of: third; fourth;"),
        ("third\nexpect luck: much", "expectations are: seat"),
        ("third\nseat 1 folds", "refused: NOT_YOUR_TURN: seat 1 is not to act: it is the turn of seat 2"),
        ("third\nseat 2 brings in 40", "the seat paid 50"),
        ("third\nseat 2 brings in 50 all-in", "the seat is not all-in"),
        ("third\nexpect refused: seat 2 folds (ACTION_NOT_LEGAL)", "it was accepted"),
        ("third\nexpect refused: seat 2 checks (NOT_YOUR_TURN)", "it was refused with ACTION_NOT_LEGAL"),
        ("third\nfourth\nexpect turn: seat 2", "seat 2 is to act"),
        ("third\nseat 2 folds\nseat 1 folds\nshowdown\nexpect turn: nobody", "the hand ended unshown: write 'end'"),
        ("third\nseat 2 is back\nexpect turn: seat 2", "the seat is not away"),
        ("third", "nothing is expected of this play"),
        ("expect opener: seat 2", "no street was opened"),
        ("third\nexpect river: own cards from stub", "the river was not dealt"),
        ("third\nexpect show order: 1", "no hands were compared"),
        ("third\nseats 3 1 check\nexpect turn: seat 2", "it is not the turn of seat 3"),
    ],
)
def test_a_line_that_does_not_hold_says_what_is(lines: str, error: str) -> None:
    with pytest.raises(ScriptError) as wrong:
        play(lines)
    assert error in str(wrong.value)


@pytest.mark.parametrize(
    ("old", "new", "error"),
    [
        ("title A test of the notation\n", "", "a script begins with 'title ...' and 'proves rules ...'"),
        ("rules 29", "rules 209", "rules are numbered 1 to 208"),
        ("regulated_tournament", "casino", "presets are regulated_tournament, card_room, classic"),
        ("ante 10", "blind 10", "test.hand:5: 'blind 10': a script begins with one of: title, proves"),
        ("5d", "11d", "'11d' is no card"),
        ("?? ?? 5d", "2d 3d 4d 5d 6d 7d 8d 9d", "a seat gets at most 7 cards"),
        ("limits 100/200\n", "", "a hand needs 'preset ...', 'limits 10/20'"),
        ("ante 10", "ante 10\nodd_chips = POSITION", "odd_chips is no option of the hand or clock rules"),
        ("ante 10", "ante 10\nodd_chip = LUCK", "allowed are FIVE_CARD_SUIT, SEVEN_CARD_SUIT, POSITION"),
        ("ante 10", "ante 10\nbring_in_full = yes", "write true or false"),
        ("preset regulated_tournament", "odd_chip = POSITION", "name the preset before its options"),
    ],
)
def test_a_head_that_cannot_be_read_says_what_is_allowed(old: str, new: str, error: str) -> None:
    with pytest.raises(ScriptError) as wrong:
        play("third\nexpect turn: seat 2", HEAD.replace(old, new))
    assert error in str(wrong.value)


def test_a_script_without_a_play_is_refused() -> None:
    with pytest.raises(ScriptError, match="nothing is played"):
        parse_script(HEAD, "test.hand")


def test_options_of_a_play_are_read_like_those_of_the_head() -> None:
    script = parse_script(f"{HEAD}play with structure = NO_LIMIT, timeout = CHECK_FOLD\nthird", "test.hand")
    assert script.plays[0].rules.hand.structure == "NO_LIMIT"
    assert script.plays[0].rules.clock.timeout == "CHECK_FOLD"


@pytest.mark.parametrize(
    ("line", "error"),
    [
        ("As Ks beats Qs Js", "a hand to compare has 5 to 7 different cards"),
        ("As Ks Qs Js Ts beats Kd Kh Kc 2d", "a hand to compare has 5 to 7 different cards"),
        ("As As Qs Js Ts is royal flush", "a hand to compare has 5 to 7 different cards"),
        ("As Ks Qs Js Ts wins", "write '5 to 7 cards beats"),
    ],
)
def test_a_comparison_needs_whole_hands(line: str, error: str) -> None:
    with pytest.raises(ScriptError) as wrong:
        parse_script(f"title T\nproves rules 117\nranking\n{line}", "test.hand")
    assert error in str(wrong.value)
