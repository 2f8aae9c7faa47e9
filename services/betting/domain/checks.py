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

SEATS_LEAST, SEATS_MOST = 2, 8
CHIPS_MAX = 10**15
"""Most chips of one seat, so that every sum fits the wire."""
_STREETS = tuple(Street)


def check_state(state: BettingState) -> None:
    """Refuse a state that this service never gave: nothing is guessed from it."""
    if state.schema_version != SCHEMA_VERSION:
        _refuse("state.schema_version", f"this service reads version {SCHEMA_VERSION}; {state.schema_version} was sent")
    for field, problem in _faults(state):
        _refuse(f"state.{field}", f"{problem}; give back the state as it was last answered")
    before, after = start_chips(state), table_chips(state)
    if before != after and state.phase is not BettingPhase.SETTLED:
        raise DomainError(
            Reason.CHIPS_NOT_CONSERVED,
            f"the seats began with {before} chips and the state holds {after}: nothing was done",
            {"before_chips": str(before), "after_chips": str(after)},
        )


def start_chips(state: BettingState) -> int:
    """Chips of all seats at the start of the hand."""
    return sum([seat.start_chips for seat in state.seats])


def table_chips(state: BettingState) -> int:
    """Chips behind and in the middle together."""
    return sum([seat.stack_chips + seat.hand_chips for seat in state.seats])


def _faults(state: BettingState) -> Iterator[tuple[str, str]]:
    seats = state.seats
    if not SEATS_LEAST <= len(seats) <= SEATS_MOST or len({seat.seat for seat in seats}) < len(seats):
        yield "seats", f"{SEATS_LEAST} to {SEATS_MOST} seats, each once"
    elif not all(map(_chips_fit, seats)):
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
    if state.phase is BettingPhase.BETWEEN_STREETS:
        return state.street is not Street.SEVENTH
    return state.street is not None and (state.phase is not BettingPhase.BRING_IN or state.street is Street.THIRD)


def _chips_fit(seat: SeatBetting) -> bool:
    behind = (seat.stack_chips == 0) == (seat.status is ALL_IN) or seat.status is FOLDED
    bounded = seat.stack_chips >= 0 and seat.start_chips <= CHIPS_MAX
    return bounded and 0 <= seat.street_chips <= seat.hand_chips and behind


def _order_fits(state: BettingState) -> bool:
    known = {seat.seat for seat in state.seats}
    bring_in = state.phase is not BettingPhase.BRING_IN or state.bring_in_order[:1] == (state.turn_seat,)
    return bool(state.opening_order) and bring_in and known.issuperset(state.opening_order + state.bring_in_order)


def check_street(state: BettingState, street: Street, order: tuple[int, ...], pairs: tuple[int, ...]) -> None:
    """Refuse a street that is not the next one, or an order that is not of the live seats."""
    if state.phase is not BettingPhase.BETWEEN_STREETS:
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
