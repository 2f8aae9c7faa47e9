"""The reference structure sheet of a limit tournament (rule 207) and the published prize tables (rule 178)."""

from typing import Final

from shared.kernel.rules.hand import Stakes
from shared.kernel.rules.tournament import Level, PrizeRow

STARTING_STACK_CHIPS: Final = 3_000
LEVEL_SECONDS: Final = 600
LEVEL_HANDS: Final = 8

_ANTE_BRING_IN_LOWER: Final = (
    (5, 10, 25),
    (10, 20, 50),
    (15, 25, 75),
    (20, 40, 100),
    (30, 50, 150),
    (50, 75, 200),
    (75, 100, 300),
    (100, 150, 400),
    (150, 200, 600),
    (200, 300, 800),
)


def _level(ante_chips: int, bring_in_chips: int, lower_limit_chips: int) -> Level:
    stakes = Stakes(
        ante_chips=ante_chips,
        bring_in_chips=bring_in_chips,
        lower_limit_chips=lower_limit_chips,
        upper_limit_chips=2 * lower_limit_chips,
    )
    return Level(stakes=stakes, level_seconds=LEVEL_SECONDS, level_hands=LEVEL_HANDS, decision_seconds=0)


REFERENCE_LEVELS: Final = tuple(_level(*amounts) for amounts in _ANTE_BRING_IN_LOWER)

REFERENCE_PRIZE_ROWS: Final = (
    PrizeRow(entrants_min=1, weights=(100,)),
    PrizeRow(entrants_min=9, weights=(50, 30, 20)),
    PrizeRow(entrants_min=28, weights=(40, 24, 16, 12, 8)),
)
