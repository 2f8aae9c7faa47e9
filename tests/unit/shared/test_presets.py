"""The three houses, option by option, as the rule reference's preset table gives them."""

from dataclasses import fields, is_dataclass
from enum import Enum
from typing import Any

import pytest

from shared.kernel.rules.presets import PRESETS
from shared.kernel.rules.validation import check_fee, check_rules, check_stakes

HOUSES = ("regulated_tournament", "card_room", "classic")

# Option, then its value in each house; None where the table has no value.
TABLE = (
    ("hand.seats_max", 8, 8, 8),
    ("hand.modes_allowed", ("TOURNAMENT",), ("CASH",), ("CASH", "TOURNAMENT")),
    ("hand.structures_allowed", ("LIMIT", "POT_LIMIT", "NO_LIMIT"), ("LIMIT",), ("LIMIT", "POT_LIMIT")),
    ("hand.upper_is_double", True, True, True),
    ("hand.lower_limit_streets", ("THIRD", "FOURTH"), ("THIRD", "FOURTH"), ("THIRD", "FOURTH")),
    ("hand.dealer_position", "FIXED", "FIXED", "FIXED"),
    ("hand.burn_streets", "FOURTH_TO_SIXTH", "FOURTH_TO_SEVENTH", "FOURTH_TO_SEVENTH"),
    ("hand.river_burn_shortfall", "SKIP", "SKIP", "SKIP"),
    ("hand.exhaustion", "RESHUFFLE_ELSE_COMMON", "RESHUFFLE_ELSE_COMMON", "COMMON_AT_ONCE"),
    ("hand.common_card_source", "BURNS", "BURNS", "STUB"),
    ("hand.burn_after_reshuffle", "NEVER", "NEVER", "NEVER"),
    ("hand.common_card_opener", "UP_CARDS", "UP_CARDS", "UP_CARDS"),
    ("hand.ante_required", True, True, True),
    ("hand.bring_in_by", "LOW", "LOW", "LOW_LIMIT_HIGH_POT"),
    ("hand.bring_in_suits", "CDHS", "CDHS", "CDHS"),
    ("hand.high_door_tie", None, None, "SUIT"),
    ("hand.bring_in_max_basis_points", 5_000, 5_000, 5_000),
    ("hand.bring_in_fold", "PASS_NEXT_LOWEST", "NO", "NO"),
    ("hand.bring_in_full", False, True, True),
    ("hand.bring_in_no_chips", "NEXT_LOWEST", "LEFT", "LEFT"),
    ("hand.short_bring_in_price", "NOMINAL", "NOMINAL", "NOMINAL"),
    ("hand.bring_in_live_option", False, False, False),
    ("hand.third_street_over_bring_in", "COMPLETE", "COMPLETE", "COMPLETE"),
    ("hand.raise_cap", 3, 3, 3),
    ("hand.completion_counts", False, False, False),
    ("hand.heads_up_cap", "ALWAYS", "LIFT_ANYTIME", "LIFT_BEFORE_CAP"),
    ("hand.heads_up_counts_all_in", None, True, False),
    ("hand.open_pair_fourth", "HOLDER_BET", "ANY_PLAYER", "HOLDER_BET"),
    ("hand.open_pair_persists", True, True, True),
    ("hand.big_bet_minimum", "UPPER", None, "LOWER"),
    ("hand.pot_limit_max", "POT_AFTER_CALL", None, "POT_AFTER_CALL"),
    ("hand.pot_below_minimum", "MINIMUM_ALLOWED", None, "MINIMUM_ALLOWED"),
    ("hand.short_all_in_limit", "HALF", "HALF", "HALF"),
    ("hand.short_all_in_big_bet", "CUMULATIVE", None, "CUMULATIVE"),
    ("hand.opener_tie", "POSITION", "POSITION", "POSITION"),
    ("hand.all_in_high_hand", "NEXT_CLOCKWISE", "NEXT_CLOCKWISE", "NEXT_CLOCKWISE"),
    ("hand.fold_when_check_free", True, True, True),
    ("hand.show_first_unbet", "HIGH_BOARD", "FIRST_TO_ACT", "HIGH_BOARD"),
    ("hand.losers_may_muck", True, True, True),
    ("hand.first_to_show_may_muck", False, False, False),
    ("hand.all_in_exposure", "SHOWDOWN_ORDER", "SHOWDOWN_ORDER", "SHOWDOWN_ORDER"),
    ("hand.mucked_in_history", "OWNER_ONLY", "PLAYERS_OF_HAND", "OWNER_ONLY"),
    ("hand.ask_to_see", "NONE", "HISTORY", "NONE"),
    ("hand.odd_chip", "FIVE_CARD_SUIT", "POSITION", "FIVE_CARD_SUIT"),
    ("clock.decision_seconds", 15, 10, 15),
    ("clock.timeout", "CHECK_FOLD_SIT_OUT", "FREEZE_IF_BET", "CHECK_FOLD"),
    ("clock.timeout_free", "CHECK", "POLICY", "CHECK"),
    ("clock.timeout_bring_in", "FOLD_PASS_ON", "POST", "POST"),
    ("clock.protect_scope", None, "HAND", None),
    ("clock.ante_counts_as_bet", None, False, None),
    ("clock.after_protect", None, "SIT_OUT", None),
    ("clock.protect_limit_per_session", None, 0, None),
    ("clock.on_disconnect", "CLOCK_THEN_SIT_OUT", "CLOCK_THEN_SIT_OUT", "CLOCK_THEN_SIT_OUT"),
    ("clock.time_bank_seconds", 60, 0, 0),
    ("clock.time_bank_refill", "NONE", None, None),
    ("clock.time_bank_activation", "AUTO", None, None),
    ("clock.bank_when_disconnected", "USE", None, None),
    ("clock.sit_out_pays", "ANTE", "NOTHING", "ANTE"),
    ("clock.absent_bring_in", "FOLD_PASS_ON", None, "POST_THEN_FOLD"),
    ("clock.return_timeout", "AT_ONCE", "NEXT_HAND", None),
    ("clock.return_disconnect", "NEXT_HAND", "NEXT_HAND", None),
    ("clock.return_voluntary", "NEXT_HAND", "NEXT_HAND", "NEXT_HAND"),
    ("clock.no_show", "SIT_OUT", None, "SIT_OUT"),
    ("tournament.level_trigger", "FIRST_OF_BOTH", None, "TIME"),
    ("tournament.level_applies", "NEXT_HAND", None, "NEXT_HAND"),
    ("tournament.rebuy.max_count", None, None, 0),
    ("tournament.rebuy_threshold", "BELOW", None, None),
    ("tournament.rebuy_counts_reserve", True, None, None),
    ("tournament.add_on.offered", None, None, False),
    ("tournament.add_on_stack_rule", "NONE", None, None),
    ("tournament.double_chance.offered", None, None, False),
    ("tournament.double_chance.release", "ON_BUST_OR_DEADLINE", None, None),
    ("tournament.fee_step_minor", 50, None, 0),
    ("tournament.fee_max_minor", 25_000, None, 0),
    ("tournament.spend_cap_minor", 25_000, None, 0),
    ("tournament.prize_share_min_basis_points", 8_000, None, 0),
    ("tournament.top_prize_above_fee", True, None, False),
    ("tournament.top_prize_fix", "FEWER_PLACES", None, None),
    ("tournament.prize_rest", "LARGEST_REMAINDER", None, "LARGEST_REMAINDER"),
    ("tournament.bonus_when", "SHOWN_DOWN", None, None),
    ("tournament.bonus_times", "EVERY", None, None),
    ("tournament.same_hand_rank", "START_STACK_THEN_SHARE", None, "START_STACK_THEN_SHARE"),
    ("tournament.hand_for_hand_across_tables", "CHIPS", None, "CHIPS"),
    ("tournament.hand_for_hand_margin", 1, None, 1),
    ("tournament.halt_short", 3, None, 3),
    ("tournament.round_stack", "RESET", None, "RESET"),
    ("tournament.stud_balance", "FEWEST_MOVES", None, "FEWEST_MOVES"),
    ("tournament.start_seats", "RANDOM", "CHOSEN", "RANDOM"),
    ("cash.ante_toggle", "OFF", "PER_PLAYER", "OFF"),
    ("cash.buy_in", None, "FIXED", "RANGE"),
    ("cash.cash_add", None, "WHEN_BUSTED", "BELOW_BUY_IN"),
    ("cash.cash_stake_cap_minor", None, 100_000, 0),
    ("cash.rake.basis_points", 0, 0, 0),
)


