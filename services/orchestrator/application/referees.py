"""Who rules between the hands: of a cash table the ledger alone, of a tournament's table the director."""

from itertools import count

from services.orchestrator.application.director import Director
from services.orchestrator.domain.booking import HandToBook
from services.orchestrator.domain.sheet import HandBooked, HandBooking, Sheet
from services.orchestrator.domain.sheet_reading import cash_sheet
from services.orchestrator.ports import Clock, Ledger, TournamentTables


class CashReferee:
    """Implements BetweenHands for cash tables."""

    def __init__(self, ledger: Ledger, clock: Clock) -> None:
        """Ask this ledger."""
        self._ledger = ledger
        self._clock = clock
        self._looks = count(1)

    async def open_sheet(self, table_id: str, hand_number: int, table_version: int) -> Sheet:
        """See BetweenHands."""
        look = f"{self._clock.now().isoformat()}#{next(self._looks)}"
        return cash_sheet(await self._ledger.open_cash_sheet(table_id, hand_number, table_version, look))

    async def record_hand(self, table_id: str, booking: HandBooking) -> HandBooked:
        """See BetweenHands."""
        await self._ledger.record_hand(
            HandToBook(
                hand_id=booking.hand_id,
                tournament_id="",
                table_id=table_id,
                hand_number=booking.hand_number,
                results=booking.results,
                rake_chips=booking.rake_chips,
                street_reached=booking.street_reached,
                feats=booking.feats,
                voided=booking.voided,
                deck_root=booking.deck_root,
            )
        )
        return HandBooked()


class TournamentReferee:
    """Implements BetweenHands for tournament tables; the director is told to it once both exist."""

    def __init__(self) -> None:
        """Nobody rules yet: serve() must come before the first hand."""
        self._director: Director | None = None
        self._tables: TournamentTables | None = None

    def serve(self, director: Director, tables: TournamentTables) -> None:
        """Let this director rule over these tables."""
        self._director = director
        self._tables = tables

    async def open_sheet(self, table_id: str, hand_number: int, table_version: int) -> Sheet:
        """See BetweenHands; the director has a fence of its own."""
        del table_version
        director, tournament_id = self._who(table_id)
        return await director.open_sheet(tournament_id, table_id, hand_number)

    async def record_hand(self, table_id: str, booking: HandBooking) -> HandBooked:
        """See BetweenHands."""
        director, tournament_id = self._who(table_id)
        return await director.record_hand(tournament_id, table_id, booking)

    def _who(self, table_id: str) -> tuple[Director, str]:
        if self._director is None or self._tables is None:
            raise RuntimeError("a tournament table asked before the director was there")
        return self._director, self._tables.tournament_of(table_id)
