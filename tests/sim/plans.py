"""What a seed stands for: a cash table of up to ten hands or a small tournament, the weather, the crashes."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import Final

from sevenstud.common.v1 import game_pb2 as game
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import Break, Level, PrizeRow, RuleSet, Stakes
from sevenstud.tournament_ledger.v1.tournament_pb2 import (
    START_KIND_ON_COMMAND,
    START_KIND_SCHEDULED,
    START_KIND_SIT_AND_GO,
    Announcement,
)

from tests.sim.leanings import NOTHING_SPECIAL, USUAL, Leaning, Traits, traits_of
from tests.sim.loop import BEGAN
from tests.sim.store import DiskHabits
from tests.sim.weather import Weather
from tests.support.ledger_house import euro

NAMES: Final = ("ann", "bob", "cid", "dot", "eve", "fay", "gus", "hal")
BUY_IN_CHIPS: Final = 40
"""In an evening of purchases."""
_UNCLEAR_RATE: Final = 0.02
_DEALS: Final = (option.DEAL_KIND_EQUAL, option.DEAL_KIND_CHIP_COUNT, option.DEAL_KIND_ICM)
_STRUCTURES: Final = (
    game.STRUCTURE_LIMIT,
    game.STRUCTURE_LIMIT,
    game.STRUCTURE_POT_LIMIT,
    game.STRUCTURE_NO_LIMIT,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chaos:
    """How often something breaks on its own, and how often right after a write."""

    mean_seconds: float
    """Seconds between two troubles; 0 = none."""
    after_write_rate: float
    """Share of durable writes after which a service crashes within some milliseconds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One simulated world."""

    seed: int
    tournament: bool
    players: tuple[str, ...]
    hands_max: int
    buy_in_chips: int
    rules: RuleSet
    seats_per_table: int
    sit_and_go: bool
    weather: Weather
    habits: DiskHabits
    chaos: Chaos
    hasty_rate: float
    """Share of the players' calls that hang up while the handler is at work."""
    traits: Traits = NOTHING_SPECIAL

    @property
    def stakes(self) -> Stakes:
        """Of the cash table."""
        return Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=5, upper_limit_chips=10)

    @property
    def selection(self) -> RuleSelection:
        """The rules as chosen."""
        return RuleSelection(preset="card_room", overrides=self.rules)

    def announcement(self) -> Announcement:
        """The tournament as it is published."""
        announcement = Announcement(
            name=f"World {self.seed}",
            rules=RuleSelection(preset="regulated_tournament", overrides=self.rules),
            fee=euro(500),
            entrants_min=2,
            entrants_max=len(self.players),
            seats_per_table=self.seats_per_table,
            start=START_KIND_SIT_AND_GO if self.sit_and_go else START_KIND_ON_COMMAND,
        )
        if self.starts_at is not None:
            announcement.start = START_KIND_SCHEDULED
            announcement.starts_at.FromDatetime(self.starts_at)
        return announcement

    @property
    def starts_at(self) -> datetime | None:
        """When play begins, where it was announced."""
        seconds = self.traits.scheduled_seconds
        return BEGAN + timedelta(seconds=seconds) if seconds else None


def plan_of(seed: int, leaning: Leaning = USUAL) -> Plan:
    """The world of a seed, always the same."""
    plan = _plain(seed, leaning)
    traits = traits_of(seed, leaning, tournament=plan.tournament)
    if traits.purchases:
        plan = doubtful(seed)
    if traits.adds:
        plan.rules.cash.buy_in, plan.rules.cash.cash_add = option.BUY_IN_RANGE, option.CASH_ADD_BELOW_BUY_IN
    if traits.purchases:
        return replace(plan, traits=traits)
    if traits.extras:
        _extras(Random(f"extras {seed}"), plan.rules)
    if traits.paused and traits.extras:
        plan.rules.tournament.deal = Random(f"deal {seed}").choice(_DEALS)
    if traits.late:
        _late(Random(f"late {seed}"), plan.rules)
    plan = _event(plan, traits)
    plan.rules.clock.entropy_seconds = traits.entropy_seconds
    return replace(
        plan,
        hands_max=min(plan.hands_max, 4) if traits.restless_rate else plan.hands_max,
        sit_and_go=plan.sit_and_go and not (traits.late or traits.scheduled_seconds),
        habits=replace(plan.habits, unclear_rate=_UNCLEAR_RATE if traits.unclear else 0.0),
        hasty_rate=0.7 if traits.hasty else plan.hasty_rate,
        traits=traits,
    )


