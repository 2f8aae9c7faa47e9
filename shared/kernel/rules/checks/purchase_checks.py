"""Fees, rebuys, add-on and re-entries that make no sense (rules 161-172, 200, 201)."""

from collections.abc import Iterator

from shared.kernel.rules.checks.finding import Row
from shared.kernel.rules.tournament import TournamentRules


def money_rows(rules: TournamentRules) -> Iterator[Row]:
    """Limits of what may be paid fit each other."""
    step, most, cap = rules.fee_step_minor, rules.fee_max_minor, rules.spend_cap_minor
    for field in ("fee_step_minor", "fee_max_minor", "spend_cap_minor", "guarantee_minor", "satellite_seat_minor"):
        yield getattr(rules, field) < 0, field, "0 or more"
    yield step > 0 and most > 0 and most % step != 0, "fee_max_minor", f"a multiple of fee_step_minor, which is {step}"
    over = cap > 0 and most > cap
    yield over, "fee_max_minor", f"at most spend_cap_minor, which is {cap}: nobody could pay it"


def purchase_rows(rules: TournamentRules) -> Iterator[Row]:
    """Rebuys, add-on and late entries end in a level of the list."""
    last = len(rules.levels)
    known = f"a level from 1 to {last}"
    rebuy = rules.rebuy
    yield rebuy.max_count < 0, "rebuy.max_count", "0 (no rebuys) or more"
    yield rebuy.max_count > 0 and not 1 <= rebuy.last_level <= last, "rebuy.last_level", known
    yield rebuy.window_seconds < 0, "rebuy.window_seconds", "0 or more"
    late = rules.late_registration_last_level
    yield not 0 <= late <= last, "late_registration_last_level", f"0 (off) or {known}"
    margin = rules.late_registration_prize_margin
    yield margin < 0, "late_registration_prize_margin", "0 (off) or more"
    idle = margin > 0 and late == 0
    yield idle, "late_registration_prize_margin", "0 where late_registration_last_level is 0: nobody may enter late"
    yield rules.re_entry_max_count < 0, "re_entry_max_count", "0 (off) or more"
    closed = rules.re_entry_max_count > 0 and late == 0
    yield closed, "re_entry_max_count", "0 where late_registration_last_level is 0: a re-entry is a late registration"
    yield from _add_on_rows(rules, known)


def _add_on_rows(rules: TournamentRules, known: str) -> Iterator[Row]:
    terms, step, most = rules.add_on, rules.fee_step_minor, rules.fee_max_minor
    if not terms.offered:
        return
    price = terms.price_max_minor
    yield price < 1, "add_on.price_max_minor", "above 0 where an add-on is offered"
    uneven = step > 0 and price % step != 0
    yield uneven, "add_on.price_max_minor", f"a multiple of fee_step_minor, which is {step}"
    yield 0 < most < price, "add_on.price_max_minor", f"at most the largest fee, which is {most}"
    yield not 1 <= terms.last_level <= len(rules.levels), "add_on.last_level", known


def fee_rows(fee_minor: int, rules: TournamentRules) -> Iterator[Row]:
    """The fee of one event, under its rules (rules 165, 169-172)."""
    step, most, cap = rules.fee_step_minor, rules.fee_max_minor, rules.spend_cap_minor
    yield fee_minor < 0, "fee_minor", "0 (a free tournament) or more"
    yield step > 0 and fee_minor % step != 0, "fee_minor", f"a multiple of {step}"
    yield 0 < most < fee_minor, "fee_minor", f"at most {most}"
    yield 0 < cap < fee_minor, "fee_minor", f"at most {cap}, the most that one player may pay"
    free = fee_minor == 0
    yield free and rules.rebuy.max_count > 0, "rebuy.max_count", "0: a free tournament has no paid rebuys"
    yield free and rules.add_on.offered, "add_on.offered", "false: a free tournament has no paid add-on"
    yield from _add_on_fee_rows(fee_minor, rules)


def _add_on_fee_rows(fee_minor: int, rules: TournamentRules) -> Iterator[Row]:
    if fee_minor <= 0 or not rules.add_on.offered:
        return
    price = rules.add_on.price_max_minor
    yield price > fee_minor, "add_on.price_max_minor", f"at most the fee, which is {fee_minor}"
    broken = rules.starting_stack_chips * price % fee_minor != 0
    yield broken, "add_on.price_max_minor", "starting_stack_chips * price / fee must be a whole number of chips"
