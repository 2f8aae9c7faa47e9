"""A table is the fold of its facts: the same log always makes the same table."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from services.orchestrator.domain import table_facts as fact
from services.orchestrator.domain.events import Fact, Recorded
from services.orchestrator.domain.fold_hand import HAND_FOLDS
from services.orchestrator.domain.recording import stamp
from services.orchestrator.domain.table import EntropyCall, Pause, Table, TableSeat, keys_of
from services.orchestrator.domain.table_facts import Halt, Presence
from services.orchestrator.domain.wagering import ActionCause
from shared.kernel.frozen import evolve, evolver

TableFold = Callable[[Table, Recorded, Any], Table]
_with_version = evolver(Table, "version")


def preview(table: Table, facts: Iterable[Fact], at: datetime) -> Table:
    """The table as it would be with these facts; nothing is recorded."""
    return fold(table, stamp(table.table_id, table, facts, at))


def fold(table: Table | None, recorded: Iterable[Recorded]) -> Table:
    """The table after these events; ValueError where they do not begin with its opening."""
    for event in recorded:
        table = apply(table, event)
    if table is None:
        raise ValueError("the log of a table is empty")
    return table


def apply(table: Table | None, event: Recorded) -> Table:
    """The table after one more event."""
    if table is None:
        return _opened(event)
    if event.version != table.version + 1:
        raise ValueError(f"event {event.version} does not follow version {table.version}")
    known = _TABLE_FOLDS.get(type(event.fact)) or HAND_FOLDS[type(event.fact)]
    return _with_version(known(table, event, event.fact), version=event.version)


def _opened(event: Recorded) -> Table:
    opened = event.fact
    if not isinstance(opened, fact.TableOpened):
        raise ValueError("the log of a table begins with its opening")  # noqa: TRY004  # a broken log, not a wrong type
    return Table(
        table_id=event.table_id,
        version=event.version,
        name=opened.name,
        mode=opened.mode,
        tournament_id=opened.tournament_id,
        stakes=opened.stakes,
        rules=opened.rules,
        level=opened.level,
        decision_seconds=opened.decision_seconds,
        hands_max=opened.hands_max,
        scripted=opened.scripted,
        scripted_hands=opened.scripted_hands,
    )


def _seated(table: Table, event: Recorded, seated: fact.PlayerSeated) -> Table:
    away = seated.presence.away
    seat = TableSeat(
        seat=seated.seat,
        player_id=seated.player_id,
        seated_version=event.version,
        stack_chips=seated.stack_chips,
        presence=seated.presence,
        absent_since=event.at if away else None,
        auto_ante=seated.auto_ante,
        time_bank_seconds=seated.time_bank_seconds,
        protections_used=seated.protections_used,
        disconnected=seated.presence is Presence.DISCONNECTED,
    )
    return evolve(table, seats=tuple(sorted((*table.seats, seat), key=lambda each: each.seat)))


def _left(table: Table, _: Recorded, left: fact.PlayerLeft) -> Table:
    return evolve(table, seats=tuple(seat for seat in table.seats if seat.seat != left.seat))


def _chips_added(table: Table, _: Recorded, added: fact.ChipsAdded) -> Table:
    return change_seat(table, added.seat, stack_chips=added.stack_chips)


def _presence_changed(table: Table, event: Recorded, changed: fact.PresenceChanged) -> Table:
    before = table.seat(changed.seat)
    away = changed.presence.away
    let_go = changed.presence is Presence.LEAVING and changed.cause is ActionCause.ABSENT
    since = (before.absent_since if before is not None and before.sitting_out else event.at) if away or let_go else None
    table = change_seat(table, changed.seat, presence=changed.presence, absent_since=since)
    if changed.at_once and table.hand is not None and table.hand.in_play:
        seats = tuple(evolve(each, absent=away) if each.seat == changed.seat else each for each in table.hand.seats)
        return evolve(table, hand=evolve(table.hand, seats=seats))
    return table


def _connection(table: Table, _: Recorded, changed: fact.ConnectionChanged) -> Table:
    table = change_seat(table, changed.seat, disconnected=not changed.connected)
    hand = table.hand
    if changed.deadline is None or hand is None or hand.turn is None:
        return table
    pause = table.pause
    if pause is not None and pause.clocks_too:
        more = changed.deadline - hand.turn.deadline
        pause = evolve(pause, remaining_millis=pause.remaining_millis + more // timedelta(milliseconds=1))
    seats = tuple(evolve(each, extra_time_used=True) if each.seat == changed.seat else each for each in hand.seats)
    turn = evolve(hand.turn, deadline=changed.deadline)
    return evolve(table, pause=pause, hand=evolve(hand, turn=turn, seats=seats))


def _auto_ante(table: Table, _: Recorded, changed: fact.AutoAnteChanged) -> Table:
    return change_seat(table, changed.seat, auto_ante=changed.auto_ante)


def _seat_key(table: Table, _: Recorded, registered: fact.SeatKeyRegistered) -> Table:
    return change_seat(table, registered.seat, public_key=registered.public_key)


def _entropy_asked(table: Table, _: Recorded, asked: fact.EntropyAsked) -> Table:
    seats = (seat for number in asked.seats if (seat := table.seat(number)) is not None)
    return evolve(table, entropy=EntropyCall(asked=asked, seat_keys=keys_of(seats)))


def _entropy_added(table: Table, _: Recorded, added: fact.EntropyAdded) -> Table:
    call = table.entropy
    return table if call is None else evolve(table, entropy=evolve(call, added=(*call.added, added)))


def _entropy_closed(table: Table, _: Recorded, __: fact.EntropyClosed) -> Table:
    return table if table.entropy is None else evolve(table, entropy=evolve(table.entropy, closed=True))


def _paused(table: Table, _: Recorded, paused: fact.TablePaused) -> Table:
    pause = Pause(
        cause=paused.cause,
        clocks_too=paused.clocks_too,
        remaining_millis=paused.remaining_millis,
        by_director=paused.by_director,
    )
    return evolve(table, pause=pause)


def _resumed(table: Table, event: Recorded, resumed: fact.TableResumed) -> Table:
    if resumed.after is Halt.BREAK:
        return evolve(table, break_until=None)
    table = _with_deadline(table, resumed.deadline)
    if resumed.after is Halt.STALL:
        return evolve(table, waiting_for="")
    if resumed.after is Halt.OUTAGE:
        return _counted_from(table, event.at)
    kept = table.hands_max and not table.in_hand and table.hand_number >= table.hands_max
    return evolve(table, pause=None, hands_max=0 if kept else table.hands_max)


def _with_deadline(table: Table, deadline: datetime | None) -> Table:
    """The clock that was standing, running again: of a turn, of a showdown, or for entropy."""
    hand, call = table.hand, table.entropy
    if deadline is None:
        return table
    if call is not None:
        return evolve(table, entropy=evolve(call, asked=evolve(call.asked, deadline=deadline)))
    if hand is not None and hand.turn is not None:
        return evolve(table, hand=evolve(hand, turn=evolve(hand.turn, deadline=deadline)))
    if hand is not None and hand.showdown is not None:
        return evolve(table, hand=evolve(hand, showdown=evolve(hand.showdown, deadline=deadline)))
    return table


def _counted_from(table: Table, at: datetime) -> Table:
    """What counts from a moment that is still to come, as the clock was set back, counts from here."""
    hand = table.hand
    if hand is not None and hand.ended_at is not None and hand.ended_at > at:
        table = evolve(table, hand=evolve(hand, ended_at=at))
    for seat in table.seats:
        if seat.absent_since is not None and seat.absent_since > at:
            table = change_seat(table, seat.seat, absent_since=at)
    return table


def _stalled(table: Table, _: Recorded, stalled: fact.TableStalled) -> Table:
    return evolve(table, waiting_for=stalled.waiting_for)


def _closed(table: Table, _: Recorded, __: fact.TableClosed) -> Table:
    return evolve(table, closed=True)


def _stakes(table: Table, _: Recorded, changed: fact.StakesChanged) -> Table:
    return evolve(table, stakes=changed.stakes, level=changed.level, decision_seconds=changed.decision_seconds)


def _eliminated(table: Table, _: Recorded, __: fact.PlayerEliminated) -> Table:
    return table  # leaving the seat is a fact of its own


def _break(table: Table, _: Recorded, started: fact.BreakStarted) -> Table:
    return evolve(table, break_until=started.until)


def change_seat(table: Table, number: int, **changes: Any) -> Table:
    """The table with one occupied seat changed."""
    seats = tuple(evolve(seat, **changes) if seat.seat == number else seat for seat in table.seats)
    return evolve(table, seats=seats)


_TABLE_FOLDS: Mapping[type, TableFold] = {
    fact.PlayerSeated: _seated,
    fact.PlayerLeft: _left,
    fact.ChipsAdded: _chips_added,
    fact.PresenceChanged: _presence_changed,
    fact.ConnectionChanged: _connection,
    fact.AutoAnteChanged: _auto_ante,
    fact.SeatKeyRegistered: _seat_key,
    fact.EntropyAsked: _entropy_asked,
    fact.EntropyAdded: _entropy_added,
    fact.EntropyClosed: _entropy_closed,
    fact.TablePaused: _paused,
    fact.TableResumed: _resumed,
    fact.TableStalled: _stalled,
    fact.TableClosed: _closed,
    fact.StakesChanged: _stakes,
    fact.PlayerEliminated: _eliminated,
    fact.BreakStarted: _break,
}
