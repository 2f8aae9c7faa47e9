"""The river when cards may be short (rules 84-94): decided before any card of the street moves.

Counts: S = cards of the stub, B = burned cards, n7 = seats that get a card. Folded hands never come back.
"""

from dataclasses import dataclass

from services.dealer.domain.hand import COMMON_SOURCES, CardSource
from services.dealer.domain.rules import DealingRules
from shared.kernel.rules.hand_options import (
    BurnAfterReshuffle,
    BurnStreets,
    CommonCardSource,
    Exhaustion,
    RiverBurnShortfall,
)


@dataclass(frozen=True, slots=True)
class River:
    """How seventh street is dealt."""

    source: CardSource
    burn_count: int = 0
    """Cards burned in this deal, 0 or 1."""
    straight_count: int = 0
    """Cards dealt from the top of the stub before the rest is mixed with the burned cards (rule 91 only)."""

    @property
    def common(self) -> bool:
        """One common card instead of a card for each seat."""
        return self.source in COMMON_SOURCES


@dataclass(frozen=True, slots=True)
class Supply:
    """What the river can be dealt from, and to how many."""

    stub_count: int
    burned_count: int
    seat_count: int

    @property
    def unseen_count(self) -> int:
        """Stub and burned cards together."""
        return self.stub_count + self.burned_count


def decide_river(rules: DealingRules, supply: Supply) -> River:
    """The river under the rules of the hand (rules 87-91)."""
    if rules.exhaustion is Exhaustion.TDA:
        return _tournament_directors(rules, supply)
    burn = int(rules.burn_streets is BurnStreets.FOURTH_TO_SEVENTH)
    if supply.stub_count >= supply.seat_count + burn:
        return River(CardSource.STUB, burn)
    if supply.stub_count == supply.seat_count:
        return _burn_shortfall(rules, supply)
    if rules.exhaustion is Exhaustion.RESHUFFLE_ELSE_COMMON:
        return _reshuffle(rules, supply) or _common(rules, supply)
    if rules.exhaustion is Exhaustion.RRP:
        return _last_card_with_burns(supply) or _common(rules, supply, burn_first=True)
    return _common(rules, supply)


def _burn_shortfall(rules: DealingRules, supply: Supply) -> River:
    """Enough for the seats, not for the burn as well (C23)."""
    if rules.river_burn_shortfall is RiverBurnShortfall.RESHUFFLE:
        return _reshuffle(rules, supply) or River(CardSource.STUB)
    return River(CardSource.STUB)


def _reshuffle(rules: DealingRules, supply: Supply) -> River | None:
    """Stub and burned cards shuffled together (rule 87); None where they are too few or nothing was burned."""
    spare = supply.unseen_count - supply.seat_count
    needed = int(rules.burn_after_reshuffle is BurnAfterReshuffle.REQUIRED)
    if spare < needed or supply.burned_count == 0:
        return None
    burns = rules.burn_after_reshuffle is not BurnAfterReshuffle.NEVER and spare > 0
    return River(CardSource.RESHUFFLED_STUB_AND_BURNS, int(burns))


def _last_card_with_burns(supply: Supply) -> River | None:
    """All but the last card of the stub straight away, that one mixed with the burned cards (rule 91)."""
    spare = supply.unseen_count - supply.seat_count
    if spare < 0 or supply.burned_count == 0:
        return None
    return River(CardSource.RESHUFFLED_STUB_AND_BURNS, int(spare > 0), supply.stub_count - 1)


def _common(rules: DealingRules, supply: Supply, *, burn_first: bool = False) -> River:
    """One common card (rule 88), from where the rules say; a pile that is empty gives way to the other."""
    source, available = CardSource.COMMON_FROM_STUB, supply.stub_count
    if rules.common_card_source is CommonCardSource.STUB_AND_BURNS:
        source, available = CardSource.COMMON_FROM_STUB_AND_BURNS, supply.unseen_count
    elif supply.burned_count and (rules.common_card_source is CommonCardSource.BURNS or not supply.stub_count):
        source, available = CardSource.COMMON_FROM_BURNS, supply.burned_count
    burns = burn_first and rules.burn_streets is not BurnStreets.NONE and available > 1
    return River(source, int(burns))


RESERVE = 2  # the burn, and the last card of the deck that is never dealt
STUB_FOR_COMMON = 3  # a burn, the common card, and one that is left


def _tournament_directors(rules: DealingRules, supply: Supply) -> River:
    """The procedure of the tournament directors (rule 90), with a burn of its own unless nothing is ever burned."""
    needed = supply.seat_count + RESERVE
    burn = int(rules.burn_streets is not BurnStreets.NONE)
    if supply.stub_count >= needed:
        return River(CardSource.STUB, int(rules.burn_streets is BurnStreets.FOURTH_TO_SEVENTH))
    if supply.unseen_count >= needed and supply.burned_count:
        return River(CardSource.RESHUFFLED_STUB_AND_BURNS, burn)
    if supply.stub_count >= STUB_FOR_COMMON:
        return River(CardSource.COMMON_FROM_STUB, burn)
    return River(CardSource.COMMON_FROM_STUB_AND_BURNS, burn)
