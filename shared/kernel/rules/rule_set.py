"""The four rule messages together."""

from dataclasses import dataclass

from shared.kernel.rules.cash import CashRules
from shared.kernel.rules.clock import ClockRules
from shared.kernel.rules.hand import HandRules
from shared.kernel.rules.tournament import TournamentRules


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """All rules of a table or tournament: four messages, every option a field."""

    hand: HandRules
    """Betting and dealing."""
    clock: ClockRules
    """Clocks and presence."""
    tournament: TournamentRules
    """Tournament structure and money."""
    cash: CashRules
    """Cash-table money."""
