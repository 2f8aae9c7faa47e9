"""All checks of tournament rules together."""

from shared.kernel.errors import FieldViolation
from shared.kernel.rules.checks.finding import violations
from shared.kernel.rules.checks.level_checks import (
    break_rows,
    double_chance_rows,
    level_rows,
    level_stakes_violations,
    stack_rows,
)
from shared.kernel.rules.checks.prize_checks import prize_table_rows, round_rows, share_rows
from shared.kernel.rules.checks.purchase_checks import fee_rows, money_rows, purchase_rows
from shared.kernel.rules.hand import HandRules
from shared.kernel.rules.tournament import TournamentRules


def check_tournament_rules(
    rules: TournamentRules, hand: HandRules, path: str = "tournament"
) -> tuple[FieldViolation, ...]:
    """Everything about a tournament's structure and money that makes no sense, field by field."""
    rows = (
        *level_rows(rules),
        *stack_rows(rules),
        *double_chance_rows(rules),
        *break_rows(rules),
        *money_rows(rules),
        *purchase_rows(rules),
        *share_rows(rules),
        *prize_table_rows(rules),
        *round_rows(rules, hand),
    )
    return (*violations(path, rows), *level_stakes_violations(rules, hand, path))


def check_fee(fee_minor: int, rules: TournamentRules, path: str = "tournament") -> tuple[FieldViolation, ...]:
    """Whether an event under these rules may cost this fee, in minor units (rules 165, 169-172)."""
    return violations(path, fee_rows(fee_minor, rules))
