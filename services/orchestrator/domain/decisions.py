"""What players and operators may ask of a table, as pure decisions: the facts that follow, or a refusal."""

from collections.abc import Collection
from datetime import datetime, timedelta

from services.orchestrator.domain import connections, refusals
from services.orchestrator.domain import table_facts as fact
from services.orchestrator.domain.events import Fact
from services.orchestrator.domain.hand import Hand, HandSeat, OpenTurn
from services.orchestrator.domain.hand_facts import HandMucked, TimeBankStarted
from services.orchestrator.domain.next_step import may_start_bank
from services.orchestrator.domain.table import Table, TableSeat
from services.orchestrator.domain.table_facts import Halt, Presence
from services.orchestrator.domain.wagering import ActionCause
from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.kernel.game import Mode
from shared.kernel.rules import AnteToggle, ReturnWhen, TimeBankActivation
from shared.kernel.seat_keys import key_fault


def seat_of(table: Table, player_id: str, mend: str = "call Sit first") -> TableSeat:
    """Where the player sits, or the refusal; ``mend`` says what to do instead at a cash table."""
    if table.closed:
        raise refusals.table_closed(table)
    seat = table.seat_of(player_id)
    if seat is None:
        raise refusals.not_seated(table, player_id, mend)
    return seat


def check_stays(table: Table, seat: TableSeat) -> None:
    """Refuse who asked to leave and is in no hand: the chips are on their way to the wallet, or there already."""
    if seat.presence is Presence.LEAVING and not table.dealt_in(seat.player_id):
        raise refusals.not_seated(table, seat.player_id, "who leaves cannot stay; call Sit to come again")


def cash_only(table: Table, instead: str) -> None:
    """Refuse what is for cash tables; ``instead`` says why and how to mend it."""
    if table.mode is not Mode.CASH:
        raise DomainError(Reason.NOT_PERMITTED, instead, {"role": "any", "allowed": "cash tables"})


def check_version(table: Table, expected: int) -> None:
    """Refuse who saw another table; 0 = whatever it is."""
    if expected and expected != table.version:
        raise refusals.version_conflict(expected, table.version)


def open_turn(table: Table, player_id: str, turn_id: int) -> OpenTurn:
    """The turn that the player may answer, or the refusal (cases O-46: a stale action changes nothing)."""
    seat = seat_of(table, player_id)
    hand = table.hand
    if hand is None or not hand.in_play:
        raise refusals.no_hand(table)
    turn = hand.turn
    if turn is None or turn.turn_id != turn_id:
        raise refusals.stale_turn(table, turn_id)
    if turn.player_id != player_id:
        raise refusals.not_your_turn(turn, seat.seat)
    if table.stopped:
        raise refusals.not_legal("act", "the table is paused and its clocks stand still", "ask anew when it goes on")
    return turn


def choose_seat(table: Table, player_id: str, wanted: int, reserved: Collection[int]) -> int:
    """The seat that a player gets at a cash table (rule 1)."""
    if table.closed:
        raise refusals.table_closed(table)
    cash_only(table, "seats of a tournament table are drawn: register at the tournament ledger")
    present = table.seat_of(player_id)
    if present is not None:
        raise refusals.already_seated(player_id, present.seat)
    seats_max = table.rules.hand.seats_max
    taken = {seat.seat for seat in table.seats} | set(reserved)
    if wanted > seats_max:
        problem = f"there are {seats_max} seats: give 1 to {seats_max}, or 0 for any"
        raise DomainError(Reason.REQUEST_INVALID, f"seat: {problem}", violations=(FieldViolation("seat", problem),))
    if wanted in taken:
        raise refusals.seat_taken(wanted)
    free = [number for number in range(1, seats_max + 1) if number not in taken]
    if not free:
        raise refusals.table_full(seats_max)
    return wanted or free[0]


def leave(table: Table, player_id: str) -> tuple[Fact, ...]:
    """The player goes: when the hand is over if dealt into it."""
    cash_only(table, "nobody leaves a tournament: SitOut, and Return before the chips are gone")
    seat = seat_of(table, player_id, "there is nothing to leave; what was on the table is in the wallet")
    if seat.presence is Presence.LEAVING:
        return ()
    return (_presence(seat, Presence.LEAVING),)


def let_go(seat: TableSeat) -> fact.PresenceChanged:
    """The player sat out too long and goes (rule 150)."""
    return fact.PresenceChanged(seat=seat.seat, presence=Presence.LEAVING, cause=ActionCause.ABSENT, at_once=False)


