"""Who rules between the hands of a table: the ledger alone at a cash table, the director at a tournament's."""

from typing import Protocol

from services.orchestrator.domain.sheet import HandBooked, HandBooking, Sheet


class BetweenHands(Protocol):
    """What a table asks between its hands. Both raise ServiceAway where a service is missing: the table waits."""

    async def open_sheet(self, table_id: str, hand_number: int, table_version: int) -> Sheet:
        """What hand ``hand_number`` of the table starts from; may be asked again for the same hand.

        The hand is begun at this version of the table, or not with this sheet.
        """
        ...

    async def record_hand(self, table_id: str, booking: HandBooking) -> HandBooked:
        """Book a hand that is over; asked again for the same hand, the same answer comes."""
        ...
