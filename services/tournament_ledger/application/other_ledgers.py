"""Several ledgers on one database: what any of them wrote reaches those who watch all tournaments here, in order."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Final

from services.tournament_ledger.application.decisions import tournament_book
from services.tournament_ledger.domain.journal import JournalEntry
from services.tournament_ledger.ports import Reports
from shared.observability.logging import get_log
from shared.storage.database import StoreError

LOOK_SECONDS: Final = 1.0
PAGE: Final = 500
_PREFIX: Final = tournament_book("")


class OtherLedgers:
    """Reads the books of tournaments as they grow, at a hint or every second, while somebody watches."""

    def __init__(self, reports: Reports, offer: Callable[[Sequence[JournalEntry]], None]) -> None:
        """Read these and hand on what is new."""
        self._reports = reports
        self._offer = offer
        self._known: dict[str, int] = {}
        """Number of the last entry handed on, by book."""
        self._hinted: set[str] = set()
        self._bell = asyncio.Event()
        self._looked_at = 0.0
        """When all books were looked at last, by the loop's time."""
        self._task: asyncio.Task[None] | None = None
        self._beginning = asyncio.Lock()

    def heard(self, book: str) -> None:
        """Look at this book; at all of them where it is ""."""
        if self._task is not None and (not book or book.startswith(_PREFIX)):
            self._hinted.add(book)
            self._bell.set()

    async def begin(self) -> None:
        """From what is in the books now; nothing where that has begun."""
        async with self._beginning:
            if self._task is None:
                self._looked_at = asyncio.get_running_loop().time()
                self._known = await self._numbers()
                self._task = asyncio.create_task(self._run(), name="read what other ledgers write")

    def end(self) -> None:
        """Nobody watches any more."""
        if self._task is not None:
            self._task.cancel()
            self._task = None

    async def _run(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(LOOK_SECONDS):
                    await self._bell.wait()
            hinted, self._hinted = self._hinted, set()
            self._bell.clear()
            try:
                await self._look(hinted)
            except StoreError:  # the next look finds what this one missed
                pass
            except Exception as fault:  # noqa: BLE001  # or those who watch would never be told anything again
                get_log().error("other_ledgers_not_read", exc_info=fault)

    async def _look(self, hinted: set[str]) -> None:
        """At the books that were named; at all of them every second, however many are named: some may be missed."""
        now = asyncio.get_running_loop().time()
        if not hinted or "" in hinted or now - self._looked_at >= LOOK_SECONDS:
            numbers = await self._numbers()
            self._looked_at = now
            hinted = {book for book, number in numbers.items() if number > self._known.get(book, 0)}
        for book in sorted(hinted):
            await self._hand_on(book)

    async def _numbers(self) -> dict[str, int]:
        found: dict[str, int] = {}
        after = _PREFIX
        while True:
            heads = await self._reports.heads(after, PAGE)
            found |= {head.book: head.number for head in heads if head.book.startswith(_PREFIX)}
            if len(heads) < PAGE:
                return found
            after = heads[-1].book

    async def _hand_on(self, book: str) -> None:
        while entries := await self._reports.entries(book, self._known.get(book, 0), PAGE):
            self._known[book] = entries[-1].number
            self._offer(entries)
