"""Robots never play illegally, whatever they hold and whatever the turn offers."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.console.domain.betting import WAGERS, ActionKind, LegalAction, LegalActions
from services.console.domain.robot import Choice, choose
from services.console.domain.strength import strength
from services.console.domain.table import TableView
from shared.kernel.cards import FULL_DECK, Card, parse_cards
from tests.support.console_table import play, seated, started, third_street

MOODS = st.floats(min_value=0, max_value=1)
CHIPS = st.integers(min_value=1, max_value=2_000)


def _table(down: tuple[Card, ...] = (), up: tuple[Card, ...] = (), other: str = "Kh") -> TableView:
    table = seated(1000, 1000)
    table = play(table, started(table), third_street("2c", other))
    mine = replace(table.seats[0], down_cards=down, up_cards=up)
    return replace(table, seats=(mine, table.seats[1]), pot_total_chips=40)


@st.composite
def _actions(draw: st.DrawFn) -> tuple[LegalAction, ...]:
    kinds = draw(st.lists(st.sampled_from(list(ActionKind)), min_size=1, unique=True))
    made: list[LegalAction] = []
    for kind in kinds:
        if kind not in WAGERS:
            made.append(LegalAction(kind, pay_chips=draw(CHIPS)))
        elif draw(st.booleans()):
            made.append(LegalAction(kind, to_chips_choices=tuple(draw(st.lists(CHIPS, min_size=1, max_size=3)))))
        else:
            low, high = sorted((draw(CHIPS), draw(CHIPS)))
            made.append(LegalAction(kind, to_chips_min=low, to_chips_max=high))
    return tuple(made)


@given(
    actions=_actions(),
    cards=st.lists(st.sampled_from(FULL_DECK), min_size=3, max_size=7, unique=True),
    mood=MOODS,
)
def test_a_robot_does_only_what_its_turn_allows(
    actions: tuple[LegalAction, ...], cards: list[Card], mood: float
) -> None:
    table = _table(tuple(cards[:2]), tuple(cards[2:]))
    choice = choose(table, table.seats[0], LegalActions(1, actions), mood)
    allowed = {action.kind: action for action in actions}
    assert choice.kind in allowed
    action = allowed[choice.kind]
    if choice.kind not in WAGERS:
        assert choice.to_chips == 0
    elif action.to_chips_choices:
        assert choice.to_chips in action.to_chips_choices
    else:
        assert action.to_chips_min <= choice.to_chips <= action.to_chips_max


@given(mood=MOODS)
def test_a_robot_never_folds_where_a_check_is_free(mood: float) -> None:
    table = _table(parse_cards("2h7d"), parse_cards("2c"))
    legal = LegalActions(1, (LegalAction(ActionKind.FOLD), LegalAction(ActionKind.CHECK)))
    assert choose(table, table.seats[0], legal, mood) == Choice(ActionKind.CHECK)


@given(mood=MOODS)
def test_a_robot_with_rolled_up_aces_raises_in_any_mood(mood: float) -> None:
    table = _table(parse_cards("AhAd"), parse_cards("Ac"))
    fold, call = LegalAction(ActionKind.FOLD), LegalAction(ActionKind.CALL, pay_chips=50)
    legal = LegalActions(1, (fold, call, LegalAction(ActionKind.RAISE, to_chips_choices=(100,))))
    assert choose(table, table.seats[0], legal, mood) == Choice(ActionKind.RAISE, 100)


@given(mood=MOODS)
def test_a_robot_with_rags_folds_to_a_dear_bet(mood: float) -> None:
    table = _table(parse_cards("2h7d"), parse_cards("4c"))
    fold, call = LegalAction(ActionKind.FOLD), LegalAction(ActionKind.CALL, pay_chips=400)
    legal = LegalActions(1, (fold, call))
    assert choose(table, table.seats[0], legal, mood) == Choice(ActionKind.FOLD)


@pytest.mark.parametrize(
    ("weaker", "stronger"),
    [
        ("2c7h9d", "KcQh9d"),
        ("KcQh9d", "2c2h9d"),
        ("2c2h9d", "AcAh9d"),
        ("AcAhKdKs3c", "2c2h2d5s7c"),
        ("AcAhAdKs3c", "5c6h7d8s9c"),
        ("5c6h7d8s9c", "2h5h9hJhKh"),
        ("2h5h9hJhKh", "2c2h2d3s3c"),
        ("2c2h2d3s3c", "2c2h2d2s3c"),
        ("2c7h9d", "7h8h9h"),
        ("4s7h9d", "Ac2d3h"),
    ],
)
def test_a_better_hand_looks_better(weaker: str, stronger: str) -> None:
    assert strength(parse_cards(weaker)) < strength(parse_cards(stronger))


@given(cards=st.lists(st.sampled_from(FULL_DECK), max_size=7, unique=True))
def test_strength_is_a_figure_from_nothing_to_one(cards: list[Card]) -> None:
    assert 0.0 <= strength(cards) <= 1.0