def _plain(seed: int, leaning: Leaning = USUAL) -> Plan:
    """The world of a seed without what is special about it."""
    rng = Random(f"world {seed}")
    tournament = rng.random() < leaning.tournament
    players = NAMES[: rng.randint(2, 6 if tournament else 8)]
    trouble = rng.choice(leaning.trouble)
    buy_in = rng.choice((20, 40, 60, 100))
    return Plan(
        seed=seed,
        tournament=tournament,
        players=players,
        hands_max=min(rng.randint(1, 10), rng.randint(1, 10)),  # many short evenings, some long ones
        buy_in_chips=buy_in,
        rules=_tournament_rules(rng) if tournament else cash_rules(rng, buy_in),
        seats_per_table=rng.choice((len(players), max(2, len(players) // 2 + len(players) % 2))),
        sit_and_go=rng.random() < 0.5,
        weather=_weather(rng, trouble),
        habits=_habits(rng, trouble),
        chaos=Chaos(mean_seconds=60.0 / trouble if trouble else 0.0, after_write_rate=0.02 * trouble),
        hasty_rate=trouble * rng.choice((0.0, 0.03, 0.1)),
    )


def calm(seed: int) -> Plan:
    """The world of a seed in which nothing breaks."""
    chaos = Chaos(mean_seconds=0.0, after_write_rate=0.0)
    return replace(_plain(seed), weather=Weather(), habits=DiskHabits(), chaos=chaos, hasty_rate=0.0)


def doubtful(seed: int) -> Plan:
    """An evening of purchases: three players, one table, a network that loses much, and no other trouble."""
    return replace(
        calm(seed),
        tournament=False,
        players=NAMES[:3],
        hands_max=1,
        buy_in_chips=BUY_IN_CHIPS,
        rules=cash_rules(Random(f"doubtful {seed}"), BUY_IN_CHIPS),
        weather=Weather(loss_rate=0.25),
        traits=Traits(purchases=True),
    )


def _weather(rng: Random, trouble: float) -> Weather:
    return Weather(
        slow_rate=trouble * rng.choice((0.0, 0.01, 0.03)),
        loss_rate=trouble * rng.choice((0.0, 0.005, 0.02)),
        twice_rate=trouble * rng.choice((0.0, 0.02, 0.1)),
        break_rate=trouble * rng.choice((0.0, 0.01)),
    )


def _habits(rng: Random, trouble: float) -> DiskHabits:
    return DiskHabits(
        full_rate=trouble * rng.choice((0.0, 0.0, 0.005)),
        broken_rate=trouble * rng.choice((0.0, 0.0, 0.002)),
    )


def _clock(rng: Random, rules: RuleSet) -> None:
    clock = rules.clock
    clock.decision_seconds = rng.choice((8, 15, 20))
    clock.time_bank_seconds = rng.choice((0, 5, 10))
    clock.showdown_seconds = rng.choice((0, 0, 3))
    clock.between_hands_seconds = rng.choice((0, 0, 2))
    clock.resume_minimum_seconds = rng.choice((0, 5))


def cash_rules(rng: Random, buy_in: int) -> RuleSet:
    rules = RuleSet()
    _clock(rng, rules)
    rules.hand.structure = rng.choice(_STRUCTURES)
    rules.hand.structures_allowed.extend(sorted(set(_STRUCTURES)))
    rules.cash.buy_in_min_chips = buy_in
    rules.cash.buy_in_max_chips = 3 * buy_in
    if rng.random() < 0.5:
        rules.cash.rake.basis_points = 500
        rules.cash.rake.unit_chips = 1
    return rules


def _tournament_rules(rng: Random) -> RuleSet:
    rules = RuleSet()
    _clock(rng, rules)
    rules.clock.decision_seconds = rng.choice((8, 15))
    own = rules.tournament
    own.formula = option.FORMULA_MULTI_TABLE
    own.starting_stack_chips = rng.choice((100, 200))
    own.level_trigger = option.LEVEL_TRIGGER_HANDS
    lower = 20
    for _ in range(5):
        stakes = Stakes(ante_chips=lower // 5, bring_in_chips=lower // 2, lower_limit_chips=lower)
        stakes.upper_limit_chips = 2 * lower
        own.levels.append(Level(stakes=stakes, level_seconds=300, level_hands=rng.choice((1, 2)), decision_seconds=0))
        lower *= 2
    own.prize_rows.append(PrizeRow(entrants_min=2, weights=rng.choice(((1,), (65, 35)))))
    own.hand_for_hand_across_tables = rng.choice(
        (option.HAND_FOR_HAND_ACROSS_TABLES_OFF, option.HAND_FOR_HAND_ACROSS_TABLES_CHIPS)
    )
    if rng.random() < 0.4:
        own.rebuy.max_count = 1
        own.rebuy.last_level = 2
        own.rebuy.window_seconds = 30
        own.rebuy_threshold = option.REBUY_THRESHOLD_BUSTED
    return rules


def _late(rng: Random, rules: RuleSet) -> None:
    """Late registration and entering again."""
    own = rules.tournament
    own.late_registration_last_level = rng.choice((2, 3))
    own.re_entry_max_count = 1
    own.rebuy.max_count = rng.choice((0, 1))
    own.rebuy.last_level = 2
    own.rebuy.window_seconds = rng.choice((5, 30))
    own.rebuy_threshold = option.REBUY_THRESHOLD_BUSTED


def _event(plan: Plan, traits: Traits) -> Plan:
    """What kind of tournament it is."""
    own = plan.rules.tournament
    if traits.satellite:
        own.satellite_seat_minor = Random(f"seats {plan.seed}").choice((501, 700, 900))
        own.deal = option.DEAL_KIND_OFF
    if traits.entering:
        own.start_seats = option.START_SEATS_CHOSEN
    return _rounds(Random(f"matches {plan.seed}"), plan) if traits.rounds else plan


def _rounds(rng: Random, plan: Plan) -> Plan:
    """Matches at several tables, of which the best reach the next round."""
    own = plan.rules.tournament
    players, seats = NAMES[: rng.randint(4, 8)], rng.choice((2, 3, 4))
    own.formula, own.qualifiers = option.FORMULA_ROUNDS, rng.randint(1, seats // 2)
    own.round_stack = rng.choice((option.ROUND_STACK_RESET, option.ROUND_STACK_CARRY))
    own.prize_mode = rng.choice((option.PRIZE_MODE_RANKING, option.PRIZE_MODE_ROUNDS))
    own.rebuy.max_count = 0
    return replace(plan, players=players, seats_per_table=seats)


def _extras(rng: Random, rules: RuleSet) -> None:
    """What else may be bought, and breaks."""
    own = rules.tournament
    own.rebuy.max_count = rng.choice((0, 2))
    own.rebuy.last_level = 3
    own.rebuy.window_seconds = rng.choice((5, 30))
    own.rebuy_threshold = rng.choice((option.REBUY_THRESHOLD_BELOW, option.REBUY_THRESHOLD_AT_OR_BELOW))
    own.add_on.offered = rng.random() < 0.7
    own.add_on.price_max_minor = 500
    own.add_on.last_level = 3
    own.double_chance.offered = rng.random() < 0.4
    own.double_chance.release = option.DOUBLE_CHANCE_RELEASE_ON_REQUEST_OR_BUST_OR_DEADLINE
    own.double_chance.last_level = 2
    if rng.random() < 0.5:
        own.breaks.append(Break(after_level=rng.choice((1, 2)), length_seconds=rng.choice((5, 20))))
