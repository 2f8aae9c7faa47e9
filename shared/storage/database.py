"""The one interface to durable storage, whatever engine is below it.

A write is a list of statements: all of them take effect and are on disk when it returns, or none of them. SQL is
portable: ``?`` placeholders, BIGINT, TEXT and BYTEA columns, no dialect.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from shared.kernel.frozen import maker

SqlValue = str | int | float | bytes | None
Row = tuple[SqlValue, ...]


class StoreError(Exception):
    """Something about the store itself, never about the game."""


class StoreRefused(StoreError):  # noqa: N818  # read as a sentence: the store refused to open
    """The database cannot be opened as it is: the message says why and how to mend it; nothing was changed."""


class StoreUnavailable(StoreError):  # noqa: N818
    """The write was not made and may be tried again: too many are waiting, the disk is full, or the store is closed."""


class StoreBroken(StoreError):  # noqa: N818
    """The disk failed: whether the last writes are kept is unknown until a restart, and no more are taken."""


class StoreUnclear(StoreError):  # noqa: N818
    """The database was lost while it committed: the write was made whole or not at all, and nobody knows which yet.

    Reading again, or asking again with the same request id, tells.
    """


class ConstraintViolated(StoreError):  # noqa: N818
    """A CHECK, NOT NULL or foreign key of the schema was breached: a bug of ours, stopped at the last line."""


class WriteConflict(StoreError):  # noqa: N818
    """Somebody else was first: a statement touched another number of rows than it must, or a key exists already."""

    def __init__(self, label: str, detail: str) -> None:
        """Keep the label of the statement that found it, so that the caller knows which of its guards spoke."""
        super().__init__(f"write conflict at {label or 'an unnamed statement'}: {detail}")
        self.label = label
        self.detail = detail


@dataclass(frozen=True, slots=True)
class Statement:
    """One SQL statement of a write."""

    sql: str
    params: tuple[SqlValue, ...] = ()
    rows: int | None = None
    """How many rows it must touch, else WriteConflict; None: any number."""
    label: str = ""
    """A name for WriteConflict.label."""


statement = maker(Statement)
"""The same, made quickly and by name: every write needs several."""


class Store(Protocol):
    """A durable database that one service owns."""

    async def write(self, statements: Sequence[Statement]) -> None:
        """Make all statements take effect durably, or none.

        Raises WriteConflict, ConstraintViolated, StoreUnavailable (nothing was changed), StoreUnclear or StoreBroken. A
        caller that is cancelled while it waits leaves a whole write or no write, never a part.
        """
        ...

    async def read(self, sql: str, params: Sequence[SqlValue] = ()) -> list[Row]:
        """Rows as committed: every write that has returned is seen. Ask for pages, with LIMIT."""
        ...

    @property
    def sound(self) -> bool:
        """Whether it takes writes; where not, the service says that it is not ready.

        A file whose disk failed is never sound again, a server that was away is when it is back.
        """
        ...

    @property
    def shared(self) -> bool:
        """Whether other processes may write to this database too: what was read before may be old by now."""
        ...

    def tell(self, topic: str) -> None:
        """Hint to the other processes that something changed; it may be lost, late, or told in vain."""
        ...

    def heed(self, heard: Callable[[str], None]) -> None:
        """Call this with every hint of other processes; with "" where some may have been missed."""
        ...

    async def close(self) -> None:
        """Finish the writes that wait, then let go of the files."""
        ...


def is_lost(store: Store) -> bool:
    """Whether the store takes no write any more for as long as this process lives: a file whose disk failed."""
    return not (store.shared or store.sound)
