"""Fixed wagers of limit: the unit of the street, and the open pair on fourth street (rules 45, 53-60)."""

from services.betting.domain.state import FOLDED, BettingState, SeatBetting
from shared.kernel.game import Street, Structure
from shared.kernel.rules import OpenPairFourth, ThirdStreetOverBringIn

_OFF, _ANY_PLAYER, _HOLDER_BET_RAISE = OpenPairFourth.OFF, OpenPairFourth.ANY_PLAYER, OpenPairFourth.HOLDER_BET_RAISE
_FOURTH = Street.FOURTH
_LIMIT = Structure.LIMIT
_ADD = ThirdStreetOverBringIn.ADD
"""By names of the module: looking up a member of an enum costs more than comparing it."""


def units_for(state: BettingState, seat: SeatBetting) -> tuple[int, ...]:
    """What the seat may add to the last full level: one unit, or the lower and the upper over an open pair.

    Chips, ascending. Source: rules 45 and 53-59; documents 000, 003 and 004, open pair.
    """
    lower, upper = state.stakes.lower_limit_chips, state.stakes.upper_limit_chips
    if state.street not in state.rules.lower_limit_streets or state.upper_limit_used:
        return (upper,)
    if _may_use_upper(state, seat):
        return (lower, upper)
    return (lower,)


def _may_use_upper(state: BettingState, seat: SeatBetting) -> bool:
    option = state.rules.open_pair_fourth
    if option is _OFF or not open_pair_in_force(state):
        return False
    if option is _ANY_PLAYER:
        return True
    if seat.seat not in state.open_pair_seats:
        return False
    return option is _HOLDER_BET_RAISE or not state.full_bet_made


def open_pair_in_force(state: BettingState) -> bool:
    """In limit, a live seat showed a pair when fourth street opened; its fold may end that (rules 53, 60, C14)."""
    if not state.open_pair_seats or state.street is not _FOURTH:
        return False
    if state.rules.structure is not _LIMIT:
        return False
    return state.rules.open_pair_persists or any(
        seat.seat in state.open_pair_seats for seat in state.seats if seat.status is not FOLDED
    )


def base_chips(state: BettingState) -> int:
    """The level from which the next fixed wager is counted (rules 46-48).

    The last full level; over a bring-in nothing, so that the first wager completes it, or the bring-in itself (C9).
    """
    if not state.bring_in_uncompleted:
        return state.full_price_chips
    adds = state.rules.third_street_over_bring_in is _ADD
    return state.stakes.bring_in_chips if adds else 0
