"""How the river must be dealt under the published rules (rules 84-94), worked out anew."""

from dataclasses import dataclass

from services.console.domain.fair_record import CardSource, DealingRules
from shared.kernel.rules.hand_options import (
    BurnAfterReshuffle,
    BurnStreets,
    CommonCardSource,
    Exhaustion,
    RiverBurnShortfall,
)

TDA_RESERVE = 2
TDA_STUB_FOR_COMMON = 3


@dataclass(frozen=True, slots=True)
class River:
    """Where the cards come from, how many are burned first, and how many of the stub are dealt before the mix."""

    source: CardSource
    burns: int = 0
    straight: int = 0


def river_of(rules: DealingRules, stub: int, burned: int, seats: int) -> River:
    """The river for so many seats, with so many cards in the stub and burned."""
    if rules.exhaustion is Exhaustion.TDA:
        return _by_directors(rules, stub, burned, seats)
    burn = int(rules.burn_streets is BurnStreets.FOURTH_TO_SEVENTH)
    if stub >= seats + burn:
        return River(CardSource.STUB, burn)
    reshuffled = _reshuffled(rules, stub, burned, seats)
    if stub == seats:
        mixes = rules.river_burn_shortfall is RiverBurnShortfall.RESHUFFLE
        return reshuffled if mixes and reshuffled else River(CardSource.STUB)
    if rules.exhaustion is Exhaustion.RESHUFFLE_ELSE_COMMON and reshuffled:
        return reshuffled
    if rules.exhaustion is Exhaustion.RRP and burned and stub + burned >= seats:
        return River(CardSource.RESHUFFLED_STUB_AND_BURNS, int(stub + burned > seats), stub - 1)
    return _common(rules, stub, burned)


def _reshuffled(rules: DealingRules, stub: int, burned: int, seats: int) -> River | None:
    needed = seats + (rules.burn_after_reshuffle is BurnAfterReshuffle.REQUIRED)
    if not burned or stub + burned < needed:
        return None
    burns = rules.burn_after_reshuffle is not BurnAfterReshuffle.NEVER and stub + burned > seats
    return River(CardSource.RESHUFFLED_STUB_AND_BURNS, int(burns))


def _common(rules: DealingRules, stub: int, burned: int) -> River:
    source, left = CardSource.COMMON_FROM_STUB, stub
    if rules.common_card_source is CommonCardSource.STUB_AND_BURNS:
        source, left = CardSource.COMMON_FROM_STUB_AND_BURNS, stub + burned
    elif burned and (not stub or rules.common_card_source is CommonCardSource.BURNS):
        source, left = CardSource.COMMON_FROM_BURNS, burned
    burns = rules.exhaustion is Exhaustion.RRP and rules.burn_streets is not BurnStreets.NONE and left > 1
    return River(source, int(burns))


def _by_directors(rules: DealingRules, stub: int, burned: int, seats: int) -> River:
    burn = int(rules.burn_streets is not BurnStreets.NONE)
    if stub >= seats + TDA_RESERVE:
        return River(CardSource.STUB, int(rules.burn_streets is BurnStreets.FOURTH_TO_SEVENTH))
    if burned and stub + burned >= seats + TDA_RESERVE:
        return River(CardSource.RESHUFFLED_STUB_AND_BURNS, burn)
    if stub >= TDA_STUB_FOR_COMMON:
        return River(CardSource.COMMON_FROM_STUB, burn)
    return River(CardSource.COMMON_FROM_STUB_AND_BURNS, burn)
