"""What the ledger needs from outside: durable books, the time, somebody who counts, somebody who tells watchers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from services.tournament_ledger.domain.accounts import Account
from services.tournament_ledger.domain.cash import CashTable
from services.tournament_ledger.domain.holds import Hold
from services.tournament_ledger.domain.journal import EntryKind, Head, JournalEntry, JournalFault
from services.tournament_ledger.domain.steps import Draft
from services.tournament_ledger.domain.tournament import Tournament, TournamentState
from shared.storage.requests import RequestKey


class Clock(Protocol):
    """The ledger's time."""

    def now(self) -> datetime:
        """The moment, in UTC."""
        ...


@dataclass(frozen=True, slots=True)
class Remembered:
    """An answer to keep, under the id that asked for it."""

    key: RequestKey
    answer: bytes


@dataclass(frozen=True, slots=True)
class TournamentChange:
    """Where a tournament stood and stands; None before it was announced."""

    before: Tournament | None
    after: Tournament


@dataclass(frozen=True, slots=True)
class HoldChange:
    """A hold placed or resolved; ``new`` for one that is not in the book yet."""

    hold: Hold
    new: bool


Change = TournamentChange | CashTable | HoldChange
"""What else is to be kept beside the journal."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A request and some accounts, read at one moment."""

    answer: bytes | None
    """What was answered before; None for a new request."""
    balances: Mapping[str, int]
    """By account id; those that do not exist are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """Everything that one command writes: all of it or nothing."""

    head: Head
    """The head of the book that the command saw."""
    entries: tuple[JournalEntry, ...]
    drafts: tuple[Draft, ...]
    """What the entries were made of, in the same order."""
    remembered: tuple[Remembered, ...]
    changes: tuple[Change, ...]
    at: datetime
    accounts: tuple[Account, ...] = ()
    """Accounts to be opened; those of postings are opened by themselves, wallets are not."""
    known: frozenset[str] = frozenset()
    """Ids of accounts that were seen in the books, where they stay for ever."""
    seen: Mapping[str, int] = field(default_factory=dict[str, int])
    """Balances that the answer tells of, by account, as they were read: written only where they still are so."""


@dataclass(frozen=True, slots=True)
class StatementEntry:
    """One movement of an account."""

    book: str
    number: int
    position: int
    kind: EntryKind
    change: int
    counter_account_id: str
    at: datetime
    subject: str


@dataclass(frozen=True, slots=True)
class UnitSum:
    """Sum of one unit over all accounts; zero, or the books are broken."""

    unit: str
    sum: int
    accounts_count: int


class Books(Protocol):
    """The durable books. ``book`` raises shared.storage.WriteConflict when somebody else was first."""

    async def answered(self, key: RequestKey) -> bytes | None:
        """What was answered to a request; DomainError REQUEST_ID_REUSED for other content."""
        ...

    async def look(self, key: RequestKey, account_ids: Sequence[str]) -> Looked:
        """What was answered to a request, as ``answered`` says, and what accounts hold; one read."""
        ...

    async def head(self, book: str) -> Head:
        """The head of a book; number 0 where it has no entry."""
        ...

    async def balance(self, account_id: str) -> int | None:
        """What an account holds; None where there is none."""
        ...

    async def balances(self, account_ids: Sequence[str]) -> Mapping[str, int]:
        """What accounts hold at one and the same moment, by id; those that do not exist are left out."""
        ...

    async def wallet_currencies(self, player_id: str) -> tuple[str, ...]:
        """Currencies of a player's wallets."""
        ...

    async def look_alike(self, player_id: str) -> str | None:
        """Another player with a wallet whose id looks or sounds like this one."""
        ...

    async def open_holds(self, player_id: str, currency: str) -> int:
        """How many holds of a wallet are open."""
        ...

    async def open_tournaments(self) -> int:
        """How many tournaments are announced and not over."""
        ...

    async def tournament(self, tournament_id: str) -> Tournament | None:
        """Where a tournament stands."""
        ...

    async def cash_table(self, table_id: str) -> CashTable | None:
        """Where a cash table stands."""
        ...

    async def bought_in(self, book: str, request_id: str) -> bool:
        """Whether a request bought chips of a cash table, however long ago."""
        ...

    async def hold(self, hold_id: str) -> Hold | None:
        """A hold."""
        ...

    async def book(self, booking: Booking) -> None:
        """Write everything durably, or nothing."""
        ...

    async def remember(self, remembered: Remembered, at: datetime) -> None:
        """Keep an answer that changed nothing."""
        ...

    async def forget(self, answered_before: datetime) -> None:
        """Drop answers older than a moment."""
        ...


class Reports(Protocol):
    """Reading the books in pages."""

    async def tournament_ids(
        self, state: TournamentState | None, after: tuple[int, str] | None, limit: int
    ) -> list[tuple[int, str]]:
        """Moments of announcing and ids, newest first, after such a pair."""
        ...

    async def statement(
        self, account_id: str, after: tuple[int, str, int, int] | None, limit: int
    ) -> list[StatementEntry]:
        """Movements of an account, oldest first, after a moment, book, number and position."""
        ...

    async def entries(self, book: str, after_number: int, limit: int) -> list[JournalEntry]:
        """Entries of a book after a number."""
        ...

    async def heads(self, after_book: str, limit: int) -> list[Head]:
        """Heads of the books by name, after a name."""
        ...

    async def tournament_counts(self) -> dict[TournamentState, int]:
        """How many tournaments are in each state; states with none are left out."""
        ...

    async def sums(self) -> list[UnitSum]:
        """Sum of each unit over all accounts."""
        ...

    async def balance_faults(self, limit: int) -> list[JournalFault]:
        """Accounts whose balance is not what their postings make it."""
        ...

    async def due_holds(self, at: datetime, skip: int, limit: int) -> list[str]:
        """Ids of open holds whose time is over, the oldest first, without so many of them."""
        ...


class Witness(Protocol):
    """Counts and logs what the ledger does; it is never told a name."""

    def booked(self, drafts: Sequence[Draft]) -> None:
        """Entries were written and are durable."""
        ...

    def conflicted(self) -> None:
        """A write found that another was first, and is tried again."""
        ...

    def summed(self, units_out_of_balance: int) -> None:
        """All accounts were summed up."""
        ...

    def tournaments_counted(self, counts: Mapping[TournamentState, int]) -> None:
        """All tournaments were counted by their state."""
        ...


class Announcer(Protocol):
    """Tells watchers that a book has grown."""

    def grown(self, book: str, entries: Sequence[JournalEntry]) -> None:
        """These entries are durable now."""
        ...
