"""The great tournament's terms: short stacks and steep levels by hands, so that the clock is the hands themselves."""

from typing import Final

from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import (
    AddOnTerms,
    Break,
    ClockRules,
    Level,
    PrizeRow,
    RebuyTerms,
    RuleSet,
    Stakes,
    TournamentRules,
)
from sevenstud.tournament_ledger.v1.tournament_pb2 import START_KIND_ON_COMMAND, Announcement

from tests.support.ledger_house import euro

FEE_MINOR: Final = 1_000
WALLET_MINOR: Final = 5_000
STACK_CHIPS: Final = 200
SEATS: Final = 8
LEVELS: Final = 12
LEVEL_HANDS: Final = 2
PAID_SHARE: Final = 10
"""One player of so many is paid."""


def announcement(entrants: int) -> Announcement:
    """A rebuy tournament with an add-on and two breaks, over as many tables as it needs."""
    return Announcement(
        name=f"The great {entrants}",
        rules=RuleSelection(preset="regulated_tournament", overrides=_rules(entrants)),
        fee=euro(FEE_MINOR),
        entrants_min=entrants,
        entrants_max=entrants,
        seats_per_table=SEATS,
        start=START_KIND_ON_COMMAND,
    )


def _rules(entrants: int) -> RuleSet:
    paid = max(1, entrants // PAID_SHARE)
    own = TournamentRules(
        formula=option.FORMULA_MULTI_TABLE,
        starting_stack_chips=STACK_CHIPS,
        levels=[_level(25 * 2**step) for step in range(LEVELS)],
        level_trigger=option.LEVEL_TRIGGER_HANDS,
        breaks=[Break(after_level=1, length_seconds=2), Break(after_level=3, length_seconds=2)],
        rebuy=RebuyTerms(max_count=2, last_level=2, window_seconds=3),
        add_on=AddOnTerms(offered=True, price_max_minor=FEE_MINOR, last_level=2),
        prize_rows=[
            PrizeRow(entrants_min=2, weights=[1]),
            PrizeRow(entrants_min=max(3, paid), weights=[2 * paid - place for place in range(paid)]),
        ],
        hand_for_hand_across_tables=option.HAND_FOR_HAND_ACROSS_TABLES_CHIPS,
    )
    # A busy machine must not make robots late: nobody waits for the decision time unless it is needed.
    return RuleSet(tournament=own, clock=ClockRules(decision_seconds=60, showdown_seconds=0, all_away_seconds=0))


def _level(lower: int) -> Level:
    stakes = Stakes(
        ante_chips=lower // 5, bring_in_chips=2 * lower // 5, lower_limit_chips=lower, upper_limit_chips=2 * lower
    )
    return Level(stakes=stakes, level_seconds=0, level_hands=LEVEL_HANDS, decision_seconds=0)
