"""The feed of facts: who watches one tournament reads its journal, who watches all has a queue with an end."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime

from services.tournament_ledger.application.decisions import tournament_book
from services.tournament_ledger.application.other_ledgers import LOOK_SECONDS, OtherLedgers
from services.tournament_ledger.application.watchers import OUR_SERVICES, Watchers
from services.tournament_ledger.domain.canonical import from_text
from services.tournament_ledger.domain.facts import KNOWN, PUBLIC, Fact
from services.tournament_ledger.domain.journal import JournalEntry
from services.tournament_ledger.ports import Books, Reports
from shared.kernel.errors import DomainError, Reason, not_found

PAGE = 100
QUEUE_MAX = 1000
_PREFIX = tournament_book("")


@dataclass(frozen=True, slots=True)
class ToldFact:
    """A fact as watchers get it."""

    tournament_id: str
    version: int
    at: datetime
    fact: Fact


def told(entry: JournalEntry) -> list[ToldFact]:
    """The facts of an entry that are for watchers; none for most hands."""
    if not entry.book.startswith(_PREFIX):
        return []
    tournament_id = entry.book.removeprefix(_PREFIX)
    facts = (fact for fact in from_text(entry.subject, KNOWN) if isinstance(fact, PUBLIC))
    return [ToldFact(tournament_id, entry.number, entry.at, fact) for fact in facts]


class Feed:
    """See ports.Announcer; and the place where watchers wait."""

    def __init__(self, watchers_max: int) -> None:
        """Allow so many watchers at a time, beside our services."""
        self._watchers = Watchers(watchers_max)
        self._waiting: dict[str, asyncio.Event] = {}
        self._queues: dict[_Queue, None] = {}
        self._others: OtherLedgers | None = None

    def share(self, reports: Reports) -> None:
        """Other ledgers write to the same books: what they wrote is read from these."""
        self._others = OtherLedgers(reports, self._offer)

    def grown(self, book: str, entries: Sequence[JournalEntry]) -> None:
        """Wake who waits for the book, and hand the entries to who watches all."""
        self._wake(book)
        if self._others is None:
            self._offer(entries)
        else:
            self._others.heard(book)

    def heard(self, book: str) -> None:
        """Another ledger wrote to the book; "" where it is not known to which."""
        for each in [book] if book else list(self._waiting):
            self._wake(each)
        if self._others is not None:
            self._others.heard(book)

    def _wake(self, book: str) -> None:
        event = self._waiting.pop(book, None)
        if event is not None:
            event.set()

    def _offer(self, entries: Sequence[JournalEntry]) -> None:
        for watcher in self._queues:
            watcher.offer(entries)

    async def watch(
        self, books: Books, reports: Reports, tournament_id: str, after_version: int, who: str = OUR_SERVICES
    ) -> AsyncIterator[ToldFact]:
        """Every fact of a tournament after a version, once each, then those to come."""
        book = tournament_book(tournament_id)
        head = await books.head(book)
        if not head.number:
            raise not_found("tournament", tournament_id, "ListTournaments gives all that are announced")
        if after_version > head.number:
            message = f"version {after_version} is beyond the last, {head.number}"
            raise DomainError(Reason.CURSOR_OUT_OF_RANGE, message, {"last": str(head.number)})
        with self._watchers.place(who):
            while True:
                grown = self._waiting.setdefault(book, asyncio.Event())
                page = await reports.entries(book, after_version, PAGE)
                for entry in page:
                    for fact in told(entry):
                        yield fact
                    after_version = entry.number
                if not page:
                    await self._until(grown)

    async def watch_all(self, who: str = OUR_SERVICES) -> AsyncIterator[ToldFact]:
        """Every fact of every tournament from now on; LIMIT_REACHED for a watcher that does not keep up."""
        with self._watchers.place(who):
            watcher = _Queue()
            if self._others is not None:
                await self._others.begin()
            self._queues[watcher] = None
            try:
                while True:
                    for fact in told(await watcher.take()):
                        yield fact
            finally:
                self._queues.pop(watcher, None)
                if self._others is not None and not self._queues:
                    self._others.end()

    async def _until(self, grown: asyncio.Event) -> None:
        """Until the book has grown; with other ledgers, hints may be lost: look now and then."""
        if self._others is None:
            await grown.wait()
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(LOOK_SECONDS):
                await grown.wait()


class _Queue:
    """Entries that wait for one watcher, up to a limit."""

    def __init__(self) -> None:
        self._entries: deque[JournalEntry] = deque()
        self._arrived = asyncio.Event()
        self._lost = False

    def offer(self, entries: Sequence[JournalEntry]) -> None:
        if len(self._entries) + len(entries) > QUEUE_MAX:
            self._lost = True
        else:
            self._entries.extend(entries)
        self._arrived.set()

    async def take(self) -> JournalEntry:
        while not self._entries:
            if self._lost:
                message = f"more than {QUEUE_MAX} entries were waiting: watch again"
                raise DomainError(Reason.LIMIT_REACHED, message, {"limit": "watch_queue_max"})
            self._arrived.clear()
            await self._arrived.wait()
        return self._entries.popleft()
