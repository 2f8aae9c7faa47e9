"""What a table needs next, from nothing but its folded facts and the time.

The one place that knows the course of a hand. A table that was killed anywhere reads its log and asks again.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from services.orchestrator.domain.clocks import bank_is_kept, ends_at_once, turn_ends
from services.orchestrator.domain.entropy import waited_for
from services.orchestrator.domain.hand import Hand, OpenTurn, next_street
from services.orchestrator.domain.pace import next_hand_not_before
from services.orchestrator.domain.table import EntropyCall, Table, TableSeat
from services.orchestrator.domain.table_facts import LeaveCause, Presence
from services.orchestrator.domain.unasked import booked_not_before
from shared.kernel.game import Mode, Street
from shared.kernel.rules import AllInExposure, TimeBankActivation

PLAYERS_MIN = 2
TIE = timedelta(milliseconds=1)
"""The moment of the deadline itself still belongs to the player (rule 129)."""


@dataclass(frozen=True, slots=True)
class Await:
    """Nothing to do before somebody asks for something, or before this moment."""

    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class StartHand:
    """Ask for the sheet; where it says so: prepare the deck, take the antes."""

    hand_number: int


@dataclass(frozen=True, slots=True)
class DealStreet:
    """Deal the street, order the boards, open the betting."""

    street: Street


@dataclass(frozen=True, slots=True)
class ActForAbsent:
    """The player to act is away: the rules act at once (rules 131, 144-145)."""

    turn: OpenTurn


@dataclass(frozen=True, slots=True)
class StartTimeBank:
    """The decision time is over: the bank begins (rule 138)."""

    turn: OpenTurn


@dataclass(frozen=True, slots=True)
class ExpireTurn:
    """The clock ended, or is not waited for because the player is gone (rules 130-137, 149)."""

    turn: OpenTurn


@dataclass(frozen=True, slots=True)
class ExposeHands:
    """Turn up all live hands: no betting is left (rule 111)."""


@dataclass(frozen=True, slots=True)
class StartShowdown:
    """Compare the hands; show those that must be shown (rules 107-110)."""


@dataclass(frozen=True, slots=True)
class MuckHands:
    """Beaten hands whose players did not choose are hidden (rule 110)."""

    seats: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class SettleHand:
    """Pay the pots."""


@dataclass(frozen=True, slots=True)
class BookHand:
    """Tell the ledger."""


@dataclass(frozen=True, slots=True)
class ProveHand:
    """Close the hand at the dealer; publish the openings of what everybody saw."""


@dataclass(frozen=True, slots=True)
class PauseSelf:
    """As many hands were played as were asked for."""


@dataclass(frozen=True, slots=True)
class CloseEntropy:
    """Nobody is waited for any more: nothing is added to the deck from here on."""


@dataclass(frozen=True, slots=True)
class CashOutSeat:
    """A player gives up the seat."""

    seat: TableSeat
    cause: LeaveCause


Step = (
    Await
    | StartHand
    | DealStreet
    | ActForAbsent
    | StartTimeBank
    | ExpireTurn
    | ExposeHands
    | StartShowdown
    | MuckHands
    | SettleHand
    | BookHand
    | ProveHand
    | PauseSelf
    | CloseEntropy
    | CashOutSeat
)


def next_step(table: Table, now: datetime) -> Step:
    """What has to be done next; the same table at the same time always needs the same."""
    if table.closed or table.stopped:
        return Await()
    hand = table.hand
    if hand is None:
        return _between_hands(table, now)
    if hand.in_play:
        return _in_turn(table, hand, hand.turn, now) if hand.turn is not None else _in_hand(hand, now)
    if not hand.booked:
        return _to_book(table, hand, now)
    if not hand.proved:
        return ProveHand()
    return _between_hands(table, now)


def _to_book(table: Table, hand: Hand, now: datetime) -> Step:
    """At once, unless showing unasked may earn the winner a prize (rule 179)."""
    not_before = booked_not_before(table, hand)
    return BookHand() if not_before is None or now > not_before else Await(not_before + TIE)


def _in_turn(table: Table, hand: Hand, turn: OpenTurn, now: datetime) -> Step:
    if hand.seat(turn.seat).absent:
        return ActForAbsent(turn)
    ends = turn_ends(table, turn)
    if now <= ends and not ends_at_once(table, turn):
        return Await(ends + TIE)
    return StartTimeBank(turn) if _bank_starts(table, turn) else ExpireTurn(turn)


def _bank_starts(table: Table, turn: OpenTurn) -> bool:
    """The bank begins by itself, where nobody keeps it for a player who is gone (rules 138, 140, 149)."""
    by_itself = table.rules.clock.time_bank_activation is TimeBankActivation.AUTO
    held = ends_at_once(table, turn) or bank_is_kept(table, turn)
    return by_itself and not held and may_start_bank(table, turn)


def may_start_bank(table: Table, turn: OpenTurn) -> bool:
    """Whether anything is left in the bank of the player to act, and it does not run yet."""
    seat = table.seat(turn.seat)
    return seat is not None and seat.time_bank_seconds > 0 and not turn.bank_seconds


def _in_hand(hand: Hand, now: datetime) -> Step:
    """No turn is open: the betting of the street is over, or no street was dealt yet."""
    if len(hand.live) == 1:
        return SettleHand()
    if hand.street is not Street.SEVENTH:
        return ExposeHands() if _must_expose(hand) else DealStreet(next_street(hand.street))
    if hand.showdown is None:
        return StartShowdown()
    return _at_showdown(hand, hand.showdown.deadline, now)


def _at_showdown(hand: Hand, deadline: datetime | None, now: datetime) -> Step:
    undecided = hand.undecided_seats
    if not undecided:
        return SettleHand()
    if deadline is None or now > deadline:
        return MuckHands(undecided)
    away = tuple(number for number in undecided if hand.seat(number).absent)
    return MuckHands(away) if away else Await(deadline + TIE)


def _must_expose(hand: Hand) -> bool:
    return hand.street is not None and not hand.exposed and betting_is_dead(hand)


def betting_is_dead(hand: Hand) -> bool:
    """Whether all-in hands lie open from now on: somebody is all-in and nobody can bet any more (rule 111)."""
    able = sum(1 for seat in hand.live if seat.able)
    return (
        hand.rules.all_in_exposure is AllInExposure.IMMEDIATE
        and able < PLAYERS_MIN
        and any(seat.all_in for seat in hand.live)
    )


def _between_hands(table: Table, now: datetime) -> Step:
    if table.entropy is not None:
        return _prepared(table, table.entropy, now)
    leaver = _leaver(table, now)
    if leaver is not None:
        return leaver
    if table.pause is not None and not table.pause.by_director:
        return Await(_first_seat_lost_at(table))
    if table.hands_max and table.hand_number >= table.hands_max:
        return PauseSelf()
    if table.mode is Mode.CASH and len(table.ready_seats) < PLAYERS_MIN:
        return Await(_first_seat_lost_at(table))
    not_before = next_hand_not_before(table)
    if not_before is not None and now < not_before:
        return Await(_earliest(not_before, _first_seat_lost_at(table)))
    return StartHand(table.hand_number + 1)


def _prepared(table: Table, call: EntropyCall, now: datetime) -> Step:
    """The deck of the next hand is bound to its seats: they stay, and who wants to leave does so after it."""
    if table.pause is not None and not table.pause.by_director:
        return Await()
    if waited_for(call, now):
        return Await(call.asked.deadline + TIE)
    return CloseEntropy() if call.missing else StartHand(table.hand_number + 1)


def _leaver(table: Table, now: datetime) -> Step | None:
    if table.mode is not Mode.CASH:
        return None
    for seat in table.seats:
        if seat.presence is Presence.LEAVING:
            kept = seat.absent_since is not None  # as it was when the table let the player go
            return CashOutSeat(seat, LeaveCause.SAT_OUT_TOO_LONG if kept else LeaveCause.REQUESTED)
        lost_at = _seat_lost_at(table, seat)
        if lost_at is not None and now > lost_at:
            return CashOutSeat(seat, LeaveCause.SAT_OUT_TOO_LONG)
    return None


def _seat_lost_at(table: Table, seat: TableSeat) -> datetime | None:
    """When a cash player who sits out loses the seat (rule 150)."""
    seconds = table.rules.clock.seat_lost_seconds
    if not seconds or not seat.sitting_out or seat.absent_since is None:
        return None
    return seat.absent_since + timedelta(seconds=seconds)


def _earliest(moment: datetime, other: datetime | None) -> datetime:
    return moment if other is None else min(moment, other)


def _first_seat_lost_at(table: Table) -> datetime | None:
    moments = [moment for seat in table.seats if (moment := _seat_lost_at(table, seat)) is not None]
    return min(moments) + TIE if moments else None