def _value(house: str, path: str) -> object:
    value: Any = PRESETS[house]
    for name in path.split("."):
        value = getattr(value, name)
    return value


@pytest.mark.parametrize(("path", "values"), [(row[0], row[1:]) for row in TABLE], ids=[row[0] for row in TABLE])
def test_each_house_has_the_value_of_the_preset_table(path: str, values: tuple[object, ...]) -> None:
    for house, expected in zip(HOUSES, values, strict=True):
        if expected is not None:
            assert _value(house, path) == expected, house


def test_there_are_three_presets_and_each_makes_sense() -> None:
    assert tuple(PRESETS) == HOUSES
    for house in HOUSES:
        assert check_rules(PRESETS[house]) == ()


def test_every_option_has_a_value_of_its_type_in_every_house() -> None:
    for rules in PRESETS.values():
        for part in fields(rules):
            block = getattr(rules, part.name)
            for field in fields(block):
                value = getattr(block, field.name)
                assert isinstance(value, (bool, int, tuple, Enum)) or is_dataclass(value), field.name


def test_the_reference_levels_hold_under_every_house_and_double_from_lower_to_upper() -> None:
    for rules in PRESETS.values():
        levels = rules.tournament.levels
        assert len(levels) == 10
        for level in levels:
            assert check_stakes(level.stakes, rules.hand) == ()
            assert level.stakes.upper_limit_chips == 2 * level.stakes.lower_limit_chips
        last = levels[-1].stakes
        assert (last.ante_chips, last.bring_in_chips, last.upper_limit_chips) == (200, 300, 1_600)


@pytest.mark.parametrize("fee_minor", [0, 50, 5_000, 25_000])
def test_the_regulated_fee_goes_from_nothing_to_250_euro_in_steps_of_50_cents(fee_minor: int) -> None:
    assert check_fee(fee_minor, PRESETS["regulated_tournament"].tournament) == ()


@pytest.mark.parametrize("fee_minor", [75, 25_050, -50])
def test_other_regulated_fees_are_refused(fee_minor: int) -> None:
    found = check_fee(fee_minor, PRESETS["regulated_tournament"].tournament)
    assert {violation.field for violation in found} == {"tournament.fee_minor"}
