"""Tables whose hands are drawn at random at the port between hands, each sheet and each booked hand checked.

The director, the ledger, both databases and the gRPC between them are the real ones; only the cards are left out.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace

from services.orchestrator.domain.booking import FeatShown
from services.orchestrator.domain.sheet import HandBooking, Sheet
from shared.kernel.game import Street
from shared.kernel.rules import Feat
from tests.support.tournament_floor import Floor, FloorTable

Check = Callable[[FloorTable], Awaitable[None]]


class CheckedFloor(Floor):
    """Implements ports.TournamentTables, and tells when a hand begins and when it is booked."""

    def __init__(self, seed: int, hand_seconds: float = 40.0) -> None:
        super().__init__(seed, hand_seconds)
        self.on_sheet: Check | None = None
        self.on_booked: Check | None = None
        self.hands = 0

    async def _play(self, table: FloorTable) -> None:
        booking, number = table.booking, table.hand_number
        await super()._play(table)
        if booking is not None and table.booking is None:
            self.hands += 1
            if self.on_booked is not None:
                await self.on_booked(table)
        elif table.hand_number > number and self.on_sheet is not None:
            await self.on_sheet(table)

    def _end_hand(self, table: FloorTable, sheet: Sheet) -> HandBooking:
        """As on any floor; players vanish and come back, and now and then somebody shows four of a kind."""
        booking = super()._end_hand(table, sheet)
        carries = tuple(replace(each, sitting_out=self.random.random() < 0.15) for each in booking.carries)
        if self.random.random() < 0.02:  # the hand could not go on: chips as before (rule 106)
            results = tuple(replace(each, after_chips=each.before_chips) for each in booking.results)
            return replace(booking, results=results, carries=carries, voided=True)
        if self.random.random() < 0.05:
            feat = self.random.choice((Feat.FOUR_OF_A_KIND, Feat.ROYAL_FLUSH))
            unasked = self.random.random() < 0.5
            shown = FeatShown(player_id=booking.results[0].player_id, feat=feat, uncontested=unasked)
            booking = replace(booking, feats=(shown,), street_reached=Street.SEVENTH)
        return replace(booking, carries=carries)
