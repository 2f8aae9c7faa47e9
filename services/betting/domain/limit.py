"""Fixed limit: the amounts that may be wagered, and what a wager makes of the street (rules 45-49, 53-59, 71-77)."""

from services.betting.domain.state import BettingState, SeatBetting
from services.betting.domain.units import base_chips, units_for
from shared.kernel.game import Street
from shared.kernel.rules import ShortAllInLimit

_FOURTH, _THIRD = Street.FOURTH, Street.THIRD
_HALF, _NONE = ShortAllInLimit.HALF, ShortAllInLimit.NONE
"""By names of the module: looking up a member of an enum costs more than comparing it."""


def limit_choices(state: BettingState, seat: SeatBetting) -> tuple[int, ...]:
    """Street totals that the seat may wager, ascending: each full level, or all its chips where they do not reach it.

    Chips. Source: rules 46-48, 58, 69, 74, 75; documents 000 and 003, betting.
    """
    reach = seat.street_chips + seat.stack_chips
    base = base_chips(state)
    choices = [min(_level_above(base, unit, state.price_chips), reach) for unit in units_for(state, seat)]
    return tuple(choices) if choices[0] < choices[-1] else (choices[0],)


def _level_above(base: int, unit: int, price: int) -> int:
    """One unit above the base; higher where all-ins that count for nothing have reached that level already."""
    return base + unit * max(1, (price - base) // unit + 1)


def limit_wager(state: BettingState, seat: SeatBetting, to_chips: int) -> dict[str, object]:
    """What a wager changes: always the price, and the full level, the raises and the unit where it counts as full.

    Source: rules 46, 49, 50, 59, 74-76.
    """
    changes: dict[str, object] = {"price_chips": to_chips, "last_aggressor_seat": seat.seat}
    increment = to_chips - base_chips(state)
    if not _counts_as_full(state, seat, to_chips, increment):
        return changes
    changes["full_price_chips"] = to_chips
    changes["full_increment_chips"] = increment
    changes["full_bet_made"] = True
    changes["bring_in_uncompleted"] = False
    if state.full_bet_made or (state.rules.completion_counts and state.bring_in_uncompleted):
        changes["raises_made"] = state.raises_made + 1
    if increment >= state.stakes.upper_limit_chips and state.street is _FOURTH:
        changes["upper_limit_used"] = len(units_for(state, seat)) > 1 or state.upper_limit_used
    return changes


def _counts_as_full(state: BettingState, seat: SeatBetting, to_chips: int, increment: int) -> bool:
    """A full wager, or an all-in that the rules take for one (C18)."""
    unit = units_for(state, seat)[0]
    option = state.rules.short_all_in_limit
    if option is _HALF:
        return 2 * increment >= unit
    if option is _NONE and to_chips == seat.street_chips + seat.stack_chips:
        return increment >= unit and (to_chips - state.price_chips >= unit or not _short_all_in_stands(state))
    return increment >= unit


def _short_all_in_stands(state: BettingState) -> bool:
    """The price is above the last full level because of all-ins that did not reach the next one."""
    if not state.bring_in_uncompleted:
        return state.price_chips > state.full_price_chips
    return state.price_chips > state.stakes.bring_in_chips


def limit_reopens(state: BettingState, seat: SeatBetting) -> bool:
    """A seat that has acted may raise again: the price rose by half a unit, or a full wager was made (rule 73).

    Where only full wagers count (C18), only they reopen.
    """
    if state.rules.short_all_in_limit is not _HALF:
        return state.full_price_chips > seat.acted_price_chips
    rise = state.price_chips - seat.acted_price_chips
    if 2 * rise >= units_for(state, seat)[0]:
        return True
    full_bet = state.stakes.lower_limit_chips
    return state.street is _THIRD and seat.acted_price_chips < full_bet <= state.full_price_chips
