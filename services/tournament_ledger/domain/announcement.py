"""What is published before a tournament, and whether it can be played as announced (rules 160, 167-182)."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from services.tournament_ledger.domain.amounts import AMOUNT_MAX, TABLE_CHIPS_MAX, Money
from shared.kernel.errors import FieldViolation
from shared.kernel.game import Mode
from shared.kernel.rules import BonusWhen, DealKind, Formula, RuleSet, TournamentRules
from shared.kernel.rules.validation import check_fee, check_mode, check_rules


class StartKind(StrEnum):
    """How a tournament begins (rule 160)."""

    SCHEDULED = "SCHEDULED"
    SIT_AND_GO = "SIT_AND_GO"
    ON_COMMAND = "ON_COMMAND"


@dataclass(frozen=True, slots=True, kw_only=True)
class Announcement:
    """Everything that is published, but for the rules in full; frozen from here on."""

    name: str
    preset: str
    """Name of the preset, as chosen; the rules in full lie beside it."""
    overrides: bytes
    """What was chosen to be different, as received: kept to be shown, never read here."""
    fee: Money
    entrants_min: int
    entrants_max: int
    seats_per_table: int
    start: StartKind
    starts_at: datetime | None
    bonus_fund_minor: int


def announcement_violations(announcement: Announcement, rules: RuleSet) -> tuple[FieldViolation, ...]:
    """Everything that makes no sense, field by field, the rules included (rules 154-182)."""
    found = (
        *check_mode(Mode.TOURNAMENT, rules.hand),
        *check_rules(rules),
        *check_fee(announcement.fee.amount_minor, rules.tournament),
    )
    own = (*_field_rows(announcement, rules), *_bonus_rows(announcement, rules))
    own = (*own, *_size_rows(announcement, rules.tournament), *_unserved_rows(rules.tournament))
    own = (*own, *_round_rows(announcement, rules.tournament))
    own_found = (FieldViolation(field, allowed) for broken, field, allowed in own if broken)
    return tuple(_in_request(violation) for violation in (*found, *own_found))


def _in_request(violation: FieldViolation) -> FieldViolation:
    """The same violation with the path that the field has in the request."""
    field = violation.field
    if field.startswith("announcement."):
        return violation
    path = _FEE if field == "tournament.fee_minor" else f"{_RULES}.{field}"
    return FieldViolation(path, violation.description)


_FEE = "announcement.fee.amount_minor"
_RULES = "announcement.rules.overrides"

_Row = tuple[bool, str, str]


def _field_rows(announcement: Announcement, rules: RuleSet) -> Iterator[_Row]:
    least, most, seats = announcement.entrants_min, announcement.entrants_max, announcement.seats_per_table
    yield most < least, "announcement.entrants_max", f"at least entrants_min, which is {least}"
    table = rules.hand.seats_max
    yield seats > table, "announcement.seats_per_table", f"at most {table}, the seats of a table under these rules"
    single = rules.tournament.formula is Formula.SINGLE_MATCH and most > seats
    yield single, "announcement.entrants_max", f"at most {seats}: a SINGLE_MATCH is played at one table"
    unscheduled = announcement.start is StartKind.SCHEDULED and announcement.starts_at is None
    yield unscheduled, "announcement.starts_at", "a moment: start is SCHEDULED"


def _bonus_rows(announcement: Announcement, rule_set: RuleSet) -> Iterator[_Row]:
    rules = rule_set.tournament
    needed = sum(prize.amount_minor for prize in rules.bonus_prizes)
    short = announcement.bonus_fund_minor < needed
    yield short, "announcement.bonus_fund_minor", f"at least {needed}, so that each bonus prize can be paid once"
    idle = announcement.bonus_fund_minor > 0 and not rules.bonus_prizes
    yield idle, "announcement.bonus_fund_minor", "0 where no bonus prize is announced"
    unasked = bool(rules.bonus_prizes) and rules.bonus_when is BonusWhen.ALSO_UNCONTESTED
    hurried = unasked and rule_set.clock.showdown_seconds == 0
    yield hurried, "clock.showdown_seconds", "above 0 where bonus_when is ALSO_UNCONTESTED: the time to show unasked"


def _size_rows(announcement: Announcement, rules: TournamentRules) -> Iterator[_Row]:
    entries = announcement.entrants_max * (2 + rules.rebuy.max_count + rules.re_entry_max_count)
    chips = rules.starting_stack_chips * entries > TABLE_CHIPS_MAX
    most = f"at most {TABLE_CHIPS_MAX // entries}, so that {entries} stacks are no more than {TABLE_CHIPS_MAX} chips"
    yield chips, "tournament.starting_stack_chips", most
    money = announcement.fee.amount_minor * entries + rules.guarantee_minor > AMOUNT_MAX
    yield money, _FEE, f"{entries} purchases must stay below 2^63 minor units"


def _unserved_rows(rules: TournamentRules) -> Iterator[_Row]:
    """Options that this ledger cannot carry out are refused, never taken in silence."""
    dealt = rules.satellite_seat_minor > 0 and rules.deal is not DealKind.OFF
    yield dealt, "tournament.deal", "OFF in a satellite: its seats are equal prizes"
    yield from _late_rows(rules)


def _late_rows(rules: TournamentRules) -> Iterator[_Row]:
    """Late entries need a table with seats to come to, and a match that is not over."""
    if rules.formula is Formula.ROUNDS:
        bare = "where formula is ROUNDS: every match is played with the stacks that it began with"
        yield rules.rebuy.max_count > 0, "tournament.rebuy.max_count", f"0 {bare}"
        yield rules.add_on.offered, "tournament.add_on.offered", f"false {bare}"
        yield rules.double_chance.offered, "tournament.double_chance.offered", f"false {bare}"
        late = rules.late_registration_last_level > 0
        yield late, "tournament.late_registration_last_level", f"0 {bare}"
        yield rules.satellite_seat_minor > 0, "tournament.satellite_seat_minor", "0 where formula is ROUNDS"


def _round_rows(announcement: Announcement, rules: TournamentRules) -> Iterator[_Row]:
    most = max(announcement.seats_per_table // 2, 1)
    many = rules.formula is Formula.ROUNDS and rules.qualifiers > most
    allowed = f"at most {most}, half of seats_per_table: a round must exclude somebody, whoever comes"
    yield many, "tournament.qualifiers", allowed
    small = rules.top_prize_above_fee and 0 < rules.satellite_seat_minor <= announcement.fee.amount_minor
    yield small, "tournament.satellite_seat_minor", f"above the fee, which is {announcement.fee.amount_minor}"
