"""Heads of the ledger's books, kept beside the tables."""

from collections.abc import Sequence
from typing import Final

from services.orchestrator.application.ledger_marks import BookMark
from shared.storage.database import Row, Statement, Store

_ALL: Final = "SELECT book, number, hash FROM ledger_marks ORDER BY book"
_KEEP: Final = (
    "INSERT INTO ledger_marks (book, number, hash) VALUES (?, ?, ?) ON CONFLICT (book) "
    "DO UPDATE SET number = excluded.number, hash = excluded.hash WHERE excluded.number > ledger_marks.number"
)


class StoredMarks:
    """Implements application.ledger_marks.Marks."""

    def __init__(self, store: Store) -> None:
        """Keep them in this store."""
        self._store = store

    async def all(self) -> tuple[BookMark, ...]:
        """See Marks."""
        return tuple(_mark(row) for row in await self._store.read(_ALL))

    async def keep(self, marks: Sequence[BookMark]) -> None:
        """See Marks."""
        await self._store.write([Statement(_KEEP, (each.book, each.number, each.hash)) for each in marks])


def _mark(row: Row) -> BookMark:
    book, number, digest = row
    if not isinstance(number, int) or not isinstance(digest, bytes):
        raise TypeError("ledger_marks holds a row of the wrong types")
    return BookMark(str(book), number, digest)
