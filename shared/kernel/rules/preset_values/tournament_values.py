"""Structure, purchases and prizes of tournaments in each house."""

from dataclasses import replace
from typing import Final

from shared.kernel.rules import tournament_options as option
from shared.kernel.rules.preset_values.level_values import (
    REFERENCE_LEVELS,
    REFERENCE_PRIZE_ROWS,
    STARTING_STACK_CHIPS,
)
from shared.kernel.rules.tournament import AddOnTerms, DoubleChanceTerms, RebuyTerms, TournamentRules

BASE: Final = TournamentRules(
    formula=option.Formula.SINGLE_MATCH,
    starting_stack_chips=STARTING_STACK_CHIPS,
    levels=REFERENCE_LEVELS,
    level_trigger=option.LevelTrigger.TIME,
    level_applies=option.LevelApplies.NEXT_HAND,
    breaks=(),
    rebuy=RebuyTerms(max_count=0, last_level=4, window_seconds=30),
    rebuy_threshold=option.RebuyThreshold.BELOW,
    rebuy_counts_reserve=True,
    add_on=AddOnTerms(offered=False, price_max_minor=0, last_level=4),
    add_on_stack_rule=option.AddOnStackRule.NONE,
    double_chance=DoubleChanceTerms(
        offered=False, release=option.DoubleChanceRelease.ON_BUST_OR_DEADLINE, last_level=3
    ),
    fee_step_minor=0,
    fee_max_minor=0,
    spend_cap_minor=0,
    prize_share_min_basis_points=0,
    prize_share_basis_points=10_000,
    guarantee_minor=0,
    prize_mode=option.PrizeMode.RANKING,
    prize_rows=REFERENCE_PRIZE_ROWS,
    top_prize_above_fee=False,
    top_prize_fix=option.TopPrizeFix.FEWER_PLACES,
    prize_rest=option.PrizeRest.LARGEST_REMAINDER,
    bonus_prizes=(),
    bonus_when=option.BonusWhen.SHOWN_DOWN,
    bonus_times=option.BonusTimes.EVERY,
    same_hand_rank=option.SameHandRank.START_STACK_THEN_SHARE,
    hand_for_hand_across_tables=option.HandForHandAcrossTables.CHIPS,
    hand_for_hand_margin=1,
    halt_short=3,
    round_stack=option.RoundStack.RESET,
    qualifiers=1,
    stud_balance=option.StudBalance.FEWEST_MOVES,
    start_seats=option.StartSeats.RANDOM,
    late_registration_last_level=0,
    late_registration_prize_margin=0,
    re_entry_max_count=0,
    satellite_seat_minor=0,
    deal=option.DealKind.OFF,
)

REGULATED_TOURNAMENT: Final = replace(
    BASE,
    level_trigger=option.LevelTrigger.FIRST_OF_BOTH,
    fee_step_minor=50,
    fee_max_minor=25_000,
    spend_cap_minor=25_000,
    prize_share_min_basis_points=8_000,
    prize_share_basis_points=8_000,
    top_prize_above_fee=True,
)

CARD_ROOM: Final = replace(BASE, start_seats=option.StartSeats.CHOSEN)

CLASSIC: Final = BASE
