"""The three houses whose rules come ready made: values, nothing else. No code asks for a preset by its name.

Source: documents 000 (regulated tournament), 003 (card room) and 004 (classic), rule reference section 5.
"""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from shared.kernel.rules.preset_values import cash_values, clock_values, hand_values, tournament_values
from shared.kernel.rules.rule_set import RuleSet

PRESETS: Final[Mapping[str, RuleSet]] = MappingProxyType(
    {
        "regulated_tournament": RuleSet(
            hand=hand_values.REGULATED_TOURNAMENT,
            clock=clock_values.REGULATED_TOURNAMENT,
            tournament=tournament_values.REGULATED_TOURNAMENT,
            cash=cash_values.REGULATED_TOURNAMENT,
        ),
        "card_room": RuleSet(
            hand=hand_values.CARD_ROOM,
            clock=clock_values.CARD_ROOM,
            tournament=tournament_values.CARD_ROOM,
            cash=cash_values.CARD_ROOM,
        ),
        "classic": RuleSet(
            hand=hand_values.CLASSIC,
            clock=clock_values.CLASSIC,
            tournament=tournament_values.CLASSIC,
            cash=cash_values.CLASSIC,
        ),
    }
)
