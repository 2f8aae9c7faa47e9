"""Clocks: what a turn has used of a time bank, what a lost connection changes, how long a showdown waits.

Source: rules 110, 138, 140, 149.
"""

from datetime import datetime, timedelta

from services.orchestrator.domain.hand import OpenTurn
from services.orchestrator.domain.table import Table
from shared.kernel.rules import BankWhenDisconnected, OnDisconnect


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


def is_gone(table: Table, turn: OpenTurn) -> bool:
    """Whether the player to act has lost the connection."""
    seat = table.seat(turn.seat)
    return seat is not None and seat.player_id == turn.player_id and seat.disconnected


def ends_at_once(table: Table, turn: OpenTurn) -> bool:
    """Whether the turn is not waited for, because its player is gone (rule 149)."""
    return is_gone(table, turn) and table.rules.clock.on_disconnect is OnDisconnect.SIT_OUT_NOW


def bank_is_kept(table: Table, turn: OpenTurn) -> bool:
    """Whether the bank of the player to act stands still, because the player is gone (rule 140)."""
    return is_gone(table, turn) and table.rules.clock.bank_when_disconnected is BankWhenDisconnected.KEEP


def turn_ends(table: Table, turn: OpenTurn) -> datetime:
    """The last moment of the turn: its deadline, without the bank where that stands still."""
    return turn.deadline - timedelta(seconds=turn.bank_seconds) if bank_is_kept(table, turn) else turn.deadline


def extra_time(table: Table, number: int) -> timedelta:
    """What a seat whose connection is lost gets on top of its clock, once a hand (rule 149)."""
    clock = table.rules.clock
    if clock.on_disconnect is not OnDisconnect.EXTRA_TIME or table.hand is None:
        return timedelta()
    used = table.hand.seat(number).extra_time_used
    return timedelta() if used else timedelta(seconds=clock.extra_time_seconds)
