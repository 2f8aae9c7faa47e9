"""The tables' log over the store: every step of a table is one write."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final, cast

from services.orchestrator.adapters.last_seen import LastSeen
from services.orchestrator.adapters.stored_refusals import refusal_bytes, unless_refused
from services.orchestrator.adapters.stored_tables import (
    answer_bytes,
    answer_of,
    kept_bytes,
    kept_table,
    line_bytes,
    micros_of,
    new_event,
    recorded_event,
    stream_of,
    summary_of,
)
from services.orchestrator.application.passing import stays_refused
from services.orchestrator.application.table_log import (
    BEGUN,
    SEAT_KEPT,
    CommandAnswer,
    FinishedHand,
    News,
    Purchase,
    SavedTable,
    TableExists,
    TableLine,
    TableWrite,
)
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.table import BareTable
from services.orchestrator.domain.table_facts import TableClosed
from services.orchestrator.domain.views import HandSummary, TableSummary
from shared.kernel.errors import DomainError
from shared.storage.database import Row, SqlValue, Statement, Store, StoreUnavailable, WriteConflict, statement
from shared.storage.event_log import APPEND_LABEL, PAGE_MAX, EventLog, StoredEvent
from shared.storage.requests import REQUEST_LABEL, AnsweredRequests, RequestKey, reused

_NEW: Final = "new table"
_PURCHASE: Final = "purchase"
_PLACES_TRIED: Final = 20
_LAST_PLACE: Final = 2**62
_INSERT_TABLE: Final = (
    "INSERT INTO tables (place, table_id, tournament_id, closed, due_at_micros, betting, line) "
    "SELECT COALESCE(MAX(place), 0) + 1, ?, ?, ?, ?, ?, ? FROM tables"
)
_UPDATE_TABLE: Final = "UPDATE tables SET closed = ?, due_at_micros = ?, betting = ?, line = ? WHERE table_id = ?"
_UPDATE_KEPT: Final = "UPDATE tables SET kept = ? WHERE table_id = ?"
_INSERT_HAND: Final = (
    "INSERT INTO hands (hand_id, table_id, hand_number, first_version, last_version, voided) "
    "VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (hand_id) DO UPDATE SET last_version = excluded.last_version"
)
_INSERT_PURCHASE: Final = (
    "INSERT INTO purchases (table_id, request_id, scope, digest, player_id, seat, chips, cause, table_version) "
    "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (table_id, request_id) DO UPDATE SET digest = excluded.digest "
    "WHERE purchases.scope = excluded.scope AND purchases.digest = excluded.digest"
)
_NOBODY_ELSES: Final = "DELETE FROM purchases WHERE table_id = ? AND seat = ? AND player_id <> ?"
"""Touches no row, or two processes asked at the same moment would keep one seat for two players."""
_DELETE_PURCHASE: Final = "DELETE FROM purchases WHERE table_id = ? AND request_id = ?"
_SETTLE_PURCHASE: Final = _DELETE_PURCHASE
_DROP_PURCHASE: Final = f"{_DELETE_PURCHASE} AND digest = ?"
_NO_PURCHASES: Final = "DELETE FROM purchases WHERE table_id = ?"
"""Touches no row, or a table would be closed while money is on its way to it."""
_NONE_OF_PLAYERS: Final = f"{_NO_PURCHASES} AND player_id IN "
"""Touches no row, or a hand would begin with chips that are added to it once more afterwards."""
_BEGIN_CLOSING: Final = (
    "INSERT INTO closings (table_id, scope, request_id, digest) VALUES (?, ?, ?, ?) ON CONFLICT (table_id) DO UPDATE "
    "SET scope = excluded.scope, request_id = excluded.request_id, digest = excluded.digest"
)
_CLOSING: Final = "SELECT scope, request_id, digest FROM closings WHERE table_id = ?"
_END_CLOSING: Final = "DELETE FROM closings WHERE table_id = ?"
_PURCHASES: Final = (
    "SELECT request_id, scope, digest, player_id, seat, chips, cause, table_version FROM purchases WHERE table_id = ?"
)
_ONE_PURCHASE: Final = f"{_PURCHASES} AND request_id = ?"
_TABLE: Final = (
    "SELECT t.betting, t.kept, s.version FROM tables AS t JOIN event_streams AS s ON s.stream = 'table/' || t.table_id "
    "WHERE t.table_id = ?"
)
_NEWS: Final = (
    "SELECT t.betting, s.version, e.recorded_at_micros FROM tables AS t "
    "JOIN event_streams AS s ON s.stream = 'table/' || t.table_id "
    "LEFT JOIN events AS e ON e.stream = s.stream AND e.version = ? WHERE t.table_id = ?"
)
_KEPT: Final = "SELECT kept FROM tables WHERE table_id = ?"
_LINES: Final = (
    "SELECT t.table_id, s.version, t.line, "
    "CASE WHEN EXISTS (SELECT 1 FROM purchases AS p WHERE p.table_id = t.table_id) THEN 1 ELSE 0 END FROM tables AS t "
    "JOIN event_streams AS s ON s.stream = 'table/' || t.table_id WHERE t.closed = 0 ORDER BY t.place"
)
_OPEN: Final = (
    "SELECT table_id FROM tables WHERE closed = 0 ORDER BY COALESCE(due_at_micros, 9000000000000000000), place"
)
_CLOSED_LAST: Final = (
    "SELECT t.table_id FROM tables AS t JOIN event_streams AS s ON s.stream = 'table/' || t.table_id "
    "JOIN events AS e ON e.stream = s.stream AND e.version = s.version WHERE t.closed = 1 "
    "ORDER BY e.recorded_at_micros DESC, t.place DESC LIMIT ?"
)
_TABLES: Final = (
    "SELECT place, line FROM tables WHERE place < ? AND (? = '' OR tournament_id = ?) AND (? = 1 OR closed = 0) "
    "ORDER BY place DESC LIMIT ?"
)
_HAND: Final = "SELECT table_id, hand_id, hand_number, first_version, last_version, voided FROM hands WHERE hand_id = ?"
_HANDS: Final = (
    "SELECT table_id, hand_id, hand_number, first_version, last_version, voided FROM hands "
    "WHERE table_id = ? AND hand_number < ? ORDER BY hand_number DESC LIMIT ?"
)


class StoredTableLog:
    """Implements application.table_log.TableLog."""

    def __init__(self, store: Store) -> None:
        """Keep everything in this store."""
        self._store = store
        self._events = EventLog(store)
        self._requests = AnsweredRequests(store)
        self._seen = LastSeen()

    @property
    def went_back(self) -> bool:
        """The database lost what it had confirmed: this process knows what is not so, and has to end."""
        return self._seen.went_back

    async def write(self, write: TableWrite) -> None:
        """See TableLog."""
        self._seen.check_kept()
        for _ in range(_PLACES_TRIED):
            try:
                await self._store.write(self._statements(write))
            except WriteConflict as conflict:
                if write.expected_version or conflict.label not in {APPEND_LABEL, _NEW}:
                    raise
                if conflict.label == APPEND_LABEL or await self._events.version(stream_of(write.table_id)):
                    raise TableExists(write.table_id) from conflict
                continue  # another process opened a table at the same place in the list
            if self._store.shared and write.events:
                self._seen.note(write.table_id, write.events[-1].version, micros_of(write.at))
            self._store.tell(stream_of(write.table_id))
            return
        raise StoreUnavailable("other tables are opened all the time: try again")

    def _statements(self, write: TableWrite) -> list[Statement]:
        at = micros_of(write.at)
        statements: list[Statement] = [] if write.fence is None else [cast("Statement", write.fence)]
        if write.answer is not None:
            key, answer = write.answer
            statements.append(self._requests.record(key, answer_bytes(answer), at))
        events, stream = [new_event(event) for event in write.events], stream_of(write.table_id)
        version = write.expected_version
        statements += self._events.append(stream, version, events, at, self._seen.at(write.table_id, version))
        if not events:  # the row that goes with it is of this version, and must not take the place of a newer one
            statements.append(self._events.unchanged(stream, write.expected_version))
        statements += _table(write)
        if write.hand is not None:
            statements.append(_hand(write.hand))
        if write.settled_purchase:
            settled = (write.table_id, write.settled_purchase)  # once, whoever else finishes it
            statements.append(Statement(_SETTLE_PURCHASE, settled, rows=1, label=_PURCHASE))
        if write.nobody_buys:
            places = ", ".join("?" * len(write.nobody_buys))
            none = statement(
                sql=f"{_NONE_OF_PLAYERS}({places})",
                params=(write.table_id, *write.nobody_buys),
                rows=0,
                label=_PURCHASE,
            )
            statements.append(none)
        if any(isinstance(event.fact, TableClosed) for event in write.events):
            statements.append(Statement(_NO_PURCHASES, (write.table_id,), rows=0, label=_PURCHASE))
            statements.append(Statement(_END_CLOSING, (write.table_id,)))
        return statements

    async def load(self, table_id: str) -> SavedTable | None:
        """See TableLog."""
        rows = await self._store.read(_TABLE, (table_id,))
        if not rows:
            return None
        betting, content, version = rows[0]
        kept = kept_table(_bytes(content)) if content else None
        after = kept.version if kept is not None else 0
        return SavedTable(
            kept=kept,
            events=await self.events(table_id, after, _integer(version) - after),
            betting=_bytes(betting),
            purchases=await self.purchases(table_id),
        )

    async def since(self, table_id: str, version: int) -> News | None:
        """See TableLog; events and betting state are those of one moment."""
        seen = self._seen.of(table_id)
        rows = await self._store.read(_NEWS, (seen[0], table_id))
        if not rows:
            return None
        betting, last, recorded_at = rows[0]
        self._seen.check(table_id, seen, _integer(last), None if recorded_at is None else _integer(recorded_at))
        if _integer(last) <= version:
            return None
        events = await self.events(table_id, version, _integer(last) - version)
        self._seen.note(table_id, events[-1].version, micros_of(events[-1].at))
        return News(events=events, betting=_bytes(betting))

    async def kept(self, table_id: str) -> BareTable | None:
        """See TableLog."""
        rows = await self._store.read(_KEPT, (table_id,))
        return kept_table(_bytes(rows[0][0])) if rows and rows[0][0] else None

    async def lines(self) -> tuple[TableLine, ...]:
        """See TableLog."""
        rows = await self._store.read(_LINES)
        return tuple(
            TableLine(
                table_id=str(table_id),
                version=_integer(version),
                summary=summary_of(_bytes(line)),
                chips_under_way=bool(under_way),
            )
            for table_id, version, line, under_way in rows
        )

    async def purchases(self, table_id: str) -> tuple[Purchase, ...]:
        """See TableLog."""
        return tuple(_purchase(row) for row in await self._store.read(_PURCHASES, (table_id,)))

    async def events(self, table_id: str, after_version: int, limit: int) -> tuple[Recorded, ...]:
        """See TableLog."""
        stream = stream_of(table_id)
        stored: list[StoredEvent] = []
        while len(stored) < limit:
            page = await self._events.read(stream, after_version + len(stored), limit - len(stored))
            stored += page
            if len(page) < PAGE_MAX:
                break
        return tuple(recorded_event(table_id, event) for event in stored)

    async def open_tables(self) -> tuple[str, ...]:
        """See TableLog."""
        return tuple(str(table_id) for (table_id,) in await self._store.read(_OPEN))

    async def closed_last(self, limit: int) -> tuple[str, ...]:
        """See TableLog."""
        return tuple(str(table_id) for (table_id,) in await self._store.read(_CLOSED_LAST, (limit,)))

    async def tables(
        self, tournament_id: str, after: int, limit: int, *, closed_too: bool
    ) -> tuple[tuple[int, TableSummary], ...]:
        """See TableLog."""
        params = (after or _LAST_PLACE, tournament_id, tournament_id, int(closed_too), limit)
        rows = await self._store.read(_TABLES, params)
        return tuple((_integer(place), summary_of(_bytes(line))) for place, line in rows)

    async def hand(self, hand_id: str) -> FinishedHand | None:
        """See TableLog."""
        found = _finished(await self._store.read(_HAND, (hand_id,)))
        return found[0] if found else None

    async def hands(self, table_id: str, before_number: int, limit: int) -> tuple[HandSummary, ...]:
        """See TableLog."""
        rows = await self._store.read(_HANDS, (table_id, before_number or _LAST_PLACE, limit))
        return tuple(each.summary for each in _finished(rows))

    async def answer(self, key: RequestKey) -> CommandAnswer | None:
        """See TableLog."""
        content = await self._requests.answer(key)
        return None if content is None else answer_of(unless_refused(content))

    async def refuse(self, table_id: str, version: int, key: RequestKey, refusal: DomainError, at: datetime) -> None:
        """See TableLog; the version is guarded before the look at purchases, which are begun behind the same guard."""
        told = self._requests.record(key, refusal_bytes(refusal), micros_of(at))
        guard = self._events.unchanged(stream_of(table_id), version)
        unbought = Statement(_DELETE_PURCHASE, (table_id, key.request_id), rows=0, label=BEGUN)
        await self._store.write([told, guard, unbought])

    async def begin_closing(self, table_id: str, version: int, key: RequestKey) -> None:
        """See TableLog."""
        guard = self._events.unchanged(stream_of(table_id), version)
        row = (table_id, key.scope, key.request_id, key.digest)
        await self._store.write([guard, Statement(_BEGIN_CLOSING, row)])

    async def closing(self, table_id: str) -> RequestKey | None:
        """See TableLog."""
        for scope, request_id, digest in await self._store.read(_CLOSING, (table_id,)):
            return RequestKey(str(scope), str(request_id), _bytes(digest))
        return None

    async def forget_answers(self, before: datetime) -> None:
        """See TableLog."""
        await self._requests.forget(micros_of(before))

    async def begin_purchase(self, table_id: str, version: int, purchase: Purchase) -> Purchase:
        """See TableLog."""
        key, bought = purchase.key, (purchase.player_id, purchase.seat, purchase.chips, purchase.cause_id)
        params = (table_id, key.request_id, key.scope, key.digest, *bought, version)
        guard = self._events.unchanged(stream_of(table_id), version)
        try:
            mine = (table_id, purchase.seat, purchase.player_id)
            free = Statement(_NOBODY_ELSES, mine, rows=0, label=SEAT_KEPT)
            new = self._requests.unanswered(key)
            await self._store.write([guard, free, new, Statement(_INSERT_PURCHASE, params, rows=1, label=_PURCHASE)])
        except WriteConflict as conflict:
            if conflict.label == _PURCHASE:
                raise reused(key.request_id) from conflict
            raise
        for row in await self._store.read(_ONE_PURCHASE, (table_id, key.request_id)):
            return _purchase(row)
        raise WriteConflict(_PURCHASE, "another process finished the purchase meanwhile")

    async def drop_purchase(self, table_id: str, purchase: Purchase, refusal: DomainError, at: datetime) -> None:
        """See TableLog; a request that has an answer by now keeps it."""
        key = purchase.key
        drop = Statement(_DROP_PURCHASE, (table_id, key.request_id, key.digest))
        told = self._requests.record(key, refusal_bytes(refusal), micros_of(at))
        try:
            await self._store.write([told, drop] if stays_refused(refusal) else [drop])
        except WriteConflict as conflict:
            if conflict.label != REQUEST_LABEL:
                raise
            await self._store.write([drop])


def _table(write: TableWrite) -> list[Statement]:
    row = write.row
    due_at = None if row.due_at is None else micros_of(row.due_at)
    changing: tuple[SqlValue, ...] = (int(row.closed), due_at, row.betting, line_bytes(row.summary))
    if write.expected_version == 0:
        params = (write.table_id, row.summary.tournament_id, *changing)
        return [Statement(_INSERT_TABLE, params, rows=1, label=_NEW)]
    statements = [statement(sql=_UPDATE_TABLE, params=(*changing, write.table_id), rows=1, label="table")]
    if row.kept is not None:
        statements.append(Statement(_UPDATE_KEPT, (kept_bytes(row.kept), write.table_id), rows=1, label="table"))
    return statements


def _hand(finished: FinishedHand) -> Statement:
    hand = finished.summary
    params = (
        hand.hand_id,
        finished.table_id,
        hand.hand_number,
        hand.first_version,
        hand.last_version,
        int(hand.voided),
    )
    return Statement(_INSERT_HAND, params, rows=1)


def _finished(rows: Sequence[Row]) -> list[FinishedHand]:
    return [
        FinishedHand(
            table_id=str(table_id),
            summary=HandSummary(
                hand_id=str(hand_id),
                hand_number=_integer(number),
                first_version=_integer(first),
                last_version=_integer(last),
                voided=bool(voided),
            ),
        )
        for table_id, hand_id, number, first, last, voided in rows
    ]


def _purchase(row: Row) -> Purchase:
    request_id, scope, digest, player_id, seat, chips, cause, version = row
    key = RequestKey(str(scope), str(request_id), _bytes(digest))
    return Purchase(
        key=key,
        player_id=str(player_id),
        seat=_integer(seat),
        chips=_integer(chips),
        cause_id=str(cause) or key.request_id,
        table_version=_integer(version),
    )


def _integer(value: SqlValue) -> int:
    if not isinstance(value, int):
        raise TypeError("a row of the tables' log holds something else than a number")
    return value


def _bytes(value: SqlValue) -> bytes:
    if not isinstance(value, bytes):
        raise TypeError("a row of the tables' log holds something else than bytes")
    return value
