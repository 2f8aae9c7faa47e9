"""The demo's tournament as the contract wants it: the regulated preset, and what is to be different."""

from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.money_pb2 import Money
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import ClockRules, Level, PrizeRow, RuleSet, TournamentRules
from sevenstud.common.v1.rules_pb2 import Stakes as StakesMessage
from sevenstud.tournament_ledger.v1.tournament_pb2 import START_KIND_ON_COMMAND, Announcement

from services.console.domain.contest import Contest
from shared.rpc.mirror import to_proto


def announcement_of(contest: Contest) -> Announcement:
    """What is published before the first hand (rule 181)."""
    return Announcement(
        name=contest.name,
        rules=RuleSelection(preset=contest.preset, overrides=_overrides(contest)),
        fee=Money(amount_minor=contest.fee_minor, currency=contest.currency),
        entrants_min=len(contest.players),
        entrants_max=len(contest.players),
        seats_per_table=len(contest.players),
        start=START_KIND_ON_COMMAND,
    )


def _overrides(contest: Contest) -> RuleSet:
    """Levels by hands, places for several prizes, and no waiting at the showdown: beaten hands are mucked at once."""
    levels = [
        Level(
            stakes=to_proto(stakes, StakesMessage), level_seconds=0, level_hands=contest.level_hands, decision_seconds=0
        )
        for stakes in contest.levels
    ]
    prizes = [PrizeRow(entrants_min=each.entrants_min, weights=each.weights) for each in contest.prizes]
    return RuleSet(
        clock=ClockRules(showdown_seconds=0, all_away_seconds=0),
        tournament=TournamentRules(
            starting_stack_chips=contest.starting_stack_chips,
            levels=levels,
            level_trigger=option.LEVEL_TRIGGER_HANDS,
            prize_rows=prizes,
        ),
    )
