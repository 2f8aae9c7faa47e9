"""Append-only streams of facts: one a table, a tournament, a book.

An append names the version it expects; when somebody else was first it fails with WriteConflict labelled ``append``.
The statements may be joined with others, of several streams even, in one write: all or nothing.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from shared.storage.database import Row, SqlValue, Statement, Store, statement

PAGE_MAX = 1000
APPEND_LABEL = "append"
TOGETHER_MAX = 20
"""Events in one statement: each statement costs as much as the row that it adds."""


@dataclass(frozen=True, slots=True)
class NewEvent:
    """A fact to be recorded."""

    kind: str
    """Name of the stored message."""
    payload: bytes
    """The stored message, serialised."""


@dataclass(frozen=True, slots=True)
class StoredEvent:
    """A fact as recorded."""

    stream: str
    version: int
    """1 for the first event of the stream, without gaps."""
    kind: str
    payload: bytes
    recorded_at_micros: int
    """Microseconds since 1970 in UTC, as the appender said."""


class EventLog:
    """The streams of one store."""

    def __init__(self, store: Store) -> None:
        """Read and append through this store."""
        self._store = store

    def append(
        self,
        stream: str,
        expected_version: int,
        events: Sequence[NewEvent],
        recorded_at_micros: int,
        expected_at_micros: int | None = None,
    ) -> list[Statement]:
        """The statements that append events after expected_version (0: the stream is new); empty for no events.

        ``expected_at_micros`` is when the last of those before was recorded, where that is known: so nothing is added
        to another history of the same length, which a database may have that went back in time.
        """
        if not events:
            return []
        statements = [_move_head(stream, expected_version, expected_version + len(events), expected_at_micros)]
        for begin in range(0, len(events), TOGETHER_MAX):
            some, version = events[begin : begin + TOGETHER_MAX], expected_version + begin
            params: list[SqlValue] = []
            for event in some:
                version += 1
                params += (stream, version, event.kind, event.payload, recorded_at_micros)
            sql = _insert(len(some))
            statements.append(statement(sql=sql, params=tuple(params), rows=len(some), label=APPEND_LABEL))
        return statements

    def unchanged(self, stream: str, version: int) -> Statement:
        """The guard of a write that appends nothing: it is made only while this is the last version."""
        sql = "UPDATE event_streams SET version = version WHERE stream = ? AND version = ?"
        return Statement(sql, (stream, version), rows=1, label=APPEND_LABEL)

    async def read(self, stream: str, after_version: int = 0, limit: int = PAGE_MAX) -> list[StoredEvent]:
        """The events after a version, oldest first, at most limit (never more than 1000): read again for more."""
        rows = await self._store.read(_SELECT, (stream, after_version, max(1, min(limit, PAGE_MAX))))
        return [_stored(stream, row) for row in rows]

    async def read_all(self, stream: str, after_version: int = 0) -> list[StoredEvent]:
        """Every event after a version, read in pages: for recovery of one stream."""
        found: list[StoredEvent] = []
        while True:
            page = await self.read(stream, found[-1].version if found else after_version)
            found += page
            if len(page) < PAGE_MAX:
                return found

    async def version(self, stream: str) -> int:
        """Version of the last event; 0 for a stream that does not exist."""
        rows = await self._store.read("SELECT version FROM event_streams WHERE stream = ?", (stream,))
        return int(str(rows[0][0])) if rows else 0

    async def streams(self, prefix: str, after: str = "", limit: int = PAGE_MAX) -> list[tuple[str, int]]:
        """Names and versions of the streams whose name starts with prefix, in order of name, paged by the last name."""
        rows = await self._store.read(_STREAMS, (max(prefix, after), after, prefix + "\U0010ffff", limit))
        return [(str(stream), int(str(version))) for stream, version in rows]


_INSERT = "INSERT INTO events (stream, version, kind, payload, recorded_at_micros) VALUES "
_ROW = "(?, ?, ?, ?, ?)"
_SELECT = (
    "SELECT version, kind, payload, recorded_at_micros FROM events "
    "WHERE stream = ? AND version > ? ORDER BY version LIMIT ?"
)
_STREAMS = (
    "SELECT stream, version FROM event_streams WHERE stream >= ? AND stream > ? AND stream < ? ORDER BY stream LIMIT ?"
)


_RECORDED_THEN = " AND EXISTS (SELECT 1 FROM events WHERE stream = ? AND version = ? AND recorded_at_micros = ?)"


def _insert(count: int) -> str:
    """The statement that adds so many events."""
    return _INSERT + ", ".join([_ROW] * count)


def _move_head(stream: str, expected: int, version: int, expected_at_micros: int | None) -> Statement:
    """The guard: the head must stand where the appender saw it."""
    if expected == 0:
        sql = "INSERT INTO event_streams (stream, version) VALUES (?, ?)"
        return Statement(sql, (stream, version), rows=1, label=APPEND_LABEL)
    sql = "UPDATE event_streams SET version = ? WHERE stream = ? AND version = ?"
    params: tuple[SqlValue, ...] = (version, stream, expected)
    if expected_at_micros is not None:
        sql += _RECORDED_THEN
        params += (stream, expected, expected_at_micros)
    return statement(sql=sql, params=params, rows=1, label=APPEND_LABEL)


def _stored(stream: str, row: Row) -> StoredEvent:
    version, kind, payload, recorded_at = row
    if not isinstance(version, int) or not isinstance(payload, bytes) or not isinstance(recorded_at, int):
        raise TypeError(f"the log of {stream} holds a row of the wrong types")
    return StoredEvent(stream, version, str(kind), payload, recorded_at)