def sit_out(table: Table, player_id: str) -> tuple[Fact, ...]:
    """The player sits out from the next hand on (rule 142)."""
    seat = seat_of(table, player_id)
    check_stays(table, seat)
    if seat.sitting_out:
        return ()
    return (_presence(seat, Presence.SITTING_OUT),)


def come_back(table: Table, player_id: str) -> tuple[Fact, ...]:
    """The player is back: at once or from the next hand on, by what had sent the player away (rule 146).

    Who comes back is connected, whatever was said before.
    """
    seat = seat_of(table, player_id)
    check_stays(table, seat)
    there: tuple[Fact, ...] = connections.there_again(table, seat) if seat.disconnected else ()
    if seat.presence in {Presence.PLAYING, Presence.DISCONNECTED}:
        return there
    clock = table.rules.clock
    when = clock.return_timeout if seat.presence is Presence.TIMED_OUT else clock.return_voluntary
    return (*there, _presence(seat, Presence.PLAYING, at_once=when is ReturnWhen.AT_ONCE))


def set_connection(table: Table, player_id: str, *, connected: bool) -> tuple[Fact, ...]:
    """The connection of a player is lost, or there again; nothing where that was known (rules 146, 148, 149)."""
    seat = seat_of(table, player_id)
    if seat.disconnected is not connected:
        return ()
    return connections.there_again(table, seat) if connected else connections.lost(table, seat)


def set_auto_ante(table: Table, player_id: str, *, auto_ante: bool) -> tuple[Fact, ...]:
    """The player switches the automatic ante (rule 19)."""
    seat = seat_of(table, player_id)
    if table.mode is not Mode.CASH or table.rules.cash.ante_toggle is AnteToggle.OFF:
        problem = "the rules of this table do not let players switch the automatic ante"
        violation = FieldViolation("auto_ante", problem)
        raise DomainError(Reason.RULES_INVALID, problem, violations=(violation,))
    return () if seat.auto_ante == auto_ante else (fact.AutoAnteChanged(seat=seat.seat, auto_ante=auto_ante),)


def register_seat_key(table: Table, player_id: str, public_key: bytes) -> tuple[Fact, ...]:
    """The player has the own down cards sealed from the next hand on, or no longer; nothing where it is so already."""
    seat = seat_of(table, player_id)
    fault = key_fault(public_key) if public_key else ""
    if fault:
        violation = FieldViolation("public_key", fault)
        raise DomainError(Reason.REQUEST_INVALID, f"public_key: {fault}", {"field": "public_key"}, (violation,))
    known = seat.public_key == public_key
    return () if known else (fact.SeatKeyRegistered(seat=seat.seat, public_key=public_key),)


def pause(table: Table, cause: str, now: datetime, *, clocks_too: bool) -> tuple[Fact, ...]:
    """No new hand starts; with the clocks, the hand in progress stands still as well (rule 141)."""
    if table.closed:
        raise refusals.table_closed(table)
    if table.pause is not None and not table.pause.by_director and table.pause.clocks_too >= clocks_too:
        return ()
    remaining = _running_until(table)
    millis = max(0, int((remaining - now).total_seconds() * 1000)) if remaining is not None else 0
    return (fact.TablePaused(cause=cause, clocks_too=clocks_too, remaining_millis=millis, by_director=False),)


def resume(table: Table, now: datetime) -> tuple[Fact, ...]:
    """The table goes on; a clock that was stopped has what was left, and at least the least of the rules."""
    if table.closed:
        raise refusals.table_closed(table)
    if table.pause is None:
        message = f"the table {table.table_id} is not paused"
        raise DomainError(Reason.TABLE_NOT_PAUSED, message, {"table_id": table.table_id})
    deadline = None
    if table.stopped and _running_until(table) is not None:
        least = timedelta(seconds=table.rules.clock.resume_minimum_seconds)
        deadline = now + max(timedelta(milliseconds=table.pause.remaining_millis), least)
    return (fact.TableResumed(after=Halt.PAUSE, deadline=deadline),)


