"""Which dealer this is: one that can be told its cards never serves real tables."""

from datetime import datetime, timedelta
from typing import Final

from services.orchestrator.ports import Clock, Dealer, ServiceAway

REFUSED: Final = (
    "the dealer was started with scripted decks allowed: start it without, or set "
    "SEVENSTUD_ORCHESTRATOR_SCRIPTED_TABLES=allowed where no real table is served"
)
_PAUSE = timedelta(seconds=0.5)


class DealerRefused(Exception):  # noqa: N818  # read as a sentence: the dealer is refused
    """The dealer deals cards chosen beforehand, and this orchestrator serves real tables."""


async def check_dealer(dealer: Dealer, clock: Clock, *, scripted_tables: bool, patience_seconds: float) -> bool:
    """Does the dealer play scripted cards? DealerRefused where that is not allowed here.

    A dealer that does not answer yet is asked again for as long as patience lasts, then ServiceAway.
    """
    scripted = await _ask(dealer, clock, clock.now() + timedelta(seconds=patience_seconds))
    if scripted and not scripted_tables:
        raise DealerRefused(REFUSED)
    return scripted


async def _ask(dealer: Dealer, clock: Clock, give_up_at: datetime) -> bool:
    while True:
        try:
            return await dealer.scripted_decks()
        except ServiceAway:
            if clock.now() >= give_up_at:
                raise
        await clock.sleep_until(clock.now() + _PAUSE)
