"""Who is still in, who is able, and who sits clockwise of whom."""

from collections.abc import Iterator

from services.betting.domain.state import ACTIVE, FOLDED, BettingState, SeatBetting


def place_of(state: BettingState, seat: int) -> int:
    """Place of a seat in dealing order; the seat must be of the hand."""
    for place, each in enumerate(state.seats):
        if each.seat == seat:
            return place
    raise AssertionError(f"seat {seat} is not of this hand")


def live_count(state: BettingState) -> int:
    """Seats not folded, all-in and frozen ones included."""
    count = 0
    for seat in state.seats:  # plain loops: these are asked several times in every action
        if seat.status is not FOLDED:
            count += 1
    return count


def able_count(state: BettingState) -> int:
    """Live seats with chips behind that are not frozen."""
    count = 0
    for seat in state.seats:
        if seat.status is ACTIVE:
            count += 1
    return count


def clockwise_from(state: BettingState, place: int) -> Iterator[SeatBetting]:
    """The other seats, from the left neighbour of a place round the table, then the seat itself."""
    seats = state.seats
    yield from seats[place + 1 :]
    yield from seats[: place + 1]


def able_clockwise_from(state: BettingState, place: int) -> tuple[int, ...]:
    """Able seats from the left neighbour of a place round the table, the seat itself last."""
    return tuple(each.seat for each in clockwise_from(state, place) if each.status is ACTIVE)


def able_in_order(state: BettingState, order: tuple[int, ...]) -> tuple[int, ...]:
    """Able seats in a given order, as the evaluator's."""
    able = {each.seat for each in state.seats if each.status is ACTIVE}
    return tuple(seat for seat in order if seat in able)


def with_seat(state: BettingState, place: int, seat: SeatBetting) -> tuple[SeatBetting, ...]:
    """The seats with one of them changed."""
    return (*state.seats[:place], seat, *state.seats[place + 1 :])
