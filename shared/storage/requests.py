"""Exactly once: what was answered to each mutating request, kept in the same write as its effect.

The same request id with the same content gets the first answer again; with other content it is refused.
"""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from hmac import compare_digest
from typing import Final

from shared.kernel.errors import DomainError, Reason
from shared.storage.database import SqlValue, Statement, Store, WriteConflict, statement

REQUEST_LABEL = "request"
FORGOTTEN_AT_ONCE_MICROS: Final = 6 * 3600 * 1_000_000
"""Six hours of answers an hour: after an outage, or with a shorter keeping time, it catches up day by day."""
_DAY_MICROS: Final = 24 * 3600 * 1_000_000
STRANGE_MICROS: Final = 400 * _DAY_MICROS
"""An answer so much older than those that are forgotten was given by a clock that was behind, as one of a machine whose
battery is empty: nobody knows how old it is."""
KEPT_AFTER_ALL_MICROS: Final = 180 * _DAY_MICROS
"""For how long it is kept from then on, counted from the oldest that are kept."""
PORTION: Final = 1000
"""Answers forgotten in one write."""
_ATTEMPTS = 2


@dataclass(frozen=True, slots=True)
class RequestKey:
    """Which request: its id, within a scope, and the digest of its content."""

    scope: str
    """Whose ids they are, as in the name of the RPC or of the caller; ids of two scopes never meet."""
    request_id: str
    digest: bytes
    """See shared.rpc.idempotency.digest_of."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What a request does and says."""

    statements: Sequence[Statement]
    answer: bytes
    """The response, serialised."""


class AnsweredRequests:
    """The memory of one store."""

    def __init__(self, store: Store) -> None:
        """Remember in this store."""
        self._store = store

    async def answer(self, key: RequestKey) -> bytes | None:
        """The first answer, or None for a request that is new; DomainError REQUEST_ID_REUSED for other content."""
        rows = await self._store.read(_SELECT, (key.scope, key.request_id))
        if not rows:
            return None
        return first_answer(key, *rows[0])

    def record(self, key: RequestKey, answer: bytes, answered_at_micros: int) -> Statement:
        """The statement that remembers the answer; put it FIRST into the write that has the effect.

        WriteConflict labelled ``request`` then means that the same request id got there first: ask answer() again.
        """
        params = (key.scope, key.request_id, key.digest, answer, answered_at_micros)
        return statement(sql=_INSERT, params=params, rows=1, label=REQUEST_LABEL)

    def unanswered(self, key: RequestKey) -> Statement:
        """The guard of a write that begins what a request asks for: it has no answer yet, not even a refusal.

        WriteConflict labelled ``request`` otherwise. Touches no row.
        """
        return Statement(_UNANSWERED, (key.scope, key.request_id), rows=0, label=REQUEST_LABEL)

    async def once(
        self, key: RequestKey, answered_at_micros: int, work: Callable[[], Awaitable[Effect]]
    ) -> tuple[bytes, bool]:
        """Answer a request exactly once; also says whether the answer is a repeated one.

        ``work`` decides what happens, changing nothing by itself; it may run again when another request with the same
        id was faster. Conflicts of its own statements come out as WriteConflict.
        """
        for _ in range(_ATTEMPTS):
            known = await self.answer(key)
            if known is not None:
                return known, True
            effect = await work()
            try:
                await self._store.write([self.record(key, effect.answer, answered_at_micros), *effect.statements])
            except WriteConflict as conflict:
                if conflict.label != REQUEST_LABEL:
                    raise
                continue
            return effect.answer, False
        raise WriteConflict(REQUEST_LABEL, "the request id was taken and vanished again")

    async def forget(self, answered_before_micros: int, span_micros: int = FORGOTTEN_AT_ONCE_MICROS) -> None:
        """Drop answers older than a moment; the keeping time is the service's promise.

        At most those of so long a time after the oldest one: a clock that is months ahead for some hours makes a store
        forget some of its oldest answers, not all. A portion at a time: the answers of one busy hour in one write held
        up all other writes for seconds. Those that a clock gave that was years behind are dated anew, and kept.
        """
        ((oldest,),) = await self._store.read(_OLDEST)
        if oldest is None:
            return
        strange = answered_before_micros - STRANGE_MICROS
        if int(str(oldest)) < strange:
            await self._date_anew(min(strange, int(str(oldest)) + span_micros), answered_before_micros)
            return
        before = min(answered_before_micros, int(str(oldest)) + span_micros)
        while await self._store.read(_ANY_BEFORE, (before,)):
            await self._store.write([Statement(_FORGET, (before, PORTION))])

    async def _date_anew(self, before: int, answered_before_micros: int) -> None:
        """Answers of which nobody knows how old they are."""
        moment = answered_before_micros + KEPT_AFTER_ALL_MICROS
        while await self._store.read(_ANY_BEFORE, (before,)):
            await self._store.write([Statement(_DATE, (moment, before, PORTION))])


def first_answer(key: RequestKey, digest: SqlValue, answer: SqlValue) -> bytes:
    """What a row of answered_requests says to a request; DomainError REQUEST_ID_REUSED for other content."""
    if not isinstance(digest, bytes) or not isinstance(answer, bytes):
        raise TypeError("answered_requests holds a row of the wrong types")
    if not compare_digest(digest, key.digest):
        raise reused(key.request_id)
    return answer


def reused(request_id: str) -> DomainError:
    """The id was used before with other content."""
    message = f"request id {request_id} was used before with other content: send a new id"
    return DomainError(Reason.REQUEST_ID_REUSED, message, {"request_id": request_id})


_SELECT = "SELECT digest, answer FROM answered_requests WHERE scope = ? AND request_id = ?"
_UNANSWERED = "DELETE FROM answered_requests WHERE scope = ? AND request_id = ?"
_OLDEST = "SELECT MIN(answered_at_micros) FROM answered_requests"
_ANY_BEFORE = "SELECT 1 FROM answered_requests WHERE answered_at_micros < ? LIMIT 1"
_FORGET = (
    "DELETE FROM answered_requests WHERE (scope, request_id) IN (SELECT scope, request_id FROM answered_requests "
    "WHERE answered_at_micros < ? ORDER BY answered_at_micros LIMIT ?)"
)
_DATE = (
    "UPDATE answered_requests SET answered_at_micros = ? WHERE (scope, request_id) IN (SELECT scope, request_id "
    "FROM answered_requests WHERE answered_at_micros < ? ORDER BY answered_at_micros LIMIT ?)"
)
_INSERT = "INSERT INTO answered_requests (scope, request_id, digest, answer, answered_at_micros) VALUES (?, ?, ?, ?, ?)"
