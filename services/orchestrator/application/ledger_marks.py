"""What the ledger's books had when they were seen last: wallets, cash tables and tournaments, whether played or over.

The heads of all books (number and hash of the last entry) are looked at every few seconds and at the end, and kept with
the tables. A book that ends before its mark, or has another hash there, is of a ledger that was restored alone: at our
start, or while we run, when its new entries would soon cover what it lost. A book that has grown since a start was
written by somebody: where that was a table of ours, we must know its hands, or we were restored alone ourselves.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from typing import Final, Protocol

from services.orchestrator.application.apart import HistoriesApart, apart
from services.orchestrator.application.table_log import TableLog
from services.orchestrator.ports import Clock, ServiceAway
from shared.kernel.errors import DomainError
from shared.observability.logging import get_log
from shared.storage.database import StoreError

LOOK_AGAIN: Final = timedelta(seconds=10)
AT_END_SECONDS: Final = 3.0
ASKED_AT_ONCE: Final = 200
_CASH: Final = "cash:"
_TOURNAMENT: Final = "tournament:"


@dataclass(frozen=True, slots=True)
class BookMark:
    """The last entry of a book, as it was seen."""

    book: str
    number: int
    hash: bytes
    """Empty where there is no such entry."""


class Marks(Protocol):
    """Where they are kept; implemented in ``adapters/stored_marks.py``."""

    async def all(self) -> tuple[BookMark, ...]:
        """Every mark."""
        ...

    async def keep(self, marks: Sequence[BookMark]) -> None:
        """Remember these; a mark never goes back."""
        ...


@dataclass(frozen=True, slots=True)
class HandsBooked:
    """What the ledger says of the hands of a table, by their numbers."""

    last: int
    """The last that was booked."""
    opened: int
    """The one whose sheet is open; 0: none."""

    def reaches(self, hand_number: int) -> bool:
        """Whether the hand was booked, or has its sheet."""
        return max(self.last, self.opened) >= hand_number


class LedgerBooks(Protocol):
    """The ledger's books as they are now; ServiceAway while it does not answer."""

    def heads(self) -> AsyncIterator[BookMark]:
        """The last entry of every book."""
        ...

    async def entries(self, marks: Sequence[BookMark]) -> tuple[BookMark, ...]:
        """What the books have at these numbers, in this order."""
        ...

    async def tables_of(self, tournament_id: str) -> frozenset[str]:
        """Tables at which somebody sits, or sat last."""
        ...

    async def booked(self, tournament_id: str, table_id: str) -> HandsBooked | None:
        """The hands of a table; None where the ledger does not know the table."""
        ...

    async def begun(self, table_id: str) -> bool:
        """Whether the dealer dealt cards of the first hand of a table."""
        ...


async def compare_books(marks: Marks, books: LedgerBooks, log: TableLog) -> list[str]:
    """What is wrong with the books, one line each; nothing where they go on from what was seen."""
    seen = {each.book: each for each in await marks.all()}
    heads = {each.book: each async for each in books.heads()}
    found = [problem for mark in seen.values() if (problem := _lost(mark, heads.get(mark.book)))]
    if found:
        return found
    found = await _rewritten(tuple(seen.values()), books)
    for book, head in heads.items():
        if book not in seen or head.number > seen[book].number:
            found += await _unknown(book, head, books, log)
    return found


def _lost(mark: BookMark, head: BookMark | None) -> str:
    number = head.number if head is not None else 0
    if number >= mark.number:
        return ""
    return f"the ledger is older: its book {mark.book} ends at entry {number}, entry {mark.number} was seen"


async def _rewritten(marks: Sequence[BookMark], books: LedgerBooks) -> list[str]:
    """Books that have something else where they were seen: restored, and then gone on with."""
    found: list[str] = []
    for begin in range(0, len(marks), ASKED_AT_ONCE):
        asked = marks[begin : begin + ASKED_AT_ONCE]
        for mark, entry in zip(asked, await books.entries(asked), strict=True):
            if entry.hash != mark.hash:
                found.append(_other(mark))
    return found


def _other(mark: BookMark) -> str:
    return f"the ledger is another one: entry {mark.number} of its book {mark.book} is not as seen"


