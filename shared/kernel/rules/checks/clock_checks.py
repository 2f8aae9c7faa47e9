"""Clock rules that make no sense together (rules 20, 128, 138-141, 143, 149)."""

from collections.abc import Iterator

from shared.kernel.errors import FieldViolation
from shared.kernel.game import Mode
from shared.kernel.rules.checks.finding import Row, violations
from shared.kernel.rules.clock import ClockRules
from shared.kernel.rules.clock_options import OnDisconnect, SitOutPays, TimeBankRefill
from shared.kernel.rules.hand import HandRules

_NOT_NEGATIVE = (
    "protect_limit_per_session",
    "time_bank_seconds",
    "showdown_seconds",
    "seat_lost_seconds",
    "resume_minimum_seconds",
    "between_hands_seconds",
    "all_away_seconds",
)


def check_clock_rules(rules: ClockRules, hand: HandRules, path: str = "clock") -> tuple[FieldViolation, ...]:
    """Everything about clocks and presence that makes no sense, field by field."""
    return violations(path, (*_amount_rows(rules), *_meaning_rows(rules, hand)))


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
    free_ride = rules.sit_out_pays is SitOutPays.NOTHING and Mode.CASH not in hand.modes_allowed
    yield free_ride, "sit_out_pays", "ANTE or ANTE_AND_BRING_IN: in tournaments everybody seated pays the ante"