def after_outage(table: Table, last_at: datetime, now: datetime) -> tuple[Fact, ...]:
    """The orchestrator was down: clocks stood still, and have at least the least of the rules left (rule 141).

    Nobody knows when it went down; ``last_at`` is when the last thing happened at the table, and what was left then is
    left again: for a turn its whole time, or its whole bank; for entropy the time to add some. Where the clock of the
    machine was set back meanwhile, so that the last thing lies ahead, the end of the turn comes back with it, and what
    waits since then waits from now on: nothing waits for longer than its own length.
    """
    running = _running_until(table)
    if table.stopped:
        return ()
    if running is None:
        return (fact.TableResumed(after=Halt.OUTAGE, deadline=None),) if _waits_since_later(table, now) else ()
    deadline = now + max(running - last_at, _least_time(table))
    changed = deadline > running or now < last_at
    return (fact.TableResumed(after=Halt.OUTAGE, deadline=deadline),) if changed else ()


def _waits_since_later(table: Table, now: datetime) -> bool:
    """Whether something counts from a moment that is still to come: the pace between hands, a seat that is kept."""
    ended_at = table.hand.ended_at if table.hand is not None else None
    moments = (ended_at, *(seat.absent_since for seat in table.seats))
    return any(moment is not None and moment > now for moment in moments)


def after_stall(table: Table, now: datetime) -> fact.TableResumed:
    """Another service was down when the clock ended, so that nobody could act: the least of the rules is left."""
    return fact.TableResumed(after=Halt.STALL, deadline=now + _least_time(table))


def _least_time(table: Table) -> timedelta:
    most = table.turn_seconds if table.entropy is None else table.rules.clock.entropy_seconds
    return timedelta(seconds=min(table.rules.clock.resume_minimum_seconds, most))


def close(table: Table) -> None:
    """Whether the table may be closed: between hands only."""
    cash_only(table, "a tournament closes its tables itself: cancel it at the tournament ledger")
    if table.busy or table.unproved:
        raise refusals.hand_in_progress(table)


def use_time_bank(table: Table, player_id: str, turn_id: int) -> tuple[Fact, ...]:
    """The bank follows the decision time, where it does not start by itself (rule 138)."""
    turn = open_turn(table, player_id, turn_id)
    if table.rules.clock.time_bank_activation is TimeBankActivation.AUTO:
        raise refusals.not_legal("use_time_bank", "the time bank starts by itself here", "act")
    return (start_bank(table, turn),)


def start_bank(table: Table, turn: OpenTurn) -> TimeBankStarted:
    """What is left in the bank is added to the clock."""
    seat = table.seat(turn.seat)
    if seat is None or not may_start_bank(table, turn):
        raise refusals.not_legal("use_time_bank", "the time bank is empty or runs already", "act")
    return TimeBankStarted(
        turn_id=turn.turn_id,
        seat=turn.seat,
        deadline=turn.deadline + timedelta(seconds=seat.time_bank_seconds),
        bank_seconds=seat.time_bank_seconds,
    )


def hand_to_show(table: Table, player_id: str, hand_id: str) -> tuple[Hand, int]:
    """The hand and the seat that may be shown or mucked now (rules 110, 113)."""
    seat_of(table, player_id)
    hand = table.hand
    if hand is None or hand.hand_id != hand_id:
        raise refusals.no_hand(table)
    seat = next((each for each in hand.seats if each.player_id == player_id), None)
    if seat is None:
        raise refusals.not_seated(table, player_id, f"only who was dealt into hand {hand_id} may show or muck")
    if seat.seat not in hand.undecided_seats and not _may_show_uncontested(hand, seat):
        raise refusals.not_legal("show_or_muck", "this hand is not to be shown or hidden now", "nothing")
    return hand, seat.seat


def _may_show_uncontested(hand: Hand, seat: HandSeat) -> bool:
    """The winner of an uncontested pot, until the next hand (rule 113)."""
    return not hand.in_play and not hand.voided and len(hand.live) == 1 and seat.live and not seat.shown_cards


def muck(seats: Collection[int]) -> tuple[Fact, ...]:
    """Beaten hands are hidden."""
    return tuple(HandMucked(seat=seat) for seat in seats)


def _presence(seat: TableSeat, presence: Presence, *, at_once: bool = False) -> fact.PresenceChanged:
    return fact.PresenceChanged(seat=seat.seat, presence=presence, cause=ActionCause.PLAYER, at_once=at_once)


def _running_until(table: Table) -> datetime | None:
    """When the clock that runs now ends: of a turn, of a showdown, or for entropy."""
    hand, call = table.hand, table.entropy
    if call is not None:
        return call.asked.deadline if call.missing else None
    if hand is None or not hand.in_play:
        return None
    if hand.turn is not None:
        return hand.turn.deadline
    if hand.showdown is not None and hand.undecided_seats:
        return hand.showdown.deadline
    return None
