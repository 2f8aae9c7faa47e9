"""The journal: entries that are only ever added, each hashing all of its own fields and the hash before it.

The hash is SHA-256 over the fields in the order of ``canonical_bytes``, each as eight bytes of length (big-endian) and
the bytes themselves; numbers are decimal text, texts UTF-8. So an independent program can check it with a few lines.
"""

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final

from services.tournament_ledger.domain.posting import Posting

GENESIS: Final = bytes(32)
"""What the first entry of a book names as the hash before it."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND: Final = timedelta(microseconds=1)


class EntryKind(StrEnum):
    """Why an entry was made; the names of the contract's EntryKind."""

    DEPOSITED = "DEPOSITED"
    WITHDRAWN = "WITHDRAWN"
    HELD = "HELD"
    HOLD_POSTED = "HOLD_POSTED"
    HOLD_VOIDED = "HOLD_VOIDED"
    TOURNAMENT_ANNOUNCED = "TOURNAMENT_ANNOUNCED"
    REGISTERED = "REGISTERED"
    UNREGISTERED = "UNREGISTERED"
    TOURNAMENT_STARTED = "TOURNAMENT_STARTED"
    REBOUGHT = "REBOUGHT"
    ADDED_ON = "ADDED_ON"
    SECOND_CHANCE_RELEASED = "SECOND_CHANCE_RELEASED"
    HAND_RECORDED = "HAND_RECORDED"
    LEVEL_STARTED = "LEVEL_STARTED"
    PLAYER_MOVED = "PLAYER_MOVED"
    PLAYER_PLACED = "PLAYER_PLACED"
    PRIZES_FIXED = "PRIZES_FIXED"
    PRIZE_PAID = "PRIZE_PAID"
    BONUS_PAID = "BONUS_PAID"
    TOURNAMENT_FINISHED = "TOURNAMENT_FINISHED"
    TOURNAMENT_CANCELLED = "TOURNAMENT_CANCELLED"
    BOUGHT_IN = "BOUGHT_IN"
    CASHED_OUT = "CASHED_OUT"
    DEAL_PROPOSED = "DEAL_PROPOSED"
    DEAL_ACCEPTED = "DEAL_ACCEPTED"
    CORRECTED = "CORRECTED"
    ACCOUNT_OPENED = "ACCOUNT_OPENED"
    SHEET_OPENED = "SHEET_OPENED"
    PURCHASE_RETURNED = "PURCHASE_RETURNED"
    CASH_TABLE_OPENED = "CASH_TABLE_OPENED"
    HOLD_EXPIRED = "HOLD_EXPIRED"
    RE_ENTERED = "RE_ENTERED"
    HAND_FOR_HAND_ROUND_ENDED = "HAND_FOR_HAND_ROUND_ENDED"
    QUALIFIERS_DRAWN = "QUALIFIERS_DRAWN"
    ROUND_STARTED = "ROUND_STARTED"
    LATE_REGISTRATION_CLOSED = "LATE_REGISTRATION_CLOSED"
    SEAT_CHOSEN = "SEAT_CHOSEN"
    DIRECTOR_CHANGED = "DIRECTOR_CHANGED"


@dataclass(frozen=True, slots=True)
class RawPosting:
    """A posting as it stands in a book: plain texts, so that what was tampered with can be read at all."""

    from_account_id: str
    to_account_id: str
    amount: int
    unit: str


def raw(posting: Posting) -> RawPosting:
    """The posting as written into the book."""
    return RawPosting(posting.from_account.account_id, posting.to_account.account_id, posting.amount, posting.unit)


@dataclass(frozen=True, slots=True)
class JournalEntry:
    """Facts and postings that belong together."""

    book: str
    number: int
    kind: EntryKind
    subject: str
    """The facts, as domain.canonical writes them."""
    postings: tuple[RawPosting, ...]
    at: datetime
    request_id: str
    previous_hash: bytes
    hash: bytes


@dataclass(frozen=True, slots=True)
class Head:
    """The last entry of a book; number 0 for a book without entries."""

    book: str
    number: int
    hash: bytes
    at: datetime


def empty_head(book: str) -> Head:
    """The head of a book that has no entry yet."""
    return Head(book, 0, GENESIS, _EPOCH)


def micros(moment: datetime) -> int:
    """Microseconds since 1970 in UTC, exactly."""
    return (moment - _EPOCH) // _MICROSECOND


def moment(at_micros: int) -> datetime:
    """The moment that many microseconds after 1970."""
    return _EPOCH + timedelta(microseconds=at_micros)


def next_moment(head: Head, now: datetime) -> datetime:
    """When the next entry is: by the clock, and later than the entry before even if the clock was set back."""
    return max(now, head.at + _MICROSECOND)


def canonical_bytes(entry: JournalEntry) -> bytes:
    """Every field of an entry but its own hash, in one unambiguous row of bytes."""
    parts: list[bytes] = [
        entry.book.encode(),
        str(entry.number).encode(),
        entry.kind.value.encode(),
        entry.subject.encode(),
        str(len(entry.postings)).encode(),
    ]
    for posting in entry.postings:
        parts += [
            posting.from_account_id.encode(),
            posting.to_account_id.encode(),
            str(posting.amount).encode(),
            posting.unit.encode(),
        ]
    parts += [str(micros(entry.at)).encode(), entry.request_id.encode(), entry.previous_hash]
    return b"".join(len(part).to_bytes(8, "big") + part for part in parts)


def hash_of(entry: JournalEntry) -> bytes:
    """SHA-256 of the canonical bytes."""
    return hashlib.sha256(canonical_bytes(entry)).digest()


@dataclass(frozen=True, slots=True)
class JournalFault:
    """Something that is wrong in a book."""

    book: str
    number: int
    fault: str


def chain_faults(previous: Head, entries: Iterable[JournalEntry]) -> Iterator[JournalFault]:
    """What is wrong with entries that should follow a head."""
    number, expected_hash, at = previous.number, previous.hash, previous.at
    for entry in entries:
        number += 1
        yield from _entry_faults(entry, number, expected_hash, at)
        number, expected_hash, at = entry.number, entry.hash, entry.at


def _entry_faults(entry: JournalEntry, number: int, expected_hash: bytes, after: datetime) -> Iterator[JournalFault]:
    if entry.number != number:
        yield JournalFault(entry.book, number, f"entry {number} is missing: {entry.number} follows")
    if entry.previous_hash != expected_hash:
        yield JournalFault(entry.book, entry.number, "names another hash before it than the entry before has")
    if hash_of(entry) != entry.hash:
        yield JournalFault(entry.book, entry.number, "its hash does not fit its fields: a field was changed")
    if entry.at <= after:
        yield JournalFault(entry.book, entry.number, "is not later than the entry before")
