"""Rules that make no sense together are refused, each with the field that is to blame."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Mode, Street, Structure
from shared.kernel.rules import (
    AnteToggle,
    AskToSee,
    BonusPrize,
    Break,
    BurnStreets,
    BuyIn,
    CommonCardSource,
    DoubleChanceRelease,
    Feat,
    HeadsUpCap,
    LevelTrigger,
    MuckedInHistory,
    OnDisconnect,
    PrizeMode,
    PrizeRow,
    RakeCap,
    RoundStack,
    RuleSet,
    SitOutPays,
    Stakes,
    TimeBankRefill,
)
from shared.kernel.rules.presets import PRESETS
from shared.kernel.rules.validation import check_fee, check_mode, check_rules, check_stakes, refuse_rules

REGULATED = PRESETS["regulated_tournament"]
CLASSIC = PRESETS["classic"]
TOURNAMENT = REGULATED.tournament
DOUBLE = TOURNAMENT.double_chance
LEVELS = TOURNAMENT.levels


def hand(**changes: Any) -> RuleSet:
    return replace(CLASSIC, hand=replace(CLASSIC.hand, **changes))


def clock(**changes: Any) -> RuleSet:
    return replace(REGULATED, clock=replace(REGULATED.clock, **changes))


def tournament(**changes: Any) -> RuleSet:
    return replace(REGULATED, tournament=replace(TOURNAMENT, **changes))


def cash(**changes: Any) -> RuleSet:
    return replace(CLASSIC, cash=replace(CLASSIC.cash, **changes))


def rake(**changes: Any) -> RuleSet:
    return cash(rake=replace(CLASSIC.cash.rake, **changes))


REFUSED = (
    ("a ninth seat", hand(seats_max=9), "hand.seats_max"),
    ("a table for one", hand(seats_max=1), "hand.seats_max"),
    ("no mode at all", hand(modes_allowed=()), "hand.modes_allowed"),
    ("a mode named twice", hand(modes_allowed=(Mode.CASH, Mode.CASH)), "hand.modes_allowed"),
    ("no structure at all", hand(structures_allowed=()), "hand.structures_allowed"),
    ("a structure not allowed", hand(structure=Structure.NO_LIMIT), "hand.structure"),
    ("lower limit with a gap", hand(lower_limit_streets=(Street.THIRD, Street.FIFTH)), "hand.lower_limit_streets"),
    ("lower limit nowhere", hand(lower_limit_streets=()), "hand.lower_limit_streets"),
    ("bring-in as large as the bet", hand(bring_in_max_basis_points=10_000), "hand.bring_in_max_basis_points"),
    ("another cap of none", hand(heads_up_cap=HeadsUpCap.NUMBER, heads_up_raise_cap=0), "hand.heads_up_raise_cap"),
    (
        "last two of an event without events",
        hand(heads_up_cap=HeadsUpCap.LAST_TWO_OF_EVENT, modes_allowed=(Mode.CASH,)),
        "hand.heads_up_cap",
    ),
    (
        "common card from burns that are not there",
        hand(burn_streets=BurnStreets.NONE, common_card_source=CommonCardSource.BURNS),
        "hand.common_card_source",
    ),
    (
        "only the first to show may muck",
        hand(losers_may_muck=False, first_to_show_may_muck=True),
        "hand.first_to_show_may_muck",
    ),
    (
        "asking a history that hides",
        hand(ask_to_see=AskToSee.HISTORY, mucked_in_history=MuckedInHistory.OWNER_ONLY),
        "hand.ask_to_see",
    ),
    ("odd chips of nothing", hand(odd_chip_unit_chips=0), "hand.odd_chip_unit_chips"),
    ("no time to think", clock(decision_seconds=0), "clock.decision_seconds"),
    (
        "extra time of nothing",
        clock(on_disconnect=OnDisconnect.EXTRA_TIME, extra_time_seconds=0),
        "clock.extra_time_seconds",
    ),
    (
        "refill after no hands",
        clock(time_bank_refill=TimeBankRefill.HANDS, time_bank_refill_hands=0),
        "clock.time_bank_refill_hands",
    ),
    (
        "refill of no bank",
        clock(time_bank_refill=TimeBankRefill.FINAL_TABLE, time_bank_seconds=0),
        "clock.time_bank_refill",
    ),
    ("free sitting out in a tournament", clock(sit_out_pays=SitOutPays.NOTHING), "clock.sit_out_pays"),
    ("no levels", tournament(levels=()), "tournament.levels"),
    ("falling levels", tournament(levels=(LEVELS[1], LEVELS[0])), "tournament.levels[1].stakes.lower_limit_chips"),
    (
        "an endless level",
        tournament(levels=(replace(LEVELS[0], level_seconds=0, level_hands=0), LEVELS[1])),
        "tournament.levels[0].level_seconds",
    ),
    (
        "levels by hands without hands",
        tournament(level_trigger=LevelTrigger.HANDS, levels=(replace(LEVELS[0], level_hands=0), LEVELS[1])),
        "tournament.levels[0].level_hands",
    ),
    (
        "a level's bring-in above half",
        tournament(levels=(replace(LEVELS[0], stakes=replace(LEVELS[0].stakes, bring_in_chips=13)),)),
        "tournament.levels[0].stakes.bring_in_chips",
    ),
    ("a stack in no chips of the structure", tournament(starting_stack_chips=3_001), "tournament.starting_stack_chips"),
    (
        "an odd stack cut in two",
        tournament(starting_stack_chips=3_005, double_chance=replace(DOUBLE, offered=True)),
        "tournament.starting_stack_chips",
    ),
    (
        "a deadline that never comes",
        tournament(double_chance=replace(DOUBLE, offered=True, release=DoubleChanceRelease.AT_DEADLINE, last_level=10)),
        "tournament.double_chance.last_level",
    ),
    (
        "breaks out of order",
        tournament(breaks=(Break(after_level=4, length_seconds=60), Break(after_level=2, length_seconds=60))),
        "tournament.breaks",
    ),
    (
        "a break after the last level",
        tournament(breaks=(Break(after_level=10, length_seconds=60),)),
        "tournament.breaks[0].after_level",
    ),
    ("a largest fee between two steps", tournament(fee_max_minor=24_975), "tournament.fee_max_minor"),
    ("a fee that nobody may pay", tournament(spend_cap_minor=20_000), "tournament.fee_max_minor"),
    (
        "rebuys until an unknown level",
        tournament(rebuy=replace(TOURNAMENT.rebuy, max_count=2, last_level=11)),
        "tournament.rebuy.last_level",
    ),
    (
        "an add-on for nothing",
        tournament(add_on=replace(TOURNAMENT.add_on, offered=True)),
        "tournament.add_on.price_max_minor",
    ),
    (
        "an add-on between two steps",
        tournament(add_on=replace(TOURNAMENT.add_on, offered=True, price_max_minor=775)),
        "tournament.add_on.price_max_minor",
    ),
    (
        "re-entry when registration is closed",
        tournament(re_entry_max_count=1, late_registration_last_level=0),
        "tournament.re_entry_max_count",
    ),
    (
        "a prize share below the least",
        tournament(prize_share_basis_points=7_999),
        "tournament.prize_share_basis_points",
    ),
    ("no prize rows", tournament(prize_rows=()), "tournament.prize_rows"),
    (
        "prize rows without a small field",
        tournament(prize_rows=(PrizeRow(entrants_min=9, weights=(1,)),)),
        "tournament.prize_rows[0].entrants_min",
    ),
    (
        "second place above first",
        tournament(prize_rows=(PrizeRow(entrants_min=2, weights=(1, 2)),)),
        "tournament.prize_rows[0].weights",
    ),
    (
        "more places than entrants",
        tournament(prize_rows=(PrizeRow(entrants_min=2, weights=(3, 2, 1)),)),
        "tournament.prize_rows[0].weights",
    ),
    (
        "one feat twice",
        tournament(bonus_prizes=(BonusPrize(feat=Feat.ROYAL_FLUSH, amount_minor=5),) * 2),
        "tournament.bonus_prizes",
    ),
    ("qualifiers without rounds", tournament(qualifiers=2), "tournament.qualifiers"),
    ("prizes for rounds without rounds", tournament(prize_mode=PrizeMode.ROUNDS), "tournament.prize_mode"),
    ("chips carried nowhere", tournament(round_stack=RoundStack.CARRY), "tournament.round_stack"),
    (
        "a seat of a satellite for the winner only",
        tournament(satellite_seat_minor=100, prize_mode=PrizeMode.WINNER),
        "tournament.prize_mode",
    ),
    (
        "the ante switched off in a tournament",
        replace(REGULATED, cash=replace(REGULATED.cash, ante_toggle=AnteToggle.PER_PLAYER)),
        "cash.ante_toggle",
    ),
    ("a buy-in range turned round", cash(buy_in=BuyIn.RANGE, buy_in_max_chips=199), "cash.buy_in_max_chips"),
    ("a buy-in of nothing", cash(buy_in_min_chips=0), "cash.buy_in_min_chips"),
    (
        "rake above everything",
        rake(basis_points=10_001, caps=(RakeCap(players_min=1, cap_chips=5),)),
        "cash.rake.basis_points",
    ),
    ("rake of the whole pot", rake(basis_points=10_000), "cash.rake.basis_points"),
    ("rake above a tenth without a cap", rake(basis_points=1_001), "cash.rake.basis_points"),
    (
        "rake above a tenth with a cap for three players only",
        rake(basis_points=1_001, caps=(RakeCap(players_min=3, cap_chips=5),)),
        "cash.rake.basis_points",
    ),
    (
        "caps out of order",
        rake(caps=(RakeCap(players_min=4, cap_chips=3), RakeCap(players_min=2, cap_chips=1))),
        "cash.rake.caps",
    ),
)


@pytest.mark.parametrize(("rules", "field"), [row[1:] for row in REFUSED], ids=[row[0] for row in REFUSED])
def test_rules_without_sense_are_refused_with_the_field_to_blame(rules: RuleSet, field: str) -> None:
    found = check_rules(rules)
    assert [violation.field for violation in found] == [field]
    assert all(violation.description for violation in found)


ACCEPTED: tuple[tuple[str, Callable[[], RuleSet]], ...] = (
    ("another cap heads-up", lambda: hand(heads_up_cap=HeadsUpCap.NUMBER)),
    (
        "the last level never ends, so it needs no length",
        lambda: tournament(levels=(replace(LEVELS[0], level_seconds=0, level_hands=0),)),
    ),
    ("double chance on an even stack", lambda: tournament(double_chance=replace(DOUBLE, offered=True))),
    ("a fixed buy-in above an unused maximum", lambda: cash(buy_in=BuyIn.FIXED, buy_in_min_chips=5_000)),
    (
        "a tournament block of no account at a cash-only house",
        lambda: replace(hand(modes_allowed=(Mode.CASH,)), tournament=replace(TOURNAMENT, levels=())),
    ),
)


@pytest.mark.parametrize("rules", [row[1] for row in ACCEPTED], ids=[row[0] for row in ACCEPTED])
def test_unusual_rules_that_make_sense_are_accepted(rules: Callable[[], RuleSet]) -> None:
    assert check_rules(rules()) == ()


@pytest.mark.parametrize(
    ("basis_points", "caps", "fits"),
    [
        (1_000, (), True),
        (1_001, (), False),
        (10_000, (RakeCap(players_min=2, cap_chips=4),), True),
        (10_000, (RakeCap(players_min=1, cap_chips=4), RakeCap(players_min=5, cap_chips=6)), True),
        (10_000, (RakeCap(players_min=3, cap_chips=4),), False),
    ],
)
def test_a_tenth_of_the_pot_or_a_cap_bounds_the_rake(basis_points: int, caps: tuple[RakeCap, ...], fits: bool) -> None:
    found = check_rules(rake(basis_points=basis_points, caps=caps))
    assert [violation.field for violation in found] == ([] if fits else ["cash.rake.basis_points"])


STAKES = (
    (
        "an ante as large as the lower limit",
        Stakes(ante_chips=10, bring_in_chips=5, lower_limit_chips=10, upper_limit_chips=20),
        "ante_chips",
    ),
    (
        "no ante without an announcement",
        Stakes(ante_chips=0, bring_in_chips=5, lower_limit_chips=10, upper_limit_chips=20),
        "ante_chips",
    ),
    (
        "no bring-in",
        Stakes(ante_chips=1, bring_in_chips=0, lower_limit_chips=10, upper_limit_chips=20),
        "bring_in_chips",
    ),
    (
        "a bring-in above half",
        Stakes(ante_chips=1, bring_in_chips=6, lower_limit_chips=10, upper_limit_chips=20),
        "bring_in_chips",
    ),
    (
        "an upper limit that is no double",
        Stakes(ante_chips=1, bring_in_chips=5, lower_limit_chips=10, upper_limit_chips=15),
        "upper_limit_chips",
    ),
)


@pytest.mark.parametrize(("stakes", "field"), [row[1:] for row in STAKES], ids=[row[0] for row in STAKES])
def test_amounts_that_the_hand_rules_do_not_allow_are_refused(stakes: Stakes, field: str) -> None:
    found = check_stakes(stakes, CLASSIC.hand)
    assert [violation.field for violation in found] == [f"stakes.{field}"]


def test_a_game_without_ante_may_be_announced() -> None:
    stakes = Stakes(ante_chips=0, bring_in_chips=5, lower_limit_chips=10, upper_limit_chips=20)
    assert check_stakes(stakes, replace(CLASSIC.hand, ante_required=False)) == ()


def test_amounts_are_multiples_of_the_smallest_unit() -> None:
    stakes = Stakes(ante_chips=1, bring_in_chips=5, lower_limit_chips=10, upper_limit_chips=20)
    found = check_stakes(stakes, replace(CLASSIC.hand, odd_chip_unit_chips=5))
    assert [violation.field for violation in found] == ["stakes.ante_chips"]


def test_a_free_tournament_sells_nothing() -> None:
    rules = replace(
        TOURNAMENT,
        rebuy=replace(TOURNAMENT.rebuy, max_count=1),
        add_on=replace(TOURNAMENT.add_on, offered=True, price_max_minor=50),
    )
    assert {found.field for found in check_fee(0, rules)} == {
        "tournament.rebuy.max_count",
        "tournament.add_on.offered",
    }


def test_an_add_on_costs_at_most_the_fee_and_gives_whole_chips() -> None:
    offered = replace(TOURNAMENT, starting_stack_chips=5_000)
    at_8_euro = replace(offered, add_on=replace(TOURNAMENT.add_on, offered=True, price_max_minor=800))
    at_20_50 = replace(offered, add_on=replace(TOURNAMENT.add_on, offered=True, price_max_minor=2_050))
    of_a_third = replace(offered, add_on=replace(TOURNAMENT.add_on, offered=True, price_max_minor=50))
    assert check_fee(2_000, at_8_euro) == ()
    assert next(found.field for found in check_fee(2_000, at_20_50)) == "tournament.add_on.price_max_minor"
    assert [found.field for found in check_fee(150, of_a_third)] == ["tournament.add_on.price_max_minor"]


def test_a_cash_room_plays_no_tournaments() -> None:
    assert check_mode(Mode.CASH, PRESETS["card_room"].hand) == ()
    assert [found.field for found in check_mode(Mode.TOURNAMENT, PRESETS["card_room"].hand)] == ["hand.modes_allowed"]


def test_a_refusal_names_every_field() -> None:
    broken = hand(seats_max=9, raise_cap=-1)
    with pytest.raises(DomainError) as refusal:
        refuse_rules(check_rules(broken))
    assert refusal.value.reason is Reason.RULES_INVALID
    assert [violation.field for violation in refusal.value.violations] == ["hand.seats_max", "hand.raise_cap"]
    assert "hand.seats_max" in refusal.value.message
    assert "hand.raise_cap" in refusal.value.message
