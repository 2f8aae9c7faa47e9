"""The books in the durable store; see services.tournament_ledger.ports.Books."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from services.tournament_ledger.adapters.records import cash_table_of, tournament_of
from services.tournament_ledger.adapters.rows import content, head_of, hold_of, integer
from services.tournament_ledger.adapters.statements import booking_statements
from services.tournament_ledger.domain.cash import CashTable
from services.tournament_ledger.domain.holds import Hold
from services.tournament_ledger.domain.journal import Head, empty_head, micros
from services.tournament_ledger.domain.look_alikes import likeness
from services.tournament_ledger.domain.tournament import Tournament
from services.tournament_ledger.ports import Booking, Looked, Remembered
from shared.storage.database import SqlValue, Store
from shared.storage.requests import AnsweredRequests, RequestKey, first_answer

_LOOK_ALIKE = (
    "SELECT owner_id FROM ledger_accounts "
    "WHERE replace(replace(replace(replace(lower(owner_id), 'm', 'rn'), '0', 'o'), '1', 'l'), 'i', 'l') = ? "
    "AND owner_id <> ? AND kind = 'PLAYER_WALLET' LIMIT 1"
)

_ANSWERED = (
    "SELECT digest, answer FROM answered_requests WHERE scope = ? AND request_id = ?"
    " UNION ALL SELECT digest, answer FROM answered_requests WHERE scope = 'request' AND request_id = ? AND digest = ?"
    " LIMIT 1"
)
"""In the scope of the request, or among those that earlier releases kept all in one, whoever had asked: with the same
content it is answered as before. An id of our services, which anybody can work out, has other content."""
_LOOK_AT_REQUEST = (
    "SELECT requests.digest, requests.answer, accounts.account_id, accounts.balance"  # noqa: S608  # our own text
    f" FROM (SELECT 1 AS one) asked LEFT JOIN ({_ANSWERED}) requests ON 1 = 1"
    " LEFT JOIN ledger_accounts accounts ON 1 = 1"
)
_BOUGHT_IN = "SELECT number FROM ledger_journal WHERE kind = 'BOUGHT_IN' AND request_id = ? AND book = ? LIMIT 1"


class StoredBooks:
    """See Books."""

    def __init__(self, store: Store) -> None:
        """Keep the books in this store."""
        self._store = store
        self._answered = AnsweredRequests(store)

    async def answered(self, key: RequestKey) -> bytes | None:
        """See Books.answered."""
        rows = await self._store.read(_ANSWERED, _places_of(key))
        return first_answer(key, *rows[0]) if rows else None

    async def look(self, key: RequestKey, account_ids: Sequence[str]) -> Looked:
        """See Books.look."""
        sql = f"{_LOOK_AT_REQUEST} AND accounts.account_id IN ({_places(account_ids)})"
        rows = await self._store.read(sql, (*_places_of(key), *account_ids))
        digest, answer, *_ = rows[0]
        balances = {str(account_id): integer(balance) for _, _, account_id, balance in rows if account_id is not None}
        return Looked(None if digest is None else first_answer(key, digest, answer), balances)

    async def head(self, book: str) -> Head:
        """See Books.head."""
        sql = "SELECT book, number, hash, at_micros FROM ledger_books WHERE book = ?"
        rows = await self._store.read(sql, (book,))
        return head_of(rows[0]) if rows else empty_head(book)

    async def balance(self, account_id: str) -> int | None:
        """See Books.balance."""
        rows = await self._store.read("SELECT balance FROM ledger_accounts WHERE account_id = ?", (account_id,))
        return integer(rows[0][0]) if rows else None

    async def balances(self, account_ids: Sequence[str]) -> Mapping[str, int]:
        """See Books.balances."""
        places = _places(account_ids)
        sql = f"SELECT account_id, balance FROM ledger_accounts WHERE account_id IN ({places})"  # noqa: S608  # '?' only
        return {str(row[0]): integer(row[1]) for row in await self._store.read(sql, tuple(account_ids))}

    async def wallet_currencies(self, player_id: str) -> tuple[str, ...]:
        """See Books.wallet_currencies."""
        sql = "SELECT unit FROM ledger_accounts WHERE owner_id = ? AND kind = 'PLAYER_WALLET' ORDER BY unit LIMIT 200"
        return tuple(str(row[0]) for row in await self._store.read(sql, (player_id,)))

    async def look_alike(self, player_id: str) -> str | None:
        """See Books.look_alike."""
        rows = await self._store.read(_LOOK_ALIKE, (likeness(player_id), player_id))
        return str(rows[0][0]) if rows else None

    async def open_holds(self, player_id: str, currency: str) -> int:
        """See Books.open_holds."""
        sql = "SELECT COUNT(*) FROM ledger_holds WHERE player_id = ? AND currency = ? AND state = 'OPEN'"
        return integer((await self._store.read(sql, (player_id, currency)))[0][0])

    async def open_tournaments(self) -> int:
        """See Books.open_tournaments."""
        sql = "SELECT COUNT(*) FROM ledger_tournaments WHERE state IN ('REGISTERING', 'RUNNING')"
        return integer((await self._store.read(sql, ()))[0][0])

    async def tournament(self, tournament_id: str) -> Tournament | None:
        """See Books.tournament."""
        sql = "SELECT published, record FROM ledger_tournaments WHERE tournament_id = ?"
        rows = await self._store.read(sql, (tournament_id,))
        if not rows:
            return None
        entrants = await self._store.read(
            "SELECT record FROM ledger_entrants WHERE tournament_id = ?", (tournament_id,)
        )
        tables = await self._store.read(
            "SELECT record FROM ledger_tournament_tables WHERE tournament_id = ?", (tournament_id,)
        )
        return tournament_of(
            tournament_id,
            (content(rows[0][0]), content(rows[0][1])),
            (content(row[0]) for row in entrants),
            (content(row[0]) for row in tables),
        )

    async def cash_table(self, table_id: str) -> CashTable | None:
        """See Books.cash_table."""
        rows = await self._store.read("SELECT record FROM ledger_cash_tables WHERE table_id = ?", (table_id,))
        return cash_table_of(content(rows[0][0])) if rows else None

    async def bought_in(self, book: str, request_id: str) -> bool:
        """See Books.bought_in."""
        return bool(await self._store.read(_BOUGHT_IN, (request_id, book)))

    async def hold(self, hold_id: str) -> Hold | None:
        """See Books.hold."""
        sql = (
            "SELECT hold_id, player_id, amount_minor, currency, expires_at_micros, state "
            "FROM ledger_holds WHERE hold_id = ?"
        )
        rows = await self._store.read(sql, (hold_id,))
        return hold_of(rows[0]) if rows else None

    async def book(self, booking: Booking) -> None:
        """See Books.book."""
        answered_at = micros(booking.at)
        answers = [self._answered.record(each.key, each.answer, answered_at) for each in booking.remembered]
        await self._store.write([*answers, *booking_statements(booking)])
        self._store.tell(booking.head.book)

    async def remember(self, remembered: Remembered, at: datetime) -> None:
        """See Books.remember."""
        await self._store.write([self._answered.record(remembered.key, remembered.answer, micros(at))])

    async def forget(self, answered_before: datetime) -> None:
        """See Books.forget."""
        await self._answered.forget(micros(answered_before))


def _places_of(key: RequestKey) -> tuple[SqlValue, ...]:
    """Where its answer may be."""
    return key.scope, key.request_id, key.request_id, key.digest


def _places(values: Sequence[str]) -> str:
    return ", ".join("?" * len(values))
