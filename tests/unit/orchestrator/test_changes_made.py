"""A player changes the own settings so many times a hand, and no more."""

from datetime import UTC, datetime, timedelta

import pytest

from services.orchestrator.application.changes_made import ChangesMade
from shared.kernel.errors import DomainError, Reason

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def taken(made: ChangesMade, player_id: str, hand_number: int, at: datetime, tries: int = 10) -> int:
    """How many of some changes are let through."""
    count = 0
    for _ in range(tries):
        try:
            made.one_more(player_id, hand_number, at, 3)
            count += 1
        except DomainError:
            continue
    return count


def test_one_too_many_is_refused_with_the_limit() -> None:
    made = ChangesMade()
    taken(made, "ann", 7, NOON)
    with pytest.raises(DomainError, match="3 times in this hand") as refused:
        made.one_more("ann", 7, NOON, 3)
    assert (refused.value.reason, refused.value.metadata) == (Reason.LIMIT_REACHED, {"limit": "changes_per_hand_max"})


def test_each_player_has_the_own_count() -> None:
    made = ChangesMade()
    assert [taken(made, name, 7, NOON) for name in ("ann", "bob")] == [3, 3]


@pytest.mark.parametrize(
    ("hand_number", "later_seconds", "more"), [(8, 0, 3), (7, 59, 0), (7, 60, 3)], ids=["hand", "no hand", "minute"]
)
def test_the_next_hand_or_a_minute_without_one_gives_new_changes(
    hand_number: int, later_seconds: int, more: int
) -> None:
    made = ChangesMade()
    assert taken(made, "ann", 7, NOON) == 3
    assert taken(made, "ann", hand_number, NOON + timedelta(seconds=later_seconds)) == more
