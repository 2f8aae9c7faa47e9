"""Betting and dealing in each house: the base has the product's defaults, the houses say where they differ."""

from dataclasses import replace
from typing import Final

from shared.kernel.game import Mode, Street, Structure
from shared.kernel.rules import hand_options as option
from shared.kernel.rules.hand import HandRules

BASE: Final = HandRules(
    seats_max=8,
    modes_allowed=(Mode.CASH, Mode.TOURNAMENT),
    structures_allowed=(Structure.LIMIT, Structure.POT_LIMIT, Structure.NO_LIMIT),
    structure=Structure.LIMIT,
    upper_is_double=True,
    lower_limit_streets=(Street.THIRD, Street.FOURTH),
    dealer_position=option.DealerPosition.FIXED,
    burn_streets=option.BurnStreets.FOURTH_TO_SEVENTH,
    river_burn_shortfall=option.RiverBurnShortfall.SKIP,
    exhaustion=option.Exhaustion.RESHUFFLE_ELSE_COMMON,
    common_card_source=option.CommonCardSource.STUB_AND_BURNS,
    burn_after_reshuffle=option.BurnAfterReshuffle.NEVER,
    common_card_opener=option.CommonCardOpener.UP_CARDS,
    ante_required=True,
    bring_in_by=option.BringInBy.LOW,
    bring_in_suits=option.SuitOrder.CDHS,
    high_door_tie=option.HighDoorTie.SUIT,
    bring_in_max_basis_points=5_000,
    bring_in_fold=option.BringInFold.NO,
    bring_in_full=True,
    bring_in_no_chips=option.BringInNoChips.LEFT,
    short_bring_in_price=option.ShortBringInPrice.NOMINAL,
    bring_in_live_option=False,
    third_street_over_bring_in=option.ThirdStreetOverBringIn.COMPLETE,
    raise_cap=3,
    completion_counts=False,
    heads_up_cap=option.HeadsUpCap.LIFT_BEFORE_CAP,
    heads_up_raise_cap=5,
    heads_up_counts_all_in=False,
    open_pair_fourth=option.OpenPairFourth.OFF,
    open_pair_persists=True,
    big_bet_minimum=option.BigBetMinimum.LOWER,
    pot_limit_max=option.PotLimitMax.POT_AFTER_CALL,
    pot_below_minimum=option.PotBelowMinimum.MINIMUM_ALLOWED,
    short_all_in_limit=option.ShortAllInLimit.HALF,
    short_all_in_big_bet=option.ShortAllInBigBet.CUMULATIVE,
    opener_tie=option.OpenerTie.POSITION,
    all_in_high_hand=option.AllInHighHand.NEXT_CLOCKWISE,
    fold_when_check_free=True,
    show_first_unbet=option.ShowFirstUnbet.HIGH_BOARD,
    losers_may_muck=True,
    first_to_show_may_muck=False,
    all_in_exposure=option.AllInExposure.IMMEDIATE,
    mucked_in_history=option.MuckedInHistory.OWNER_ONLY,
    ask_to_see=option.AskToSee.NONE,
    odd_chip=option.OddChip.FIVE_CARD_SUIT,
    odd_chip_unit_chips=1,
)

REGULATED_TOURNAMENT: Final = replace(
    BASE,
    modes_allowed=(Mode.TOURNAMENT,),
    burn_streets=option.BurnStreets.FOURTH_TO_SIXTH,
    common_card_source=option.CommonCardSource.BURNS,
    bring_in_fold=option.BringInFold.PASS_NEXT_LOWEST,
    bring_in_full=False,
    bring_in_no_chips=option.BringInNoChips.NEXT_LOWEST,
    heads_up_cap=option.HeadsUpCap.ALWAYS,
    open_pair_fourth=option.OpenPairFourth.HOLDER_BET,
    big_bet_minimum=option.BigBetMinimum.UPPER,
    all_in_exposure=option.AllInExposure.SHOWDOWN_ORDER,
)

CARD_ROOM: Final = replace(
    BASE,
    modes_allowed=(Mode.CASH,),
    structures_allowed=(Structure.LIMIT,),
    common_card_source=option.CommonCardSource.BURNS,
    heads_up_cap=option.HeadsUpCap.LIFT_ANYTIME,
    heads_up_counts_all_in=True,
    open_pair_fourth=option.OpenPairFourth.ANY_PLAYER,
    show_first_unbet=option.ShowFirstUnbet.FIRST_TO_ACT,
    all_in_exposure=option.AllInExposure.SHOWDOWN_ORDER,
    mucked_in_history=option.MuckedInHistory.PLAYERS_OF_HAND,
    ask_to_see=option.AskToSee.HISTORY,
    odd_chip=option.OddChip.POSITION,
)

CLASSIC: Final = replace(
    BASE,
    structures_allowed=(Structure.LIMIT, Structure.POT_LIMIT),
    exhaustion=option.Exhaustion.COMMON_AT_ONCE,
    common_card_source=option.CommonCardSource.STUB,
    bring_in_by=option.BringInBy.LOW_LIMIT_HIGH_POT,
    open_pair_fourth=option.OpenPairFourth.HOLDER_BET,
    all_in_exposure=option.AllInExposure.SHOWDOWN_ORDER,
)
