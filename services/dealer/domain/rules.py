"""The rules that the dealer lives by, and the fingerprint of all rules of a hand that is bound into its deck."""

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from enum import Enum
from functools import lru_cache
from typing import cast

from shared.kernel.rules.hand import HandRules
from shared.kernel.rules.hand_options import (
    BurnAfterReshuffle,
    BurnStreets,
    CommonCardSource,
    Exhaustion,
    RiverBurnShortfall,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class DealingRules:
    """Burning, and what happens when the cards run out (rules 84-91)."""

    burn_streets: BurnStreets
    river_burn_shortfall: RiverBurnShortfall
    exhaustion: Exhaustion
    common_card_source: CommonCardSource
    burn_after_reshuffle: BurnAfterReshuffle


def dealing_rules(rules: HandRules) -> DealingRules:
    """What of the rules of a hand concerns the dealer."""
    return DealingRules(
        burn_streets=rules.burn_streets,
        river_burn_shortfall=rules.river_burn_shortfall,
        exhaustion=rules.exhaustion,
        common_card_source=rules.common_card_source,
        burn_after_reshuffle=rules.burn_after_reshuffle,
    )


@lru_cache(maxsize=256)
def rules_digest(rules: HandRules) -> bytes:
    """SHA-256 over one line ``name=value`` for each rule, sorted by name.

    Values are written as in the JSON form of the contract: BURN_STREETS_NONE, true, 4; a list is joined by commas, an
    empty one left out. So anybody can make the lines from the rules that the table publishes.
    """
    values = {field.name: getattr(rules, field.name) for field in fields(rules)}
    return hashlib.sha256(canonical_text(values).encode()).digest()


def canonical_text(values: Mapping[str, object]) -> str:
    """The lines that are hashed."""
    return "".join(f"{name}={_text(values[name])}\n" for name in sorted(values) if values[name] != ())


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple):
        return ",".join(_text(item) for item in cast("tuple[object, ...]", value))
    if isinstance(value, Enum):
        return f"{_BEFORE_CAPITAL.sub('_', type(value).__name__).upper()}_{value.name}"
    return str(value)


_BEFORE_CAPITAL = re.compile(r"(?<!^)(?=[A-Z])")
