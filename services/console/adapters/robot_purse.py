"""What a robot buys besides its entry, in a mood of its own: the ledger says what is allowed (rules 161-172)."""

import random
from collections.abc import Awaitable
from dataclasses import dataclass

from services.console.adapters.calls import Refused
from services.console.adapters.ledger import Ledger
from services.console.domain.results import Terms
from shared.kernel.errors import Reason

_NOT_NOW = frozenset(
    {
        Reason.REBUY_NOT_ALLOWED,
        Reason.ADD_ON_NOT_ALLOWED,
        Reason.SPEND_CAP_REACHED,
        Reason.FUNDS_INSUFFICIENT,
        Reason.TOURNAMENT_STATE,
    }
)


@dataclass(frozen=True, slots=True)
class Purse:
    """A robot's way to the ledger."""

    ledger: Ledger
    tournament_id: str
    player_id: str
    terms: Terms
    moods: random.Random
    share: float
    """How often it buys when it may, 0 to 1."""

    async def rebuy(self) -> None:
        """Buy the starting stack again, or not."""
        if self.terms.rebuys_max and self.moods.random() < self.share:
            await _unless_refused(self.ledger.rebuy(self.tournament_id, self.player_id))

    async def add_on(self) -> None:
        """Buy the add-on at the price of the fee, or not."""
        if self.terms.add_on_offered and self.moods.random() < self.share:
            price = self.ledger.buy_add_on(
                self.tournament_id, self.player_id, self.terms.fee_minor, self.terms.currency
            )
            await _unless_refused(price)


async def _unless_refused(purchase: Awaitable[None]) -> None:
    """What the rules do not allow now is left alone."""
    try:
        await purchase
    except Refused as refused:
        if refused.reason not in _NOT_NOW:
            raise
