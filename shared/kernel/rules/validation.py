"""Rules that make no sense together are refused, each with its field and what is allowed (rules 1-208).

Each function answers with the violations it found, none where all is well; paths are relative to the RuleSet.
"""

from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.kernel.game import Mode
from shared.kernel.rules.checks.cash_checks import check_cash_rules
from shared.kernel.rules.checks.clock_checks import check_clock_rules
from shared.kernel.rules.checks.hand_checks import check_hand_rules
from shared.kernel.rules.checks.stakes_checks import check_stakes
from shared.kernel.rules.checks.tournament_checks import check_fee, check_tournament_rules
from shared.kernel.rules.hand import HandRules
from shared.kernel.rules.rule_set import RuleSet

__all__ = [
    "check_cash_rules",
    "check_clock_rules",
    "check_fee",
    "check_hand_rules",
    "check_mode",
    "check_rules",
    "check_stakes",
    "check_tournament_rules",
    "refuse_rules",
]


def check_rules(rules: RuleSet) -> tuple[FieldViolation, ...]:
    """Everything in a rule set that makes no sense. A tournament block counts only where tournaments are allowed."""
    found = [*check_hand_rules(rules.hand), *check_clock_rules(rules.clock, rules.hand)]
    if Mode.TOURNAMENT in rules.hand.modes_allowed:
        found += check_tournament_rules(rules.tournament, rules.hand)
    return (*found, *check_cash_rules(rules.cash, rules.hand))


def check_mode(mode: Mode, rules: HandRules, path: str = "hand") -> tuple[FieldViolation, ...]:
    """Whether a table under these rules may be played for this."""
    if mode in rules.modes_allowed:
        return ()
    allowed = ", ".join(rules.modes_allowed)
    return (FieldViolation(f"{path}.modes_allowed", f"these rules are for {allowed}, not for {mode}"),)


def refuse_rules(found: tuple[FieldViolation, ...]) -> None:
    """Refuse with RULES_INVALID where anything was found; the sentence names every field."""
    if found:
        listed = "; ".join(f"{violation.field}: {violation.description}" for violation in found)
        raise DomainError(Reason.RULES_INVALID, f"rules make no sense together: {listed}", violations=found)
