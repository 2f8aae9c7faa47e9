"""Whose turn it is, and when the betting of a street is over (rules 32, 33, 38, 83, 101)."""

from typing import NamedTuple

from services.betting.domain.facts import Facts, StreetClosed, UncalledBetReturned
from services.betting.domain.pots import pots_of, uncalled_of
from services.betting.domain.raise_cap import lifted_now
from services.betting.domain.state import ACTIVE, ALL_IN, BettingPhase, BettingState, SeatBetting
from services.betting.domain.table import able_count, clockwise_from, live_count
from shared.kernel.frozen import evolve, evolver
from shared.kernel.game import Street

_BRING_IN, _BETWEEN_STREETS = BettingPhase.BRING_IN, BettingPhase.BETWEEN_STREETS
_SHOWDOWN, _UNCONTESTED = BettingPhase.SHOWDOWN, BettingPhase.UNCONTESTED
_SEVENTH = Street.SEVENTH
"""By names of the module: looking up a member of an enum costs more than comparing it."""

TWO = 2
_with_turn = evolver(BettingState, "turn_seat", "cap_lifted")


class Step(NamedTuple):
    """A state and what happened on the way to it."""

    state: BettingState
    facts: Facts


def advance(state: BettingState, place: int, facts: Facts) -> Step:
    """After the seat at a place acted: the next seat's turn, or the end of the street (rules 12, 32, 83)."""
    if live_count(state) == 1:
        return close_street(state, facts)
    turn = _next_opener(state) if state.phase is _BRING_IN else _next_to_act(state, place)
    if not turn:
        return close_street(state, facts)
    return Step(_with_turn(state, turn_seat=turn, cap_lifted=lifted_now(state)), facts)


def _next_opener(state: BettingState) -> int:
    """The seat that owes the bring-in; nobody where fewer than two are able (rules 31, 38)."""
    return state.bring_in_order[0] if able_count(state) >= TWO else 0


def _next_to_act(state: BettingState, place: int) -> int:
    """The next able seat clockwise that has not acted or has not matched the price."""
    price = state.price_chips
    for seat in clockwise_from(state, place):
        if seat.status is ACTIVE and (not seat.acted or seat.street_chips < price):
            return seat.seat if seat.street_chips < price or able_count(state) >= TWO else 0
    return 0


def close_street(state: BettingState, facts: Facts) -> Step:
    """End the betting of a street: uncalled chips go back, the pots stand (rules 12, 99, 101)."""
    seats, returned = give_back_uncalled(state.seats)
    street = state.street
    if street is None:
        raise AssertionError("no street is open")
    closed = evolve(state, seats=seats, phase=_phase_after(state, street), turn_seat=0, bring_in_order=())
    return Step(closed, (*facts, *returned, StreetClosed(street=street, pots=pots_of(seats))))


def _phase_after(state: BettingState, street: Street) -> BettingPhase:
    if live_count(state) == 1:
        return _UNCONTESTED
    return _SHOWDOWN if street is _SEVENTH else _BETWEEN_STREETS


def give_back_uncalled(seats: tuple[SeatBetting, ...]) -> tuple[tuple[SeatBetting, ...], Facts]:
    """What one live seat put in above every other seat goes back to it (rules 21, 101)."""
    place, chips = uncalled_of(seats)
    if not chips:
        return seats, ()
    seat = seats[place]
    richer = evolve(
        seat,
        stack_chips=seat.stack_chips + chips,
        street_chips=max(seat.street_chips - chips, 0),
        hand_chips=seat.hand_chips - chips,
        status=ACTIVE if seat.status is ALL_IN else seat.status,
    )
    back = UncalledBetReturned(seat=seat.seat, chips=chips)
    return (*seats[:place], richer, *seats[place + 1 :]), (back,)
