"""The statements of one booking, in the order in which they must be made."""

from collections.abc import Iterable, Iterator, Mapping

from services.tournament_ledger.adapters import records
from services.tournament_ledger.domain.accounts import MAY_BE_NEGATIVE, Account, AccountKind
from services.tournament_ledger.domain.amounts import AMOUNT_MAX
from services.tournament_ledger.domain.cash import CashTable
from services.tournament_ledger.domain.holds import Hold
from services.tournament_ledger.domain.journal import Head, JournalEntry, micros
from services.tournament_ledger.domain.posting import Posting, changes
from services.tournament_ledger.domain.tournament import Entrant, TablePlay, Tournament
from services.tournament_ledger.ports import Booking, Change, HoldChange, TournamentChange
from shared.storage.database import Statement, statement

HEAD_LABEL = "head"
BALANCE_LABEL = "balance"
STATE_LABEL = "state"


def booking_statements(booking: Booking) -> Iterator[Statement]:
    """Head and journal first, so that a conflict is found early; then accounts, postings, balances, states."""
    yield _move_head(booking.head, booking.entries[-1])
    for entry in booking.entries:
        yield _entry(entry)
    postings = [posting for draft in booking.drafts for posting in draft.postings]
    yield from _accounts(booking.accounts, postings, booking.known)
    for entry, draft in zip(booking.entries, booking.drafts, strict=True):
        yield from _postings(entry, draft.postings)
    yield from _balances(postings, booking.seen)
    for change in booking.changes:
        yield from _change(change)


def _move_head(head: Head, last: JournalEntry) -> Statement:
    """The guard: the head must stand where the command saw it, number and hash."""
    if head.number == 0:
        sql = "INSERT INTO ledger_books (book, number, hash, at_micros) VALUES (?, ?, ?, ?)"
        return Statement(sql, (head.book, last.number, last.hash, micros(last.at)), rows=1, label=HEAD_LABEL)
    sql = "UPDATE ledger_books SET number = ?, hash = ?, at_micros = ? WHERE book = ? AND number = ? AND hash = ?"
    params = (last.number, last.hash, micros(last.at), head.book, head.number, head.hash)
    return statement(sql=sql, params=params, rows=1, label=HEAD_LABEL)


_ENTRY = (
    "INSERT INTO ledger_journal (book, number, kind, subject, at_micros, request_id, previous_hash, hash) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
)
_POSTING = (
    "INSERT INTO ledger_postings (book, number, position, from_account_id, to_account_id, amount, unit) "
    "VALUES (?, ?, ?, ?, ?, ?, ?)"
)
_OPEN = (
    "INSERT INTO ledger_accounts (account_id, kind, unit, owner_id, balance) VALUES (?, ?, ?, ?, 0) "
    "ON CONFLICT (account_id) DO NOTHING"
)
_BALANCE = "UPDATE ledger_accounts SET balance = balance + ? WHERE account_id = ? AND balance BETWEEN ? AND ?"
_OTHERWISE = "UPDATE ledger_accounts SET balance = balance WHERE account_id = ? AND balance <> ?"
"""Touches no row where the balance is the one that was seen, or there is no such account yet, which is as good as 0."""


def _entry(entry: JournalEntry) -> Statement:
    params = (
        entry.book,
        entry.number,
        entry.kind.value,
        entry.subject,
        micros(entry.at),
        entry.request_id,
        entry.previous_hash,
        entry.hash,
    )
    return statement(sql=_ENTRY, params=params, rows=1, label=HEAD_LABEL)


def _accounts(opened: Iterable[Account], postings: Iterable[Posting], known: frozenset[str]) -> Iterator[Statement]:
    """Accounts come into being with their first posting; a wallet only where it is opened."""
    wanted = {account.account_id: account for account in opened}
    for posting in postings:
        for account in (posting.from_account, posting.to_account):
            if account.kind is not AccountKind.PLAYER_WALLET and account.account_id not in known:
                wanted.setdefault(account.account_id, account)
    for account in wanted.values():
        yield Statement(_OPEN, (account.account_id, account.kind.value, account.unit, account.owner_id))


def _postings(entry: JournalEntry, postings: Iterable[Posting]) -> Iterator[Statement]:
    for position, posting in enumerate(postings):
        params = (
            entry.book,
            entry.number,
            position,
            posting.from_account.account_id,
            posting.to_account.account_id,
            posting.amount,
            posting.unit,
        )
        yield statement(sql=_POSTING, params=params, rows=1)


