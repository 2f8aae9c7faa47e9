"""Lost connections: what the clock rules make of them (rules 140, 146, 148, 149)."""

from datetime import datetime

from services.orchestrator.domain import table_facts as fact
from services.orchestrator.domain.clocks import extra_time
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.table import Table, TableSeat
from services.orchestrator.domain.table_facts import Presence
from services.orchestrator.domain.wagering import ActionCause
from shared.kernel.rules import ReturnWhen


def lost(table: Table, seat: TableSeat) -> tuple[Fact, ...]:
    """The player lost the connection and sits out from the next hand on (rule 148).

    In the hand in progress the player is not away yet: each clock runs, is longer or is cut short as ``on_disconnect``
    says, and only its end makes the player absent (rule 149).
    """
    changed = fact.ConnectionChanged(seat=seat.seat, connected=False, deadline=_longer(table, seat))
    if seat.presence is not Presence.PLAYING:
        return (changed,)
    away = fact.PresenceChanged(
        seat=seat.seat, presence=Presence.DISCONNECTED, cause=ActionCause.DISCONNECTED, at_once=False
    )
    return (changed, away)


def there_again(table: Table, seat: TableSeat) -> tuple[Fact, ...]:
    """The connection is back, and so is whoever was away for want of it: at once or with the next hand (rule 146)."""
    changed = fact.ConnectionChanged(seat=seat.seat, connected=True, deadline=None)
    if seat.presence is not Presence.DISCONNECTED:
        return (changed,)
    at_once = table.rules.clock.return_disconnect is ReturnWhen.AT_ONCE
    back = fact.PresenceChanged(seat=seat.seat, presence=Presence.PLAYING, cause=ActionCause.PLAYER, at_once=at_once)
    return (changed, back)


def _longer(table: Table, seat: TableSeat) -> datetime | None:
    """The deadline of the open turn with the extra seconds, where it gets any."""
    hand = table.hand
    if hand is None or not hand.in_play or hand.turn is None or hand.turn.seat != seat.seat:
        return None
    if hand.turn.player_id != seat.player_id or hand.seat(seat.seat).absent:
        return None
    extra = extra_time(table, seat.seat)
    return hand.turn.deadline + extra if extra else None
