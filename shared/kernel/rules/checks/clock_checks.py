"""Clock rules that make no sense together (rules 20, 29, 43, 128, 130, 138-141, 143, 144, 149)."""

from collections.abc import Iterator

from shared.kernel.errors import FieldViolation
from shared.kernel.game import Mode
from shared.kernel.rules.checks.finding import Row, violations
from shared.kernel.rules.clock import ClockRules
from shared.kernel.rules.clock_options import (
    AbsentBringIn,
    OnDisconnect,
    SitOutPays,
    TimeBankRefill,
    Timeout,
    TimeoutBringIn,
    TimeoutFree,
)
from shared.kernel.rules.hand import HandRules
from shared.kernel.rules.hand_options import BringInFold

_NOT_NEGATIVE = (
    "protect_limit_per_session",
    "time_bank_seconds",
    "showdown_seconds",
    "seat_lost_seconds",
    "resume_minimum_seconds",
    "between_hands_seconds",
    "all_away_seconds",
    "entropy_seconds",
)


def check_clock_rules(rules: ClockRules, hand: HandRules, path: str = "clock") -> tuple[FieldViolation, ...]:
    """Everything about clocks and presence that makes no sense, field by field."""
    rows = (*_amount_rows(rules), *_meaning_rows(rules, hand), *_fold_rows(rules, hand))
    return violations(path, rows)


def _amount_rows(rules: ClockRules) -> Iterator[Row]:
    yield rules.decision_seconds < 1, "decision_seconds", "at least 1"
    for field in _NOT_NEGATIVE:
        yield getattr(rules, field) < 0, field, "0 or more"
    extra = rules.on_disconnect is OnDisconnect.EXTRA_TIME and rules.extra_time_seconds < 1
    yield extra, "extra_time_seconds", "at least 1 where on_disconnect is EXTRA_TIME"


def _meaning_rows(rules: ClockRules, hand: HandRules) -> Iterator[Row]:
    refill = rules.time_bank_refill
    by_hands = refill is TimeBankRefill.HANDS and rules.time_bank_refill_hands < 1
    yield by_hands, "time_bank_refill_hands", "at least 1 where time_bank_refill is HANDS"
    no_bank = refill is not TimeBankRefill.NONE and rules.time_bank_seconds == 0
    yield no_bank, "time_bank_refill", "NONE where time_bank_seconds is 0: there is no bank to fill"
    no_final = refill is TimeBankRefill.FINAL_TABLE and Mode.TOURNAMENT not in hand.modes_allowed
    yield no_final, "time_bank_refill", "FINAL_TABLE needs TOURNAMENT among hand.modes_allowed"
    free_ride = rules.sit_out_pays is SitOutPays.NOTHING and Mode.CASH not in hand.modes_allowed
    yield free_ride, "sit_out_pays", "ANTE or ANTE_AND_BRING_IN: in tournaments everybody seated pays the ante"


def _fold_rows(rules: ClockRules, hand: HandRules) -> Iterator[Row]:
    """The clock and absence fold only where the player may fold."""
    must_pay = hand.bring_in_fold is BringInFold.NO
    declined = must_pay and rules.timeout_bring_in is not TimeoutBringIn.POST
    yield declined, "timeout_bring_in", "POST where hand.bring_in_fold is NO: the bring-in may not be declined"
    passed_on = rules.absent_bring_in is AbsentBringIn.FOLD_PASS_ON
    folded = passed_on and rules.sit_out_pays is not SitOutPays.ANTE_AND_BRING_IN  # who pays it anyway declines nothing
    posts = "POST_THEN_FOLD, or sit_out_pays ANTE_AND_BRING_IN, where hand.bring_in_fold is NO"
    yield must_pay and folded, "absent_bring_in", posts
    free = rules.timeout_free
    freezes = free is TimeoutFree.POLICY and rules.timeout is Timeout.FREEZE_IF_BET  # who has not bet is folded
    given_up = not hand.fold_when_check_free and (free is TimeoutFree.FOLD or freezes)
    checks = "CHECK where hand.fold_when_check_free is false: nobody folds where a check is free"
    yield given_up, "timeout_free", checks
