"""The pace of a table: how long the next hand waits after the last one (rules 128, 145)."""

from datetime import datetime, timedelta

from services.orchestrator.domain.table import Table


def next_hand_not_before(table: Table) -> datetime | None:
    """The first moment at which the next hand may start; None where there is nothing to wait for.

    Counted from the end of the last hand as the log has it, so that a restart neither shortens nor lengthens the wait.
    Who comes back ends the wait for those who are away. Where no hand can be dealt nothing is waited for: the
    sheet says what becomes of the table. Source: rules 128, 145.
    """
    ended_at = table.hand.ended_at if table.hand is not None else None
    if ended_at is None or len(table.ready_seats) < _PLAYERS_OF_A_HAND:
        return None
    clock = table.rules.clock
    all_away = all(seat.sitting_out for seat in table.ready_seats)
    seconds = max(clock.between_hands_seconds, clock.all_away_seconds if all_away else 0)
    return ended_at + timedelta(seconds=seconds) if seconds else None


_PLAYERS_OF_A_HAND = 2
