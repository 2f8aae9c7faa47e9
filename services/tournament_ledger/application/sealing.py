"""From what a command decided to the entries that are written down: numbered, timed, each hashing the one before."""

from datetime import datetime, timedelta

from services.tournament_ledger.domain.canonical import to_text
from services.tournament_ledger.domain.journal import GENESIS, Head, JournalEntry, hash_of, raw
from services.tournament_ledger.domain.steps import Draft
from shared.kernel.frozen import evolve


def sealed(head: Head, at: datetime, request_id: str, drafts: tuple[Draft, ...]) -> tuple[JournalEntry, ...]:
    """The drafts as entries: numbered, a microsecond apart, each hashing its fields and the hash before."""
    found: list[JournalEntry] = []
    previous = head.hash
    for index, draft in enumerate(drafts):
        entry = JournalEntry(
            book=head.book,
            number=head.number + 1 + index,
            kind=draft.kind,
            subject=to_text(draft.facts),
            postings=tuple(raw(posting) for posting in draft.postings),
            at=at + timedelta(microseconds=index),
            request_id=request_id,
            previous_hash=previous,
            hash=GENESIS,
        )
        entry = evolve(entry, hash=hash_of(entry))
        previous = entry.hash
        found.append(entry)
    return tuple(found)
