"""Reading the books in pages; see services.tournament_ledger.ports.Reports."""

from datetime import datetime

from services.tournament_ledger.adapters.rows import entry_of, head_of, integer
from services.tournament_ledger.domain.journal import (
    EntryKind,
    Head,
    JournalEntry,
    JournalFault,
    RawPosting,
    micros,
    moment,
)
from services.tournament_ledger.domain.tournament import TournamentState
from services.tournament_ledger.ports import StatementEntry, UnitSum
from shared.storage.database import SqlValue, Store

_LATEST = (2**63 - 1, "")


class StoredReports:
    """See Reports."""

    def __init__(self, store: Store) -> None:
        """Read this store."""
        self._store = store

    async def tournament_ids(
        self, state: TournamentState | None, after: tuple[int, str] | None, limit: int
    ) -> list[tuple[int, str]]:
        """See Reports.tournament_ids."""
        at, last = after or _LATEST
        if state is None:
            rows = await self._store.read(_TOURNAMENTS, (at, at, last, limit))
        else:
            rows = await self._store.read(_TOURNAMENTS_IN_STATE, (state.value, at, at, last, limit))
        return [(integer(row[0]), str(row[1])) for row in rows]

    async def statement(
        self, account_id: str, after: tuple[int, str, int, int] | None, limit: int
    ) -> list[StatementEntry]:
        """See Reports.statement."""
        at, book, number, position = after or (-1, "", 0, 0)
        params = (account_id, account_id, at, book, number, position, limit)
        return [_movement(row) for row in await self._store.read(_STATEMENT, params)]

    async def entries(self, book: str, after_number: int, limit: int) -> list[JournalEntry]:
        """See Reports.entries."""
        rows = await self._store.read(_ENTRIES, (book, after_number, limit))
        if not rows:
            return []
        first, last = integer(rows[0][1]), integer(rows[-1][1])
        postings: dict[int, list[RawPosting]] = {}
        for number, source, target, amount, unit in await self._store.read(_POSTINGS, (book, first, last)):
            found = RawPosting(str(source), str(target), integer(amount), str(unit))
            postings.setdefault(integer(number), []).append(found)
        return [entry_of(row, tuple(postings.get(integer(row[1]), ()))) for row in rows]

    async def heads(self, after_book: str, limit: int) -> list[Head]:
        """See Reports.heads."""
        sql = "SELECT book, number, hash, at_micros FROM ledger_books WHERE book > ? ORDER BY book LIMIT ?"
        return [head_of(row) for row in await self._store.read(sql, (after_book, limit))]

    async def tournament_counts(self) -> dict[TournamentState, int]:
        """See Reports.tournament_counts."""
        rows = await self._store.read("SELECT state, COUNT(*) FROM ledger_tournaments GROUP BY state")
        return {TournamentState(str(state)): integer(count) for state, count in rows}

    async def sums(self) -> list[UnitSum]:
        """See Reports.sums."""
        rows = await self._store.read(_SUMS)
        return [UnitSum(str(row[0]), _whole(row[1], row[2]), integer(row[3])) for row in rows]

    async def balance_faults(self, limit: int) -> list[JournalFault]:
        """See Reports.balance_faults."""
        rows = await self._store.read(_BALANCES, (limit,))
        return [
            JournalFault(
                "", 0, f"account {row[0]!s} holds {row[1]!s}, its postings make {integer(row[1]) + _whole(*row[2:])}"
            )
            for row in rows
        ]

    async def due_holds(self, at: datetime, skip: int, limit: int) -> list[str]:
        """See Reports.due_holds."""
        sql = (
            "SELECT hold_id FROM ledger_holds WHERE state = 'OPEN' AND expires_at_micros <= ? "
            "ORDER BY expires_at_micros, hold_id LIMIT ? OFFSET ?"
        )
        return [str(row[0]) for row in await self._store.read(sql, (micros(at), limit, skip))]


_TOURNAMENTS = (
    "SELECT announced_at_micros, tournament_id FROM ledger_tournaments "
    "WHERE announced_at_micros < ? OR (announced_at_micros = ? AND tournament_id > ?) "
    "ORDER BY announced_at_micros DESC, tournament_id LIMIT ?"
)
_TOURNAMENTS_IN_STATE = (
    "SELECT announced_at_micros, tournament_id FROM ledger_tournaments "
    "WHERE state = ? AND (announced_at_micros < ? OR (announced_at_micros = ? AND tournament_id > ?)) "
    "ORDER BY announced_at_micros DESC, tournament_id LIMIT ?"
)
_ENTRIES = (
    "SELECT book, number, kind, subject, at_micros, request_id, previous_hash, hash FROM ledger_journal "
    "WHERE book = ? AND number > ? ORDER BY number LIMIT ?"
)
_POSTINGS = (
    "SELECT number, from_account_id, to_account_id, amount, unit FROM ledger_postings "
    "WHERE book = ? AND number BETWEEN ? AND ? ORDER BY number, position"
)
_STATEMENT = (
    "SELECT j.book, j.number, m.position, j.kind, m.change, m.counter, j.at_micros, j.subject FROM ("
    "SELECT book, number, position, -amount AS change, to_account_id AS counter FROM ledger_postings "
    "WHERE from_account_id = ? UNION ALL "
    "SELECT book, number, position, amount AS change, from_account_id AS counter FROM ledger_postings "
    "WHERE to_account_id = ?) AS m JOIN ledger_journal AS j ON j.book = m.book AND j.number = m.number "
    "WHERE (j.at_micros, j.book, j.number, m.position) > (?, ?, ?, ?) "
    "ORDER BY j.at_micros, j.book, j.number, m.position LIMIT ?"
)
# A sum of amounts may need more than 64 bits, which SQL answers with an error; so the halves are summed up.
_HALF = 2**32
_SUMS = (
    f"SELECT unit, SUM(balance / {_HALF}), SUM(balance - balance / {_HALF} * {_HALF}), COUNT(*) "  # noqa: S608  # a number
    "FROM ledger_accounts GROUP BY unit ORDER BY unit"
)
_BALANCES = (
    f"SELECT a.account_id, a.balance, SUM(p.change / {_HALF}), SUM(p.change - p.change / {_HALF} * {_HALF}) "  # noqa: S608  # a number
    "FROM ledger_accounts AS a JOIN ("
    "SELECT account_id, -balance AS change FROM ledger_accounts UNION ALL "
    "SELECT from_account_id AS account_id, -amount AS change FROM ledger_postings UNION ALL "
    "SELECT to_account_id AS account_id, amount AS change FROM ledger_postings) AS p "
    "ON p.account_id = a.account_id GROUP BY a.account_id, a.balance "
    f"HAVING SUM(p.change - p.change / {_HALF} * {_HALF}) % {_HALF} <> 0 "
    f"OR SUM(p.change / {_HALF}) + SUM(p.change - p.change / {_HALF} * {_HALF}) / {_HALF} <> 0 "
    "ORDER BY a.account_id LIMIT ?"
)


def _whole(high: SqlValue, low: SqlValue) -> int:
    """The sum of which the halves were summed up."""
    return integer(high) * _HALF + integer(low)


def _movement(row: tuple[SqlValue, ...]) -> StatementEntry:
    return StatementEntry(
        book=str(row[0]),
        number=integer(row[1]),
        position=integer(row[2]),
        kind=EntryKind(str(row[3])),
        change=integer(row[4]),
        counter_account_id=str(row[5]),
        at=moment(integer(row[6])),
        subject=str(row[7]),
    )
