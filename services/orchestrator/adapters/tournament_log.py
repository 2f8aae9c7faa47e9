"""The director's log over the store: one stream a tournament, one stored message an event."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Final, cast

from google.protobuf.message import Message
from sevenstud.orchestrator.stored.v1 import tournament_event_pb2 as stored

from services.orchestrator.adapters.stored_refusals import refusal_bytes, unless_refused
from services.orchestrator.domain.tournament_facts import EVENT_KINDS, NumberedEvent, TournamentEvent
from shared.kernel.errors import DomainError
from shared.rpc.mirror import from_proto, to_proto
from shared.storage.database import Statement, Store
from shared.storage.event_log import EventLog, NewEvent, StoredEvent
from shared.storage.requests import AnsweredRequests, Effect, RequestKey

_NOTE: Final = (
    "INSERT INTO entrant_connections (tournament_id, player_id, connected) VALUES (?, ?, ?) "
    "ON CONFLICT (tournament_id, player_id) DO UPDATE SET connected = excluded.connected"
)
_GONE: Final = (
    "SELECT player_id FROM entrant_connections WHERE tournament_id = ? AND connected = 0 "
    "ORDER BY player_id LIMIT 100000"
)
_NOTE_START: Final = (
    "INSERT INTO asked_starts (tournament_id, scope, request_id, digest) VALUES (?, ?, ?, ?) "
    "ON CONFLICT (tournament_id) DO UPDATE SET scope = excluded.scope, request_id = excluded.request_id, "
    "digest = excluded.digest"
)
_NO_START: Final = "DELETE FROM asked_starts WHERE tournament_id = ? AND scope = ? AND request_id = ?"
"""Touches no row, or a start that may have begun at the ledger would be refused for good."""
_ASKED_START: Final = "SELECT scope, request_id, digest FROM asked_starts WHERE tournament_id = ?"
_PREFIX: Final = "tournament/"
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)
_KINDS: Final[Mapping[str, type[TournamentEvent]]] = {kind.__name__: kind for kind in EVENT_KINDS}
_MESSAGES: Final[Mapping[str, type[Message]]] = {name: getattr(stored, name) for name in _KINDS}


class StoredTournamentLog:
    """Implements ports.TournamentLog."""

    def __init__(self, store: Store) -> None:
        """Keep the log in this store."""
        self._store = store
        self._events = EventLog(store)
        self._requests = AnsweredRequests(store)

    async def read(self, tournament_id: str, after_version: int = 0) -> tuple[NumberedEvent, ...]:
        """See ports.TournamentLog."""
        page = await self._events.read(_PREFIX + tournament_id, after_version)
        return tuple(_recalled(tournament_id, event) for event in page)

    async def append(
        self,
        tournament_id: str,
        expected_version: int,
        events: Sequence[TournamentEvent],
        at: datetime,
        command: RequestKey | None = None,
    ) -> None:
        """See ports.TournamentLog."""
        micros = (at - _EPOCH) // _MICROSECOND
        rows = [NewEvent(type(event).__name__, _bytes(event)) for event in events]
        statements = self._events.append(_PREFIX + tournament_id, expected_version, rows, micros)
        await self._store.write([*self._answer(command, expected_version + len(events), micros), *statements])
        self._store.tell(_PREFIX + tournament_id)

    async def note_connection(
        self, tournament_id: str, player_id: str, at: datetime, command: RequestKey, *, connected: bool
    ) -> None:
        """See ports.TournamentLog."""

        async def noted() -> Effect:
            note = Statement(_NOTE, (tournament_id, player_id, int(connected)), label="connection")
            return Effect((note,), b"0")

        await self._requests.once(command, (at - _EPOCH) // _MICROSECOND, noted)

    async def entrants_gone(self, tournament_id: str) -> frozenset[str]:
        """See ports.TournamentLog."""
        return frozenset(str(row[0]) for row in await self._store.read(_GONE, (tournament_id,)))

    async def note_start(self, tournament_id: str, command: RequestKey) -> None:
        """See ports.TournamentLog."""
        row = (tournament_id, command.scope, command.request_id, command.digest)
        await self._store.write([Statement(_NOTE_START, row, label="start")])

    async def asked_start(self, tournament_id: str) -> RequestKey | None:
        """See ports.TournamentLog."""
        for scope, request_id, digest in await self._store.read(_ASKED_START, (tournament_id,)):
            return RequestKey(str(scope), str(request_id), bytes(cast("bytes", digest)))
        return None

    async def answered(self, command: RequestKey) -> int | None:
        """See ports.TournamentLog."""
        answer = await self._requests.answer(command)
        return None if answer is None else int(unless_refused(answer))

    async def refuse(self, tournament_id: str, command: RequestKey, refusal: DomainError, at: datetime) -> None:
        """See ports.TournamentLog."""
        told = self._requests.record(command, refusal_bytes(refusal), (at - _EPOCH) // _MICROSECOND)
        start = (tournament_id, command.scope, command.request_id)
        await self._store.write([told, Statement(_NO_START, start, rows=0, label="start")])

    def _answer(self, command: RequestKey | None, version: int, micros: int) -> list[Statement]:
        return [] if command is None else [self._requests.record(command, str(version).encode(), micros)]


def _bytes(event: TournamentEvent) -> bytes:
    return to_proto(event, _MESSAGES[type(event).__name__]).SerializeToString()


def _recalled(tournament_id: str, row: StoredEvent) -> NumberedEvent:
    message = _MESSAGES[row.kind].FromString(row.payload)
    return NumberedEvent(
        tournament_id=tournament_id,
        version=row.version,
        at=_EPOCH + timedelta(microseconds=row.recorded_at_micros),
        event=from_proto(message, _KINDS[row.kind]),
    )
