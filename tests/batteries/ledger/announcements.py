"""Random announcements: every option of purchases and prizes, and some that cannot be played."""

from random import Random

from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import BonusPrize, PrizeRow, RuleSet, TournamentRules
from sevenstud.tournament_ledger.v1.tournament_pb2 import START_KIND_ON_COMMAND, Announcement

from tests.support.ledger_house import euro

STACKS = (600, 1_000, 3_000)


def random_rules(rng: Random, fee_minor: int) -> RuleSet:
    """Overrides of the regulated preset."""
    rules = RuleSet()
    own = rules.tournament
    own.formula = option.FORMULA_MULTI_TABLE
    own.starting_stack_chips = rng.choice(STACKS)
    own.prize_share_basis_points = rng.choice((8_000, 8_333, 9_500, 10_000))
    own.prize_rest = rng.choice(
        (option.PRIZE_REST_LARGEST_REMAINDER, option.PRIZE_REST_WINNER, option.PRIZE_REST_SPREAD_FROM_TOP)
    )
    own.same_hand_rank = rng.choice((option.SAME_HAND_RANK_SHARE, option.SAME_HAND_RANK_START_STACK_THEN_SHARE))
    own.guarantee_minor = rng.choice((0, 0, 3_333, 50_000))
    own.prize_rows.extend(
        [
            PrizeRow(entrants_min=2, weights=rng.choice(((1,), (2, 1), (60, 40)))),
            PrizeRow(entrants_min=5, weights=(50, 30, 20)),
            PrizeRow(entrants_min=9, weights=(40, 24, 16, 12, 8)),
        ]
    )
    if rng.random() < 0.15:
        own.formula, own.qualifiers = option.FORMULA_ROUNDS, 1
        own.round_stack = rng.choice((option.ROUND_STACK_RESET, option.ROUND_STACK_CARRY))
        return rules
    _purchases(rng, own, fee_minor)
    _later(rng, own, fee_minor)
    if rng.random() < 0.4:
        own.bonus_prizes.extend(
            [
                BonusPrize(feat=option.FEAT_FOUR_OF_A_KIND, amount_minor=100),
                BonusPrize(feat=option.FEAT_ROYAL_FLUSH, amount_minor=555),
            ]
        )
        own.bonus_times = rng.choice(
            (option.BONUS_TIMES_FIRST, option.BONUS_TIMES_EVERY, option.BONUS_TIMES_PER_PLAYER)
        )
    return rules


def _later(rng: Random, own: TournamentRules, fee_minor: int) -> None:
    if rng.random() < 0.3:
        own.late_registration_last_level = rng.randint(1, 3)
        own.re_entry_max_count = rng.choice((0, 1, 2))
    if rng.random() < 0.4:
        own.deal = rng.choice(
            (option.DEAL_KIND_EQUAL, option.DEAL_KIND_CHIP_COUNT, option.DEAL_KIND_ICM, option.DEAL_KIND_FREE)
        )
    elif rng.random() < 0.15:
        own.satellite_seat_minor = max(2 * fee_minor, 100)
    own.hand_for_hand_across_tables = rng.choice(
        (
            option.HAND_FOR_HAND_ACROSS_TABLES_OFF,
            option.HAND_FOR_HAND_ACROSS_TABLES_CHIPS,
            option.HAND_FOR_HAND_ACROSS_TABLES_SHARE,
        )
    )


def _purchases(rng: Random, own: TournamentRules, fee_minor: int) -> None:
    if fee_minor and rng.random() < 0.7:
        own.rebuy.max_count = rng.randint(1, 4)
        own.rebuy.last_level = rng.randint(1, 4)
        own.rebuy.window_seconds = rng.choice((0, 30, 60))
        own.rebuy_threshold = rng.choice(
            (option.REBUY_THRESHOLD_BELOW, option.REBUY_THRESHOLD_AT_OR_BELOW, option.REBUY_THRESHOLD_BUSTED)
        )
    if fee_minor and rng.random() < 0.6:
        own.add_on.offered = True
        own.add_on.price_max_minor = fee_minor
        own.add_on.last_level = rng.randint(1, 4)
    if rng.random() < 0.4:
        own.double_chance.offered = True
        own.double_chance.release = rng.choice(
            (
                option.DOUBLE_CHANCE_RELEASE_ON_BUST_OR_DEADLINE,
                option.DOUBLE_CHANCE_RELEASE_AT_DEADLINE,
            )
        )
        own.double_chance.last_level = rng.randint(1, 3)
    if rng.random() < 0.5:
        own.spend_cap_minor = rng.choice((25_000, 2 * fee_minor or 25_000))


def random_announcement(rng: Random) -> Announcement:
    """A tournament at random; one in eight cannot be played as announced."""
    fee_minor = rng.choice((0, 50, 500, 1_000, 10_000, 25_000))
    rules = random_rules(rng, fee_minor)
    if rules.tournament.spend_cap_minor and rules.tournament.spend_cap_minor < 25_000:
        rules.tournament.fee_max_minor = rules.tournament.spend_cap_minor
    announcement = Announcement(
        name="Event",
        rules=RuleSelection(preset="regulated_tournament", overrides=rules),
        fee=euro(fee_minor),
        entrants_min=2,
        entrants_max=rng.choice((3, 6, 12)),
        seats_per_table=rng.choice((2, 4, 8)),
        start=START_KIND_ON_COMMAND,
        bonus_fund_minor=rng.choice((655, 5_000)) if rules.tournament.bonus_prizes else 0,
    )
    if rng.random() < 0.125:
        _spoil(rng, announcement)
    return announcement


def _spoil(rng: Random, announcement: Announcement) -> None:
    own = announcement.rules.overrides.tournament
    wrong = rng.randrange(5)
    if wrong == 0:
        announcement.fee.amount_minor = 75
    elif wrong == 1:
        own.prize_share_basis_points = 7_999
    elif wrong == 2:
        own.starting_stack_chips = 1_001
        own.double_chance.offered = True
    elif wrong == 3:
        announcement.fee.amount_minor = 25_050
    else:
        announcement.seats_per_table = 9
