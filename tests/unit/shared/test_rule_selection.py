"""Preset plus overrides by presence: what a caller's selection means."""

import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1 import rules_pb2 as rules
from sevenstud.common.v1.game_pb2 import STRUCTURE_NO_LIMIT, STRUCTURE_POT_LIMIT
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection

from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Structure
from shared.kernel.rules import BringInFold, RuleSet
from shared.kernel.rules.presets import PRESETS
from shared.rpc.mirror import from_proto, unmirrored
from shared.rpc.rules import preset_messages, select_rules


def test_every_preset_goes_to_the_wire_and_comes_back_equal() -> None:
    for name, message in preset_messages().items():
        assert from_proto(message, RuleSet) == PRESETS[name]


def test_dataclasses_and_messages_have_the_same_options() -> None:
    assert unmirrored(RuleSet, rules.RuleSet) == frozenset()


def test_a_preset_alone_means_its_values() -> None:
    message, chosen = select_rules(RuleSelection(preset="card_room"))
    assert chosen == PRESETS["card_room"]
    assert message == preset_messages()["card_room"]


def test_a_set_zero_or_false_overrides_and_an_unset_field_does_not() -> None:
    overrides = rules.RuleSet(hand=rules.HandRules(raise_cap=0, upper_is_double=False))
    _, chosen = select_rules(RuleSelection(preset="classic", overrides=overrides))
    assert chosen.hand.raise_cap == 0
    assert chosen.hand.upper_is_double is False
    assert chosen.hand.seats_max == 8


def test_nested_rules_merge_field_by_field() -> None:
    overrides = rules.RuleSet(tournament=rules.TournamentRules(rebuy=rules.RebuyTerms(max_count=3)))
    _, chosen = select_rules(RuleSelection(preset="regulated_tournament", overrides=overrides))
    assert chosen.tournament.rebuy.max_count == 3
    assert chosen.tournament.rebuy.window_seconds == 30


def test_a_list_replaces_the_list_of_the_preset() -> None:
    stakes = rules.Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=4, upper_limit_chips=8)
    level = rules.Level(stakes=stakes, level_seconds=60, level_hands=4, decision_seconds=0)
    overrides = rules.RuleSet(tournament=rules.TournamentRules(levels=[level]))
    _, chosen = select_rules(RuleSelection(preset="regulated_tournament", overrides=overrides))
    assert len(chosen.tournament.levels) == 1
    assert chosen.tournament.levels[0].stakes.upper_limit_chips == 8


def test_enums_override_by_being_set() -> None:
    overrides = rules.RuleSet(hand=rules.HandRules(bring_in_fold=option.BRING_IN_FOLD_PASS_LEFT))
    _, chosen = select_rules(RuleSelection(preset="classic", overrides=overrides))
    assert chosen.hand.bring_in_fold is BringInFold.PASS_LEFT
    pot_limit = rules.RuleSet(hand=rules.HandRules(structure=STRUCTURE_POT_LIMIT))
    assert select_rules(RuleSelection(preset="classic", overrides=pot_limit))[1].hand.structure is Structure.POT_LIMIT


def test_presets_do_not_change_when_a_selection_is_made() -> None:
    overrides = rules.RuleSet(hand=rules.HandRules(seats_max=2))
    select_rules(RuleSelection(preset="classic", overrides=overrides))
    assert preset_messages()["classic"].hand.seats_max == 8


def test_an_unknown_preset_is_not_found_and_the_known_ones_are_named() -> None:
    with pytest.raises(DomainError) as refusal:
        select_rules(RuleSelection(preset="house"))
    assert refusal.value.reason is Reason.NOT_FOUND
    for name in PRESETS:
        assert name in refusal.value.message


def test_overrides_without_sense_are_refused_with_every_field_under_its_path() -> None:
    hand = rules.HandRules(structure=STRUCTURE_NO_LIMIT, raise_cap=2)
    clock = rules.ClockRules(time_bank_refill=option.TIME_BANK_REFILL_HANDS)
    with pytest.raises(DomainError) as refusal:
        select_rules(RuleSelection(preset="card_room", overrides=rules.RuleSet(hand=hand, clock=clock)))
    assert refusal.value.reason is Reason.RULES_INVALID
    assert [found.field for found in refusal.value.violations] == [
        "rules.overrides.hand.structure",
        "rules.overrides.clock.time_bank_refill",
    ]


def test_a_level_without_amounts_is_refused_by_its_path() -> None:
    overrides = rules.RuleSet(tournament=rules.TournamentRules(levels=[rules.Level(level_seconds=60)]))
    with pytest.raises(DomainError) as refusal:
        select_rules(RuleSelection(preset="classic", overrides=overrides))
    assert refusal.value.reason is Reason.REQUEST_INVALID
    assert refusal.value.violations[0].field.startswith("rules.overrides.tournament.levels[0].stakes")


def test_every_missing_amount_of_every_level_is_named_at_once() -> None:
    stakes = rules.Stakes(ante_chips=1, bring_in_chips=2)
    levels = [rules.Level(stakes=stakes, level_seconds=60, level_hands=4), rules.Level(stakes=stakes, level_seconds=60)]
    overrides = rules.RuleSet(tournament=rules.TournamentRules(levels=levels))
    with pytest.raises(DomainError) as refused:
        select_rules(RuleSelection(preset="classic", overrides=overrides), "announcement.rules")
    path = "announcement.rules.overrides.tournament.levels"
    assert [violation.field for violation in refused.value.violations] == [
        f"{path}[0].stakes.lower_limit_chips",
        f"{path}[0].stakes.upper_limit_chips",
        f"{path}[0].decision_seconds",
        f"{path}[1].stakes.lower_limit_chips",
        f"{path}[1].stakes.upper_limit_chips",
        f"{path}[1].level_hands",
        f"{path}[1].decision_seconds",
    ]


def test_rules_that_were_stored_before_the_pace_of_hands_are_read_as_they_were_played() -> None:
    stored = rules.RuleSet()
    stored.CopyFrom(preset_messages()["card_room"])
    stored.clock.ClearField("between_hands_seconds")
    stored.clock.ClearField("all_away_seconds")
    clock = from_proto(stored, RuleSet).clock
    assert (clock.between_hands_seconds, clock.all_away_seconds) == (0, 0)
