"""Amounts of a level or a cash table that make no sense (rules 16, 28, 42, 126)."""

from collections.abc import Iterator

from shared.kernel.errors import FieldViolation
from shared.kernel.rules.checks.finding import Row, violations
from shared.kernel.rules.checks.hand_checks import WHOLE_BASIS_POINTS
from shared.kernel.rules.hand import HandRules, Stakes


def check_stakes(stakes: Stakes, rules: HandRules, path: str = "stakes") -> tuple[FieldViolation, ...]:
    """Everything about the amounts that the hand rules do not allow, field by field."""
    return violations(path, (*_limit_rows(stakes, rules), *_forced_rows(stakes, rules), *_unit_rows(stakes, rules)))


def _limit_rows(stakes: Stakes, rules: HandRules) -> Iterator[Row]:
    lower, upper = stakes.lower_limit_chips, stakes.upper_limit_chips
    yield lower < 1, "lower_limit_chips", "at least 1"
    double = f"twice the lower limit, which is {2 * lower}"
    yield rules.upper_is_double and upper != 2 * lower, "upper_limit_chips", double
    yield (
        not rules.upper_is_double and upper < lower,
        "upper_limit_chips",
        f"at least the lower limit, which is {lower}",
    )


def _forced_rows(stakes: Stakes, rules: HandRules) -> Iterator[Row]:
    ante, bring_in, lower = stakes.ante_chips, stakes.bring_in_chips, stakes.lower_limit_chips
    yield not 0 <= ante < max(lower, 1), "ante_chips", f"0 to {max(lower - 1, 0)}: below the lower limit"
    announce = "above 0; a game without ante is announced by ante_required = false"
    yield ante == 0 and rules.ante_required, "ante_chips", announce
    most = lower * rules.bring_in_max_basis_points // WHOLE_BASIS_POINTS
    share = f"1 to {most}: at most {rules.bring_in_max_basis_points} ten-thousandths of the lower limit"
    yield not 0 < bring_in <= most, "bring_in_chips", share


def _unit_rows(stakes: Stakes, rules: HandRules) -> Iterator[Row]:
    unit = rules.odd_chip_unit_chips
    for field in ("ante_chips", "bring_in_chips", "lower_limit_chips", "upper_limit_chips"):
        uneven = unit > 1 and getattr(stakes, field) % unit != 0
        yield uneven, field, f"a multiple of odd_chip_unit_chips, which is {unit}"
