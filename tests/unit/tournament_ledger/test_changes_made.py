"""How often a player changes tournaments: so many a minute, whatever the clock does."""

from datetime import UTC, datetime, timedelta

import pytest

from services.tournament_ledger.application.changes_made import PER_MINUTE_MAX, ChangesMade
from shared.kernel.errors import DomainError, Reason

NOON = datetime(2026, 7, 1, 12, tzinfo=UTC)


def test_one_too_many_is_refused_until_the_next_minute_and_a_request_counts_once() -> None:
    made = ChangesMade()
    for number in range(PER_MINUTE_MAX):
        made.one_more("ann", str(number), NOON)
    made.one_more("ann", "0", NOON)
    made.one_more("bob", "0", NOON)
    with pytest.raises(DomainError) as refused:
        made.one_more("ann", "one more", NOON + timedelta(seconds=59))
    assert refused.value.reason is Reason.LIMIT_REACHED
    made.one_more("ann", "one more", NOON + timedelta(seconds=60))


def test_a_book_whose_time_lies_ahead_keeps_nobody_out_for_longer_than_a_minute() -> None:
    """Its last entry was made before the clock of the machine was set back."""
    made = ChangesMade()
    made.one_more("ann", "ahead", NOON + timedelta(hours=1))
    for minute in range(5):
        for number in range(PER_MINUTE_MAX - 1):
            made.one_more("ann", f"{minute}/{number}", NOON + timedelta(minutes=minute))
