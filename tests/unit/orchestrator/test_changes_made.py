"""How often a player may change the own settings: so many a hand, so many a minute, whatever the clock does."""

from datetime import UTC, datetime, timedelta

import pytest

from services.orchestrator.application.changes_made import ChangesMade
from shared.kernel.errors import DomainError

AT = datetime(2026, 5, 1, 20, tzinfo=UTC)


@pytest.mark.parametrize("later", [timedelta(minutes=1), -timedelta(seconds=1), -timedelta(hours=5)])
def test_nobody_is_kept_from_changing_for_longer_than_a_minute_also_where_the_clock_was_set_back(
    later: timedelta,
) -> None:
    made = ChangesMade()
    for _ in range(3):
        made.one_more("ann", 1, AT, most=3)
    with pytest.raises(DomainError, match="hand or minute"):
        made.one_more("ann", 1, AT + timedelta(seconds=59), most=3)
    made.one_more("ann", 1, AT + later, most=3)


def test_a_new_hand_begins_the_count_anew_and_others_are_not_counted() -> None:
    made = ChangesMade()
    made.one_more("ann", 1, AT, most=1)
    made.one_more("bob", 1, AT, most=1)
    made.one_more("ann", 2, AT, most=1)
    with pytest.raises(DomainError):
        made.one_more("ann", 2, AT, most=1)