def _balances(postings: list[Posting], seen: Mapping[str, int]) -> Iterator[Statement]:
    """Each balance moves once, and only where it stays within its bounds; one that is told is as it was read.

    A wallet is changed from many books, and where there are other ledgers no lock of ours covers them.
    """
    accounts: Mapping[str, Account] = {
        account.account_id: account for posting in postings for account in (posting.from_account, posting.to_account)
    }
    moved = changes(postings)
    for account_id, change in moved.items():
        floor = -AMOUNT_MAX if accounts[account_id].kind in MAY_BE_NEGATIVE else 0
        least, most = (floor - change, AMOUNT_MAX) if change < 0 else (floor, AMOUNT_MAX - change)
        if account_id in seen:
            least, most = max(least, seen[account_id]), min(most, seen[account_id])
        yield statement(sql=_BALANCE, params=(change, account_id, least, most), rows=1, label=BALANCE_LABEL)
    for account_id in sorted(seen.keys() - moved.keys()):
        yield statement(sql=_OTHERWISE, params=(account_id, seen[account_id]), rows=0, label=BALANCE_LABEL)


def _change(change: Change) -> Iterator[Statement]:
    if isinstance(change, TournamentChange):
        yield from _tournament(change.before, change.after)
    elif isinstance(change, CashTable):
        sql = (
            "INSERT INTO ledger_cash_tables (table_id, record) VALUES (?, ?) "
            "ON CONFLICT (table_id) DO UPDATE SET record = excluded.record"
        )
        yield Statement(sql, (change.table_id, records.cash_table_bytes(change)), rows=1)
    else:
        yield _hold(change)


def _tournament(before: Tournament | None, after: Tournament) -> Iterator[Statement]:
    """Only the rows that changed."""
    tournament_id, state, standing = after.tournament_id, after.state.value, records.standing_bytes(after)
    if before is None:
        sql = (
            "INSERT INTO ledger_tournaments (tournament_id, announced_at_micros, state, published, record) "
            "VALUES (?, ?, ?, ?, ?)"
        )
        params = (tournament_id, micros(after.announced_at), state, records.published_bytes(after), standing)
        yield Statement(sql, params, rows=1, label=STATE_LABEL)
    else:
        sql = "UPDATE ledger_tournaments SET state = ?, record = ? WHERE tournament_id = ?"
        yield Statement(sql, (state, standing, tournament_id), rows=1, label=STATE_LABEL)
    known = before.entrants if before else dict[str, Entrant]()
    for player_id, entrant in after.entrants.items() if after.entrants is not known else ():
        if known.get(player_id) is not entrant:
            yield Statement(_ENTRANT, (tournament_id, player_id, records.entrant_bytes(entrant)), rows=1)
    tables = before.tables if before else dict[str, TablePlay]()
    for table_id, table in after.tables.items():
        if tables.get(table_id) is not table:
            yield Statement(_TABLE, (tournament_id, table_id, records.table_bytes(table)), rows=1)


_ENTRANT = (
    "INSERT INTO ledger_entrants (tournament_id, player_id, record) VALUES (?, ?, ?) "
    "ON CONFLICT (tournament_id, player_id) DO UPDATE SET record = excluded.record"
)
_TABLE = (
    "INSERT INTO ledger_tournament_tables (tournament_id, table_id, record) VALUES (?, ?, ?) "
    "ON CONFLICT (tournament_id, table_id) DO UPDATE SET record = excluded.record"
)


def _hold(change: HoldChange) -> Statement:
    hold: Hold = change.hold
    if change.new:
        sql = (
            "INSERT INTO ledger_holds (hold_id, player_id, currency, amount_minor, expires_at_micros, state) "
            "VALUES (?, ?, ?, ?, ?, ?)"
        )
        amount = hold.amount
        params = (
            hold.hold_id,
            hold.player_id,
            amount.currency,
            amount.amount_minor,
            micros(hold.expires_at),
            hold.state.value,
        )
        return Statement(sql, params, rows=1, label=STATE_LABEL)
    sql = "UPDATE ledger_holds SET state = ? WHERE hold_id = ? AND state = 'OPEN'"
    return Statement(sql, (hold.state.value, hold.hold_id), rows=1, label=STATE_LABEL)
