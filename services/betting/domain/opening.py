"""How a hand and its streets begin: antes, who owes the bring-in, who opens later streets (rules 15-21, 34, 81, 83)."""

from services.betting.domain.betting_round import Step, close_street, give_back_uncalled
from services.betting.domain.bring_in import duty_order
from services.betting.domain.facts import AntePosted
from services.betting.domain.raise_cap import lifted_at_start
from services.betting.domain.state import ACTIVE, ALL_IN, BettingPhase, BettingState, SeatBetting
from services.betting.domain.table import able_clockwise_from, able_count, able_in_order, place_of
from shared.kernel.frozen import evolve, evolver
from shared.kernel.game import Street
from shared.kernel.rules import AllInHighHand, HandRules, Stakes

_BRING_IN, _ROUND = BettingPhase.BRING_IN, BettingPhase.ROUND
_THIRD, _FOURTH = Street.THIRD, Street.FOURTH
"""By names of the module: looking up a member of an enum costs more than comparing it."""

TWO = 2
_on_new_street = evolver(SeatBetting, "street_chips", "acted", "acted_price_chips", "has_bet_on_street")


def open_hand(
    rules: HandRules, stakes: Stakes, stacks: tuple[tuple[int, int], ...], *, last_two_of_event: bool = False
) -> Step:
    """A hand with the antes taken: all that a seat has where it has less, and nothing of it is part of a bet.

    Pairs of seat number and chips, in dealing order. An ante that nobody can match goes back at once (rule 21).
    Source: rules 15-21; documents 000, 003 and 004, antes.
    """
    seats = tuple(_anted(seat, chips, stakes.ante_chips) for seat, chips in stacks)
    antes = tuple(
        AntePosted(seat=seat.seat, chips=seat.hand_chips, all_in=seat.stack_chips == 0)
        for seat in seats
        if seat.hand_chips
    )
    matched, returned = give_back_uncalled(seats)
    state = BettingState(rules=rules, stakes=stakes, last_two_of_event=last_two_of_event, seats=matched)
    return Step(state, (*antes, *returned))


def _anted(seat: int, chips: int, ante: int) -> SeatBetting:
    paid = min(chips, ante)
    return SeatBetting(
        seat=seat,
        stack_chips=chips - paid,
        hand_chips=paid,
        status=ACTIVE if chips > paid else ALL_IN,
        start_chips=chips,
    )


def open_street(
    state: BettingState, street: Street, opening_order: tuple[int, ...], open_pair_seats: tuple[int, ...]
) -> Step:
    """The betting of a street that was dealt; it closes at once where nobody can bet (rules 38, 53, 81, 83).

    The order is the evaluator's: for third street who owes the bring-in first, else the best board first.
    """
    fresh = evolve(
        state,
        seats=tuple([_seat_on_new_street(seat) for seat in state.seats]),
        street=street,
        phase=_BRING_IN if street is _THIRD else _ROUND,
        turn_seat=0,
        price_chips=0,
        full_price_chips=0,
        full_increment_chips=0,
        raises_made=0,
        bring_in_uncompleted=False,
        bring_in_order=(),
        open_pair_seats=open_pair_seats if street is _FOURTH else (),
        upper_limit_used=False,
        cap_lifted=False,
        last_aggressor_seat=0,
        first_to_act_seat=0,
        opening_order=opening_order,
        full_bet_made=False,
    )
    if able_count(fresh) < TWO:
        return close_street(fresh, ())
    duty = duty_order(fresh) if street is _THIRD else ()
    first = duty[0] if duty else _opener(fresh)
    opened = evolve(fresh, turn_seat=first, first_to_act_seat=first, bring_in_order=duty)
    return Step(evolve(opened, cap_lifted=lifted_at_start(opened)), ())


def _seat_on_new_street(seat: SeatBetting) -> SeatBetting:
    return _on_new_street(seat, street_chips=0, acted=False, acted_price_chips=0, has_bet_on_street=False)


def _opener(state: BettingState) -> int:
    """The best board opens, or whoever stands in for it where it cannot act (rules 79, 81)."""
    best = place_of(state, state.opening_order[0])
    if state.seats[best].status is ACTIVE:
        return state.seats[best].seat
    if state.rules.all_in_high_hand is AllInHighHand.BEST_ABLE:
        return able_in_order(state, state.opening_order)[0]
    return able_clockwise_from(state, best)[0]
