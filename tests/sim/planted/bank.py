"""Planted faults of wallets and holds."""

from contextlib import AbstractContextManager
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, Final
from unittest.mock import patch

from services.tournament_ledger.adapters import ledger_store
from services.tournament_ledger.domain import holds
from services.tournament_ledger.domain.holds import Hold
from services.tournament_ledger.domain.journal import EntryKind
from services.tournament_ledger.domain.steps import Draft
from services.tournament_ledger.ports import Booking
from tests.sim.leanings import Leaning
from tests.sim.planted.fault import Fault

_BANKING: Final = Leaning(tournament=0, purchases=0, banking=1, ledgers=0.5)


def _posted_too_late() -> AbstractContextManager[object]:
    """A hold may be posted for as long as it was not given back."""
    post = holds.post

    def at_any_time(hold: Hold, now: datetime) -> tuple[Hold, Draft]:
        return post(hold, min(now, hold.expires_at - timedelta(microseconds=1)))

    return patch.object(holds, "post", at_any_time)


def _withdrawn_twice() -> AbstractContextManager[object]:
    """That something was withdrawn is not remembered with it."""
    book = ledger_store.StoredBooks.book

    async def forgetful(books: Any, booking: Booking) -> None:
        withdrawn = any(each.kind is EntryKind.WITHDRAWN for each in booking.entries)
        await book(books, replace(booking, remembered=()) if withdrawn else booking)

    return patch.object(ledger_store.StoredBooks, "book", forgetful)


FAULTS: Final = (
    Fault("posted_too_late", "a hold posted when its time was over", _posted_too_late, _BANKING),
    Fault("withdrawn_twice", "a withdrawal that is asked for again is another one", _withdrawn_twice, _BANKING),
)
