"""A random tournament from its number: size, tables, structure, purchases, prizes and what goes wrong on the way."""

from dataclasses import dataclass
from enum import StrEnum
from random import Random

from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import BonusPrize, Break, Level, PrizeRow, RuleSet, Stakes, TournamentRules
from sevenstud.tournament_ledger.v1.tournament_pb2 import START_KIND_ON_COMMAND, Announcement

from tests.support.ledger_house import euro

SIZE_MAX = 300
BONUS_FUND = 5_000


class Formula(StrEnum):
    """How the tournament is played."""

    SINGLE_MATCH = "single match"
    MULTI_TABLE = "multi-table"
    ROUNDS = "rounds"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A tournament to be played."""

    number: int
    formula: Formula
    entrants: int
    latecomers: int
    """Players who may enter after play began."""
    fee_minor: int
    seats_per_table: int
    rules: RuleSet
    trouble: float
    """Share of calls to the ledger that are lost, before or after their effect."""
    restarts: float
    """Share of steps before which the director forgets everything but its log."""

    @property
    def own(self) -> TournamentRules:
        """The rules of the tournament that were chosen."""
        return self.rules.tournament

    def announcement(self) -> Announcement:
        """As it is published."""
        return Announcement(
            name=f"Event {self.number}",
            rules=RuleSelection(preset="regulated_tournament", overrides=self.rules),
            fee=euro(self.fee_minor),
            entrants_min=2,
            entrants_max=self.entrants + self.latecomers,
            seats_per_table=self.seats_per_table,
            start=START_KIND_ON_COMMAND,
            bonus_fund_minor=BONUS_FUND if self.own.bonus_prizes else 0,
        )


def plan_of(number: int, formula: Formula | None = None, entrants: int = 0) -> Plan:
    """The tournament of this number, always the same."""
    rng = Random(f"tournament {number}")
    formula = formula or (Formula.SINGLE_MATCH, Formula.MULTI_TABLE, Formula.MULTI_TABLE, Formula.ROUNDS)[number % 4]
    seats = rng.choice((2, 3, 4, 5, 6, 7, 8, 8, 8))
    if not entrants:
        most = seats if formula is Formula.SINGLE_MATCH else SIZE_MAX
        entrants = SIZE_MAX if number == 5 else round(2 * (most / 2) ** rng.random())
    if formula is Formula.SINGLE_MATCH:
        entrants = min(entrants, seats)
    fee = rng.choice((0, 50, 500, 1_000, 2_500, 10_000))
    own = _rules(rng, formula, fee, entrants, seats)
    late = max(1, entrants // 5) if own.late_registration_last_level else 0
    return Plan(
        number=number,
        formula=formula,
        entrants=entrants,
        latecomers=min(late, seats - entrants) if formula is Formula.SINGLE_MATCH else late,
        fee_minor=fee,
        seats_per_table=seats,
        rules=RuleSet(tournament=own),
        trouble=rng.choice((0.0, 0.0, 0.005)) if entrants < 100 else 0.0,
        restarts=rng.choice((0.0, 0.01, 0.03)) if entrants < 100 else 0.0,
    )


def _rules(rng: Random, formula: Formula, fee: int, entrants: int, seats: int) -> TournamentRules:
    own = TournamentRules(
        formula={
            Formula.SINGLE_MATCH: option.FORMULA_SINGLE_MATCH,
            Formula.MULTI_TABLE: option.FORMULA_MULTI_TABLE,
            Formula.ROUNDS: option.FORMULA_ROUNDS,
        }[formula],
        starting_stack_chips=rng.choice((300, 400, 600, 1_000)),
        prize_share_basis_points=rng.choice((8_000, 8_333, 9_000, 10_000)),
        guarantee_minor=rng.choice((0, 0, 0, 12_345)),
        stud_balance=rng.choice((option.STUD_BALANCE_FEWEST_MOVES, option.STUD_BALANCE_POSITION)),
        halt_short=rng.choice((0, 2, 3)),
        same_hand_rank=rng.choice((option.SAME_HAND_RANK_SHARE, option.SAME_HAND_RANK_START_STACK_THEN_SHARE)),
        prize_rest=rng.choice(
            (option.PRIZE_REST_LARGEST_REMAINDER, option.PRIZE_REST_WINNER, option.PRIZE_REST_SPREAD_FROM_TOP)
        ),
        hand_for_hand_across_tables=rng.choice(
            (
                option.HAND_FOR_HAND_ACROSS_TABLES_OFF,
                option.HAND_FOR_HAND_ACROSS_TABLES_CHIPS,
                option.HAND_FOR_HAND_ACROSS_TABLES_SHARE,
            )
        ),
    )
    _levels(rng, own)
    _prizes(rng, own, entrants)
    many = formula is not Formula.ROUNDS  # matches are played with the stacks that they began with
    if fee and many:
        _purchases(rng, own, fee)
    if many and rng.random() < 0.35:
        own.double_chance.offered = True
        own.double_chance.release = rng.choice(
            (
                option.DOUBLE_CHANCE_RELEASE_ON_BUST_OR_DEADLINE,
                option.DOUBLE_CHANCE_RELEASE_ON_REQUEST_OR_BUST_OR_DEADLINE,
                option.DOUBLE_CHANCE_RELEASE_AT_DEADLINE,
            )
        )
        own.double_chance.last_level = rng.randint(1, 3)
    if formula is Formula.MULTI_TABLE and fee and rng.random() < 0.15:
        own.satellite_seat_minor = 3 * fee
    elif formula is not Formula.ROUNDS and rng.random() < 0.3:
        own.deal = rng.choice((option.DEAL_KIND_EQUAL, option.DEAL_KIND_CHIP_COUNT, option.DEAL_KIND_ICM))
    _less_common(Random(f"less common {rng.random()}"), own, formula)
    if formula is Formula.ROUNDS:
        own.qualifiers = rng.randint(1, max(1, seats // 2))  # a round must exclude somebody
        own.round_stack = rng.choice((option.ROUND_STACK_RESET, option.ROUND_STACK_CARRY))
    return own


def _less_common(rng: Random, own: TournamentRules, formula: Formula) -> None:
    """Seats that players choose, free splits, the end of late entries near the prizes, prizes for rounds passed."""
    if rng.random() < 0.3:
        own.start_seats = option.START_SEATS_CHOSEN
    if own.deal and rng.random() < 0.4:
        own.deal = option.DEAL_KIND_FREE
    if own.late_registration_last_level and rng.random() < 0.5:
        own.late_registration_prize_margin = rng.randint(1, 6)
    if own.bonus_prizes and rng.random() < 0.5:
        own.bonus_when = option.BONUS_WHEN_ALSO_UNCONTESTED
    if formula is Formula.ROUNDS and rng.random() < 0.5:
        own.prize_mode = option.PRIZE_MODE_ROUNDS


def _levels(rng: Random, own: TournamentRules) -> None:
    """Steep: the limit doubles or more in every level."""
    lower, growth = 20, rng.choice((2.0, 2.0, 3.0))
    for _ in range(rng.randint(5, 9)):
        ante = lower // 10 * 2
        stakes = Stakes(
            ante_chips=ante, bring_in_chips=lower // 2, lower_limit_chips=lower, upper_limit_chips=2 * lower
        )
        own.levels.append(
            Level(
                stakes=stakes,
                level_seconds=rng.choice((120, 300)),
                level_hands=rng.choice((2, 3, 5)),
                decision_seconds=0,
            )
        )
        lower = round(lower * growth / 10) * 10
    own.level_trigger = rng.choice(
        (
            option.LEVEL_TRIGGER_TIME,
            option.LEVEL_TRIGGER_HANDS,
            option.LEVEL_TRIGGER_FIRST_OF_BOTH,
            option.LEVEL_TRIGGER_LAST_OF_BOTH,
        )
    )
    for level in (1, 2, 3):
        if rng.random() < 0.3:
            own.breaks.append(Break(after_level=level, length_seconds=rng.choice((60, 300))))


def _prizes(rng: Random, own: TournamentRules, entrants: int) -> None:
    own.prize_rows.append(PrizeRow(entrants_min=2, weights=rng.choice(((1,), (65, 35)))))
    own.prize_rows.append(PrizeRow(entrants_min=6, weights=(50, 30, 20)))
    paid = rng.randint(4, 24)
    weights = sorted((rng.randint(1, 60) for _ in range(paid)), reverse=True)
    own.prize_rows.append(PrizeRow(entrants_min=24, weights=weights))
    if rng.random() < 0.4:
        own.bonus_prizes.append(BonusPrize(feat=option.FEAT_FOUR_OF_A_KIND, amount_minor=rng.choice((100, 333))))
        own.bonus_prizes.append(BonusPrize(feat=option.FEAT_ROYAL_FLUSH, amount_minor=1_000))
        own.bonus_times = rng.choice(
            (option.BONUS_TIMES_FIRST, option.BONUS_TIMES_EVERY, option.BONUS_TIMES_PER_PLAYER)
        )
    del entrants


def _purchases(rng: Random, own: TournamentRules, fee: int) -> None:
    if rng.random() < 0.6:
        own.rebuy.max_count = rng.randint(1, 3)
        own.rebuy.last_level = rng.randint(1, 3)
        own.rebuy.window_seconds = rng.choice((0, 30, 90))
        own.rebuy_threshold = rng.choice(
            (option.REBUY_THRESHOLD_BELOW, option.REBUY_THRESHOLD_AT_OR_BELOW, option.REBUY_THRESHOLD_BUSTED)
        )
    if rng.random() < 0.5:
        own.add_on.offered = True
        own.add_on.price_max_minor = fee
        own.add_on.last_level = rng.randint(1, 3)
    if rng.random() < 0.35:
        own.late_registration_last_level = rng.randint(1, 2)
        own.re_entry_max_count = rng.choice((0, 1, 2))
