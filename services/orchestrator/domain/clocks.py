"""Clocks: how much of a time bank a turn has used, how long hands may be chosen to be shown (rules 110, 138)."""

from datetime import datetime, timedelta

from services.orchestrator.domain.hand import OpenTurn


def bank_used_seconds(turn: OpenTurn, now: datetime) -> int:
    """Whole seconds of the bank that a decision at this moment has used, rounded to the nearest.

    The bank begins where the decision time ends, so what is left until the deadline is what is left of the bank.
    """
    if not turn.bank_seconds:
        return 0
    left = (turn.deadline - now).total_seconds()
    return max(0, min(turn.bank_seconds, round(turn.bank_seconds - left)))


def showdown_deadline(now: datetime, showdown_seconds: int) -> datetime | None:
    """Until when a beaten player may choose to show; None where beaten hands are hidden at once (rule 110)."""
    return now + timedelta(seconds=showdown_seconds) if showdown_seconds else None
