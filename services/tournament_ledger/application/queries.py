"""Reading: tournaments, standings, statements."""

from collections.abc import Sequence
from typing import Final

from services.tournament_ledger.application.bookkeeper import Bookkeeper
from services.tournament_ledger.application.wallets import Balance, balance_of, no_wallet
from services.tournament_ledger.domain.accounts import wallet
from services.tournament_ledger.domain.ranking import Ranking, ranking_of
from services.tournament_ledger.domain.standings import Standing
from services.tournament_ledger.domain.tournament import Tournament, TournamentState
from services.tournament_ledger.ports import Reports, StatementEntry

RANKINGS_MAX: Final = 64


class Queries:
    """What callers may ask; nothing is changed."""

    def __init__(self, bookkeeper: Bookkeeper, reports: Reports) -> None:
        """Ask these."""
        self._keeper = bookkeeper
        self._reports = reports
        self._rankings: dict[str, Ranking] = {}
        """Of the tournaments asked for last, the last one at the end."""

    async def balance(self, player_id: str, currency: str) -> Balance:
        """A wallet."""
        return await balance_of(self._keeper.books, player_id, currency)

    async def tournament(self, tournament_id: str) -> Tournament:
        """A tournament."""
        return await self._keeper.tournament(tournament_id)

    async def tournaments(
        self, state: TournamentState | None, after: tuple[int, str] | None, limit: int
    ) -> list[Tournament]:
        """Tournaments, newest first."""
        found = await self._reports.tournament_ids(state, after, limit)
        return [await self._keeper.tournament(tournament_id) for _, tournament_id in found]

    async def standings(self, tournament_id: str, start: int, end: int) -> tuple[Sequence[Standing], int, int]:
        """The lines from one on up to another, best first; how many there are; and the version they were read at."""
        tournament = await self._keeper.tournament(tournament_id)
        ranking = ranking_of(tournament, self._rankings.pop(tournament_id, None))
        self._rankings[tournament_id] = ranking
        if len(self._rankings) > RANKINGS_MAX:
            del self._rankings[next(iter(self._rankings))]
        return ranking.lines(start, end), len(ranking.order), tournament.version

    async def last_hand(self, tournament_id: str, table_id: str) -> tuple[int, int]:
        """Numbers of the hand of a table that was booked last, and of the one whose sheet is open; 0 for none."""
        if not tournament_id:
            table = await self._keeper.cash_table(table_id)
            return table.hand_number, table.open_hand_number
        play = (await self._keeper.tournament(tournament_id)).tables.get(table_id)
        return (play.hand_number, play.open_hand_number) if play is not None else (0, 0)

    async def seated(self, table_id: str) -> tuple[tuple[str, ...], int]:
        """Who has a seat at a cash table, and the highest version of it at which chips were bought."""
        table = await self._keeper.cash_table(table_id)
        return tuple(sorted(table.seats)), table.bought_version

    async def statement(
        self, player_id: str, currency: str, after: tuple[int, str, int, int] | None, limit: int
    ) -> list[StatementEntry]:
        """Movements of a wallet, oldest first."""
        account_id = wallet(player_id, currency).account_id
        if await self._keeper.books.balance(account_id) is None:
            raise no_wallet(player_id, currency)
        return await self._reports.statement(account_id, after, limit)
