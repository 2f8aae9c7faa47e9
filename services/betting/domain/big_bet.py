"""Pot limit and no limit: least and largest wager, and what a wager makes of the street (rules 61-73)."""

from services.betting.domain.pots import middle_chips
from services.betting.domain.state import BettingState, SeatBetting
from shared.kernel.game import Structure
from shared.kernel.rules import BigBetMinimum, PotBelowMinimum, PotLimitMax, ShortAllInBigBet, ThirdStreetOverBringIn

_ADD = ThirdStreetOverBringIn.ADD
_NO_LIMIT = Structure.NO_LIMIT
"""By names of the module: looking up a member of an enum costs more than comparing it."""


def minimum_bet_chips(state: BettingState) -> int:
    """The minimum bet: m (rule 61; documents 000 and 004, pot limit and no limit)."""
    option = state.rules.big_bet_minimum
    if option is BigBetMinimum.UPPER:
        return state.stakes.upper_limit_chips
    if option is BigBetMinimum.LOWER:
        return state.stakes.lower_limit_chips
    return state.stakes.bring_in_chips


def full_wager_chips(state: BettingState) -> int:
    """The least street total that is a full bet, raise or completion (rules 62, 63, 72)."""
    minimum = minimum_bet_chips(state)
    if state.bring_in_uncompleted:
        full = minimum
        if state.rules.third_street_over_bring_in is _ADD:
            full += state.stakes.bring_in_chips
        if full > state.price_chips:
            return full
    return state.price_chips + max(state.full_increment_chips, minimum)


def big_bet_range(state: BettingState, seat: SeatBetting) -> tuple[int, int] | None:
    """Least and largest street total that the seat may wager; None where the pot is too small for any (C16).

    Chips. Below a full wager only all chips are allowed. Source: rules 62-69; document 000, pot limit and no limit.
    """
    reach = seat.street_chips + seat.stack_chips
    least = full_wager_chips(state)
    if state.rules.structure is _NO_LIMIT:
        return min(least, reach), reach
    most = _pot_limit_chips(state, seat)
    if most < least:
        if state.rules.pot_below_minimum is PotBelowMinimum.NO_RAISE:
            return None
        most = least
    return min(least, reach), min(most, reach)


def _pot_limit_chips(state: BettingState, seat: SeatBetting) -> int:
    """The call first, then a raise by the pot with the call in it; or by the pot before the call (rule 65, C17)."""
    pot = middle_chips(state.seats)
    if state.rules.pot_limit_max is PotLimitMax.POT_BEFORE_CALL:
        return pot + state.price_chips
    return pot + 2 * state.price_chips - seat.street_chips


def big_bet_wager(state: BettingState, seat: SeatBetting, to_chips: int) -> dict[str, object]:
    """What a wager changes: always the price, and the full level and the increment where it is full (rules 62, 72)."""
    changes: dict[str, object] = {
        "price_chips": to_chips,
        "last_aggressor_seat": seat.seat,
        "bring_in_uncompleted": False,  # only a bring-in can be completed here, never what was bet (rule 63)
    }
    if to_chips < full_wager_chips(state):
        return changes
    changes["full_price_chips"] = to_chips
    changes["full_increment_chips"] = max(state.full_increment_chips, to_chips - state.price_chips)
    changes["full_bet_made"] = True
    if state.full_bet_made:
        changes["raises_made"] = state.raises_made + 1
    return changes


def big_bet_reopens(state: BettingState, seat: SeatBetting) -> bool:
    """A seat that has acted may raise again: a full wager was made, or short all-ins add up to one (rule 73, C18)."""
    if state.full_price_chips > seat.acted_price_chips:
        return True
    if state.rules.short_all_in_big_bet is ShortAllInBigBet.SINGLE:
        return False
    needed = state.full_increment_chips or minimum_bet_chips(state)
    return state.price_chips - seat.acted_price_chips >= needed
