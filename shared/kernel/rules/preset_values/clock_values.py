"""Clocks and presence in each house."""

from dataclasses import replace
from typing import Final

from shared.kernel.rules import clock_options as option
from shared.kernel.rules.clock import ClockRules

BASE: Final = ClockRules(
    decision_seconds=15,
    timeout=option.Timeout.CHECK_FOLD,
    timeout_free=option.TimeoutFree.CHECK,
    timeout_bring_in=option.TimeoutBringIn.POST,
    protect_scope=option.ProtectScope.HAND,
    ante_counts_as_bet=False,
    after_protect=option.AfterProtect.SIT_OUT,
    protect_limit_per_session=0,
    on_disconnect=option.OnDisconnect.CLOCK_THEN_SIT_OUT,
    extra_time_seconds=15,
    time_bank_seconds=0,
    time_bank_refill=option.TimeBankRefill.NONE,
    time_bank_refill_hands=50,
    time_bank_activation=option.TimeBankActivation.AUTO,
    bank_when_disconnected=option.BankWhenDisconnected.USE,
    sit_out_pays=option.SitOutPays.ANTE,
    absent_bring_in=option.AbsentBringIn.FOLD_PASS_ON,
    return_timeout=option.ReturnWhen.AT_ONCE,
    return_disconnect=option.ReturnWhen.NEXT_HAND,
    return_voluntary=option.ReturnWhen.NEXT_HAND,
    no_show=option.NoShow.SIT_OUT,
    showdown_seconds=5,
    seat_lost_seconds=900,
    resume_minimum_seconds=5,
    between_hands_seconds=0,
    all_away_seconds=30,
    entropy_seconds=0,
)

REGULATED_TOURNAMENT: Final = replace(
    BASE,
    timeout=option.Timeout.CHECK_FOLD_SIT_OUT,
    timeout_bring_in=option.TimeoutBringIn.FOLD_PASS_ON,
    time_bank_seconds=60,
)

CARD_ROOM: Final = replace(
    BASE,
    decision_seconds=10,
    timeout=option.Timeout.FREEZE_IF_BET,
    timeout_free=option.TimeoutFree.POLICY,
    sit_out_pays=option.SitOutPays.NOTHING,
    absent_bring_in=option.AbsentBringIn.POST_THEN_FOLD,
    return_timeout=option.ReturnWhen.NEXT_HAND,
)

# At its cash tables nobody who sits out is dealt in (rule 150), so the ante of the absent is a matter of tournaments.
CLASSIC: Final = replace(BASE, absent_bring_in=option.AbsentBringIn.POST_THEN_FOLD)
