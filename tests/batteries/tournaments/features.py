"""What the options of tournaments ask for, one probe each: an option that is refused is missing, and said so aloud."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rules_pb2 import BonusPrize, TournamentRules
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from shared.kernel.errors import DomainError
from tests.batteries.ledger.in_process import ledger_in_process
from tests.batteries.tournaments.plans import Formula, Plan, plan_of
from tests.support.ledger_house import fresh


@dataclass(frozen=True, slots=True)
class Feature:
    """An option and how it is switched on."""

    name: str
    switch: Callable[[TournamentRules], None]
    formula: Formula = Formula.MULTI_TABLE


def _set(**values: Any) -> Callable[[TournamentRules], None]:
    return lambda own: own.MergeFrom(TournamentRules(**values))


FEATURES = (
    Feature("rounds with qualifiers, stacks reset (157, 205)", _set(qualifiers=1), Formula.ROUNDS),
    Feature(
        "rounds with qualifiers, stacks carried (158)",
        _set(qualifiers=2, round_stack=option.ROUND_STACK_CARRY),
        Formula.ROUNDS,
    ),
    Feature("late registration (200)", _set(late_registration_last_level=1)),
    Feature("re-entry (201)", _set(late_registration_last_level=1, re_entry_max_count=1)),
    Feature("satellite (202)", _set(satellite_seat_minor=1_000)),
    Feature("deal: equal (203)", _set(deal=option.DEAL_KIND_EQUAL)),
    Feature("deal: chip count (203)", _set(deal=option.DEAL_KIND_CHIP_COUNT)),
    Feature("deal: ICM (203)", _set(deal=option.DEAL_KIND_ICM)),
    Feature("deal: free (203)", _set(deal=option.DEAL_KIND_FREE)),
    Feature(
        "hand for hand, ranked by chips (185)",
        _set(hand_for_hand_across_tables=option.HAND_FOR_HAND_ACROSS_TABLES_CHIPS),
    ),
    Feature(
        "hand for hand, shared (185)",
        _set(hand_for_hand_across_tables=option.HAND_FOR_HAND_ACROSS_TABLES_SHARE),
    ),
    Feature("guarantee (204)", _set(guarantee_minor=100_000)),
    Feature("first seats chosen (187)", _set(start_seats=option.START_SEATS_CHOSEN)),
    Feature(
        "late registration that ends near the prizes (200)",
        _set(late_registration_last_level=2, late_registration_prize_margin=3),
    ),
    Feature("prizes for rounds passed (205)", _set(qualifiers=1, prize_mode=option.PRIZE_MODE_ROUNDS), Formula.ROUNDS),
    Feature(
        "bonus prizes for hands shown unasked (179)",
        _set(
            bonus_when=option.BONUS_WHEN_ALSO_UNCONTESTED,
            bonus_prizes=[BonusPrize(feat=option.FEAT_ROYAL_FLUSH, amount_minor=100)],
        ),
    ),
)


async def missing_features() -> list[str]:
    """Options whose announcement the ledger refuses, with its words."""
    found: list[str] = []
    async with ledger_in_process() as ledger:
        for feature in FEATURES:
            plan = _plain(feature)
            announcement = plan.announcement()
            feature.switch(announcement.rules.overrides.tournament)
            announcement.bonus_fund_minor = 100 if announcement.rules.overrides.tournament.bonus_prizes else 0
            request = pb.AnnounceTournamentRequest(request_id=fresh(), announcement=announcement)
            try:
                await ledger.call("AnnounceTournament", request)
            except DomainError as refusal:
                found.append(f"{feature.name}: {refusal.message}")
    return found


def _plain(feature: Feature) -> Plan:
    """A tournament of sixteen with nothing else switched on."""
    plan = plan_of(2, feature.formula, 16)
    own = plan.rules.tournament
    for field in (
        "rebuy",
        "add_on",
        "double_chance",
        "bonus_prizes",
        "late_registration_last_level",
        "re_entry_max_count",
    ):
        own.ClearField(field)
    return plan
