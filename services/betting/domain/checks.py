"""What a caller hands in must be a hand that can be: seats, chips and turn fit together (rules 1, 106)."""

from collections.abc import Iterator

from services.betting.domain.act import expected_step
from services.betting.domain.state import (
    ACTIVE,
    ALL_IN,
    FOLDED,
    SCHEMA_VERSION,
    TURN_PHASES,
    BettingPhase,
    BettingState,
    SeatBetting,
)
from shared.kernel.errors import DomainError, FieldViolation, Reason, out_of_step
from shared.kernel.game import Street

_SETTLED, _BETWEEN_STREETS, _BRING_IN = BettingPhase.SETTLED, BettingPhase.BETWEEN_STREETS, BettingPhase.BRING_IN
_SEVENTH, _THIRD = Street.SEVENTH, Street.THIRD
"""By names of the module: looking up a member of an enum costs more than comparing it."""

SEATS_LEAST, SEATS_MOST = 2, 8
CHIPS_MAX = 10**18
"""Most chips of one seat, so that every sum fits the wire; whoever sells chips gives a table no more in all."""
_STREETS = tuple(Street)


def check_state(state: BettingState) -> None:
    """Refuse a state that this service never gave: nothing is guessed from it."""
    if state.schema_version != SCHEMA_VERSION:
        _refuse("state.schema_version", f"this service reads version {SCHEMA_VERSION}; {state.schema_version} was sent")
    for field, problem in _faults(state):
        _refuse(f"state.{field}", f"{problem}; give back the state as it was last answered")
    before, after = start_chips(state), table_chips(state)
    if before != after and state.phase is not _SETTLED:
        raise DomainError(
            Reason.CHIPS_NOT_CONSERVED,
            f"the seats began with {before} chips and the state holds {after}: nothing was done",
            {"before_chips": str(before), "after_chips": str(after)},
        )


def start_chips(state: BettingState) -> int:
    """Chips of all seats at the start of the hand."""
    chips = 0
    for seat in state.seats:
        chips += seat.start_chips
    return chips


def table_chips(state: BettingState) -> int:
    """Chips behind and in the middle together."""
    chips = 0
    for seat in state.seats:  # a plain loop: every step asks it twice
        chips += seat.stack_chips + seat.hand_chips
    return chips


def _faults(state: BettingState) -> Iterator[tuple[str, str]]:
    seats = state.seats
    if not SEATS_LEAST <= len(seats) <= SEATS_MOST or len({seat.seat for seat in seats}) < len(seats):
        yield "seats", f"{SEATS_LEAST} to {SEATS_MOST} seats, each once"
    elif not _chips_fit(seats):
        yield "seats", "stack, street and hand chips of a seat do not fit its status"
    if not _turn_fits(state):
        yield "turn_seat", f"{state.turn_seat} is no seat to act in {state.phase}"
    if not _street_fits(state):
        yield "street", f"no street after which a hand is {state.phase}"
    if min(state.price_chips, state.full_price_chips, state.full_increment_chips) < 0:
        yield "price_chips", "prices are 0 or more"
    if min(state.stakes.lower_limit_chips, state.stakes.upper_limit_chips, state.stakes.bring_in_chips) < 1:
        yield "stakes", "limits and bring-in are 1 or more"


def _turn_fits(state: BettingState) -> bool:
    if state.phase not in TURN_PHASES:
        return state.turn_seat == 0
    able = state.turn_seat in [each.seat for each in state.seats if each.status is ACTIVE]
    return able and _order_fits(state)


def _street_fits(state: BettingState) -> bool:
    if state.phase is _BETWEEN_STREETS:
        return state.street is not _SEVENTH
    return state.street is not None and (state.phase is not _BRING_IN or state.street is _THIRD)


def _chips_fit(seats: tuple[SeatBetting, ...]) -> bool:
    """Nobody has less than nothing or more than can be, and all-in is who has nothing behind."""
    for seat in seats:
        if not 0 <= seat.street_chips <= seat.hand_chips or seat.stack_chips < 0 or seat.start_chips > CHIPS_MAX:
            return False
        if (seat.stack_chips == 0) != (seat.status is ALL_IN) and seat.status is not FOLDED:
            return False
    return True


def _order_fits(state: BettingState) -> bool:
    known = {seat.seat for seat in state.seats}
    bring_in = state.phase is not _BRING_IN or state.bring_in_order[:1] == (state.turn_seat,)
    return bool(state.opening_order) and bring_in and known.issuperset(state.opening_order + state.bring_in_order)


def check_street(state: BettingState, street: Street, order: tuple[int, ...], pairs: tuple[int, ...]) -> None:
    """Refuse a street that is not the next one, or an order that is not of the live seats."""
    if state.phase is not _BETWEEN_STREETS:
        raise out_of_step("OpenStreet", expected_step(state.phase))
    following = _STREETS[0] if state.street is None else _STREETS[_STREETS.index(state.street) + 1]
    if street is not following:
        raise out_of_step(f"OpenStreet of {street}", f"OpenStreet of {following}")
    live = sorted(seat.seat for seat in state.seats if seat.status is not FOLDED)
    if sorted(order) != live:
        _refuse("opening_order", f"name each live seat once: {', '.join(map(str, live))}")
    if len(set(pairs)) < len(pairs) or not set(pairs) <= set(live):
        _refuse("open_pair_seats", f"name live seats only, each once: {', '.join(map(str, live))}")


def _refuse(field: str, description: str) -> None:
    violation = FieldViolation(field, description)
    raise DomainError(Reason.REQUEST_INVALID, f"{field}: {description}", {"field": field}, (violation,))