async def _unknown(book: str, head: BookMark, books: LedgerBooks, log: TableLog) -> list[str]:
    """Tables of a book that has grown, whose hands we do not know. The ledger is asked first: our log only grows."""
    if book.startswith(_CASH):
        table_id = book.removeprefix(_CASH)
        found = [await _behind("", table_id, books, log)]
        if not any(found) and head.number > 1 and await log.load(table_id) is None:
            found = [f"the orchestrator is older: it does not know table {table_id}, which has a book at the ledger"]
    elif book.startswith(_TOURNAMENT):
        tournament_id = book.removeprefix(_TOURNAMENT)
        tables = sorted(await books.tables_of(tournament_id))
        found = [await _behind(tournament_id, table_id, books, log) for table_id in tables]
    else:
        found = []
    return [problem for problem in found if problem]


async def _behind(tournament_id: str, table_id: str, books: LedgerBooks, log: TableLog) -> str:
    hands = await books.booked(tournament_id, table_id)
    booked = hands.last if hands is not None else 0
    if not booked:
        return await _begun_unknown(table_id, books, log) if tournament_id else ""
    newest = await log.hands(table_id, 0, 1)
    played = newest[0].hand_number if newest else 0
    if played >= booked:
        return ""
    return f"the orchestrator is older: it knows {played} hands of table {table_id}, the ledger booked hand {booked}"


async def _begun_unknown(table_id: str, books: LedgerBooks, log: TableLog) -> str:
    """A table of a tournament whose first hand is not booked yet; its log is there before a card is dealt."""
    if not await books.begun(table_id) or await log.load(table_id) is not None:
        return ""
    return f"the orchestrator is older: it does not know table {table_id}, where a hand was dealt"


async def keep_marks(marks: Marks, books: LedgerBooks, clock: Clock) -> None:
    """Look and remember for ever; once more when cancelled. An outage is the next look's matter.

    HistoriesApart where the ledger has gone back since.
    """
    seen = await _seen(marks, clock)
    try:
        while True:
            with suppress(ServiceAway):
                await keep_new(seen, marks, books)
            await clock.sleep_until(clock.now() + LOOK_AGAIN)
    finally:
        with suppress(ServiceAway, TimeoutError):
            async with asyncio.timeout(AT_END_SECONDS):
                await keep_new(seen, marks, books)


async def _seen(marks: Marks, clock: Clock) -> dict[str, BookMark]:
    """The marks so far; waited for while our own database is away, which says nothing of the ledger's."""
    while True:
        try:
            return {each.book: each for each in await marks.all()}
        except StoreError as fault:
            get_log().warning("ledger_marks_not_read", exc_info=fault)
        await clock.sleep_until(clock.now() + LOOK_AGAIN)


async def keep_new(seen: dict[str, BookMark], marks: Marks, books: LedgerBooks) -> None:
    """Look once, and remember the books that have grown, where they grew out of what was seen; else HistoriesApart."""
    try:
        heads = {head.book: head async for head in books.heads()}
        grown = [head for head in heads.values() if head.book not in seen or head.number > seen[head.book].number]
        await _check_kept(seen, heads, grown, books)
        if grown:
            await marks.keep(grown)
            seen.update({each.book: each for each in grown})
    except (ServiceAway, HistoriesApart):
        raise
    except DomainError as refusal:  # a ledger of an earlier release, or a full one
        get_log().warning("ledger_marks_not_kept", reason=refusal.reason.value)
    except Exception as fault:  # noqa: BLE001  # tables go on without marks
        get_log().error("ledger_marks_not_kept", exc_info=fault)


async def _check_kept(
    seen: Mapping[str, BookMark], heads: Mapping[str, BookMark], grown: Sequence[BookMark], books: LedgerBooks
) -> None:
    """Every book still has what was seen of it: the last entry itself, or where more were added the one before them."""
    found = [problem for mark in seen.values() if (problem := _lost(mark, heads.get(mark.book)))]
    found += [
        _other(mark)
        for mark in seen.values()
        if (head := heads.get(mark.book)) is not None and head.number == mark.number and head.hash != mark.hash
    ]
    found += await _rewritten([seen[each.book] for each in grown if each.book in seen], books)
    if found:
        raise apart(found)
