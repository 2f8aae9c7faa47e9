"""Journals of an earlier release: read, folded and hashed by today's code, they tell what they told then (S20).

``journals/`` has what each release wrote: the events of a cash table and of a final table, and the ledger's books. The
files are never changed; a release adds one.
"""

import hashlib
import json
from base64 import b64decode
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from services.orchestrator.adapters.stored_tables import new_event, recorded_event
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.fold import fold
from services.orchestrator.domain.table import Table
from services.tournament_ledger.adapters.rows import entry_of
from services.tournament_ledger.domain.journal import GENESIS, Head, JournalEntry, RawPosting, chain_faults, hash_of
from shared.storage.event_log import StoredEvent

FILES = sorted(Path(__file__).with_name("journals").glob("*.json"))


def content(file: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return found


def stored_events(kept: dict[str, Any], stream: str) -> list[StoredEvent]:
    return [
        StoredEvent(stream, version, kind, b64decode(payload), at)
        for version, kind, payload, at in kept["streams"][stream]["events"]
    ]


def story(events: list[Recorded]) -> str:
    """The hash of all stacks after every event: chips are where they were, event by event."""
    digest = hashlib.sha256()
    table: Table | None = None
    for event in events:
        table = fold(table, (event,))
        hand = table.hand
        in_hand = [(seat.seat, seat.stack_chips, seat.hand_chips) for seat in hand.seats] if hand is not None else []
        stacks = [(seat.seat, seat.player_id, seat.stack_chips) for seat in table.seats]
        digest.update(repr((table.version, table.hand_number, table.closed, stacks, in_hand)).encode())
    return digest.hexdigest()


def book_entries(kept: dict[str, Any], book: str) -> list[JournalEntry]:
    found: list[JournalEntry] = []
    for number, kind, subject, at, request_id, previous, digest, postings in kept["books"][book]["entries"]:
        row = (book, number, kind, subject, at, request_id, bytes.fromhex(previous), bytes.fromhex(digest))
        found.append(entry_of(row, tuple(RawPosting(*posting) for posting in postings)))
    return found


def test_there_is_a_journal_of_a_release() -> None:
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_tables_of_an_earlier_release_are_folded_to_the_same_stacks(file: Path) -> None:
    kept = content(file)
    for stream, found in kept["streams"].items():
        table_id = stream.removeprefix("table/")
        events = [recorded_event(table_id, event) for event in stored_events(kept, stream)]
        assert story(events) == found["story"], stream
        assert events[-1].version == len(events)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_events_of_an_earlier_release_would_be_written_the_same_today(file: Path) -> None:
    kept = content(file)
    for stream in kept["streams"]:
        for stored in stored_events(kept, stream):
            again = new_event(recorded_event(stream.removeprefix("table/"), stored))
            assert (again.kind, again.payload) == (stored.kind, stored.payload)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_books_of_an_earlier_release_have_the_same_hashes(file: Path) -> None:
    kept = content(file)
    for book, found in kept["books"].items():
        entries = book_entries(kept, book)
        assert list(chain_faults(Head(book, 0, GENESIS, entries[0].at - timedelta(seconds=1)), entries)) == []
        assert hash_of(entries[-1]).hex() == found["head"]


def test_a_chip_that_lies_elsewhere_is_another_story() -> None:
    kept = content(FILES[0])
    stream = next(iter(kept["streams"]))
    events = [recorded_event(stream.removeprefix("table/"), event) for event in stored_events(kept, stream)]
    assert story(events[:-1]) != story(events)
