"""Reading columns as what they are; anything else is a damaged or tampered row."""

from services.tournament_ledger.domain.amounts import Money
from services.tournament_ledger.domain.holds import Hold, HoldState
from services.tournament_ledger.domain.journal import EntryKind, Head, JournalEntry, RawPosting, moment
from shared.storage.database import Row, SqlValue


def integer(value: SqlValue) -> int:
    """A whole number."""
    if not isinstance(value, int):
        raise TypeError("a number of the books is none")
    return value


def content(value: SqlValue) -> bytes:
    """Bytes."""
    if not isinstance(value, bytes):
        raise TypeError("bytes of the books are none")
    return value


def head_of(row: Row) -> Head:
    """book, number, hash, at_micros."""
    return Head(str(row[0]), integer(row[1]), content(row[2]), moment(integer(row[3])))


def hold_of(row: Row) -> Hold:
    """hold_id, player_id, amount_minor, currency, expires_at_micros, state."""
    amount = Money(integer(row[2]), str(row[3]))
    return Hold(str(row[0]), str(row[1]), amount, moment(integer(row[4])), HoldState(str(row[5])))


def entry_of(row: Row, postings: tuple[RawPosting, ...]) -> JournalEntry:
    """book, number, kind, subject, at_micros, request_id, previous_hash, hash."""
    return JournalEntry(
        book=str(row[0]),
        number=integer(row[1]),
        kind=EntryKind(str(row[2])),
        subject=str(row[3]),
        postings=postings,
        at=moment(integer(row[4])),
        request_id=str(row[5]),
        previous_hash=content(row[6]),
        hash=content(row[7]),
    )
