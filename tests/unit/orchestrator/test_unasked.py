"""Hands shown unasked after an uncontested pot: the winner has time where a prize may hang on it (rule 179, C45)."""

from dataclasses import replace

import pytest

from services.orchestrator.domain import next_step as step
from services.orchestrator.domain.hand_facts import HandMucked, HandShown
from services.orchestrator.domain.next_step import next_step
from services.orchestrator.domain.ranking import HandCategory
from services.orchestrator.domain.sheets import booking_of
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.wagering import ActionKind
from shared.kernel.cards import parse_cards
from shared.kernel.game import Mode, Street
from shared.kernel.rules import BonusPrize, BonusWhen, Feat, RuleSet
from shared.kernel.rules.presets import PRESETS
from tests.support.table_facts import (
    START,
    Facts,
    acted,
    closed,
    dealt,
    ended,
    opened,
    seconds,
    started,
    table_of,
    turn,
)

PRESET = PRESETS["classic"]
PAID = replace(
    PRESET.tournament,
    bonus_when=BonusWhen.ALSO_UNCONTESTED,
    bonus_prizes=(BonusPrize(feat=Feat.FOUR_OF_A_KIND, amount_minor=100),),
)
RULES = replace(PRESET, tournament=PAID, clock=replace(PRESET.clock, showdown_seconds=7))
SHOWN = HandShown(
    seat=1,
    cards=parse_cards("AsAdAcAhKd"),
    best_five=parse_cards("AsAdAcAhKd"),
    description_en="four aces",
    description_it="poker d'assi",
    category=HandCategory.FOUR_OF_A_KIND,
)


def uncontested(last: Street, *more: object, rules: RuleSet = RULES, mode: Mode = Mode.TOURNAMENT) -> Table:
    """Bob has folded on this street; the pot is paid."""
    facts: list[Facts] = [opened(rules, mode), started()]
    for street in Street:
        facts.append(dealt(street))
        if street is last:
            facts.append((turn(1, 2), acted(1, 2, ActionKind.FOLD)))
            break
        facts.append((closed(street),))
    return table_of(*facts, ended(101, 99), more)  # type: ignore[arg-type]  # facts


def test_the_winner_has_the_time_of_a_showdown_before_the_hand_is_booked() -> None:
    table = uncontested(Street.FIFTH)
    waiting = next_step(table, START)
    assert isinstance(waiting, step.Await)
    assert waiting.until is not None
    assert waiting.until >= START + seconds(7)
    assert isinstance(next_step(table, START + seconds(8)), step.BookHand)


def test_a_hand_shown_unasked_is_booked_with_its_feat() -> None:
    table = uncontested(Street.FIFTH, SHOWN)
    assert isinstance(next_step(table, START), step.BookHand)
    assert table.hand is not None
    feats = booking_of(table, table.hand).feats
    assert [(each.player_id, each.feat, each.uncontested) for each in feats] == [("ann", Feat.FOUR_OF_A_KIND, True)]


def test_who_mucks_is_not_waited_for() -> None:
    assert isinstance(next_step(uncontested(Street.FIFTH, HandMucked(seat=1)), START), step.BookHand)


@pytest.mark.parametrize("street", [Street.THIRD, Street.FOURTH])
def test_fewer_than_five_cards_are_no_hand_and_nothing_is_waited_for(street: Street) -> None:
    assert isinstance(next_step(uncontested(street), START), step.BookHand)


@pytest.mark.parametrize(
    "rules",
    [
        replace(RULES, tournament=replace(PAID, bonus_when=BonusWhen.SHOWN_DOWN)),
        replace(RULES, tournament=replace(PAID, bonus_prizes=())),
    ],
)
def test_nothing_is_waited_for_where_showing_earns_nothing(rules: RuleSet) -> None:
    assert isinstance(next_step(uncontested(Street.FIFTH, rules=rules), START), step.BookHand)
    assert isinstance(next_step(uncontested(Street.FIFTH, mode=Mode.CASH), START), step.BookHand)
