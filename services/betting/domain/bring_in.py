"""Who owes the bring-in, what the opener may do, and what follows (rules 28-40)."""

from services.betting.domain.actions import ActionKind, LegalAction
from services.betting.domain.big_bet import big_bet_range
from services.betting.domain.limit import limit_choices
from services.betting.domain.state import ALL_IN, BettingState, SeatBetting
from services.betting.domain.table import able_clockwise_from, able_in_order, place_of
from shared.kernel.game import Structure
from shared.kernel.rules import BringInFold, BringInNoChips, ShortBringInPrice

_BRING_IN, _COMPLETE = ActionKind.BRING_IN, ActionKind.COMPLETE
_LIMIT = Structure.LIMIT
"""By names of the module: looking up a member of an enum costs more than comparing it."""

_FOLD = LegalAction(kind=ActionKind.FOLD)


def duty_order(state: BettingState) -> tuple[int, ...]:
    """Able seats in the order in which the bring-in falls to them (rules 23-30, 34, 35)."""
    first = state.opening_order[0]
    if stands_in(state):
        return able_clockwise_from(state, place_of(state, first))
    order = able_in_order(state, state.opening_order)
    if state.rules.bring_in_fold is BringInFold.PASS_LEFT and order:
        others = able_clockwise_from(state, place_of(state, order[0]))
        return (order[0], *others[:-1])
    return order


def stands_in(state: BettingState) -> bool:
    """The card that should open has no chips and its left neighbour opens instead, free to fold (rules 34, 35)."""
    if state.rules.bring_in_no_chips is not BringInNoChips.LEFT:
        return False
    return state.seats[place_of(state, state.opening_order[0])].status is ALL_IN


def bring_in_actions(state: BettingState, seat: SeatBetting) -> tuple[LegalAction, ...]:
    """What the opener of third street may do: post, perhaps decline, perhaps open for the full bet (rule 29)."""
    stand_in = stands_in(state)
    post = LegalAction(kind=_BRING_IN, pay_chips=min(seat.stack_chips, state.stakes.bring_in_chips))
    may_fold = stand_in or state.rules.bring_in_fold is not BringInFold.NO
    passive = (_FOLD, post) if may_fold else (post,)
    full = _full_opening(state, seat) if stand_in or state.rules.bring_in_full else None
    return (*passive, full) if full else passive


def _full_opening(state: BettingState, seat: SeatBetting) -> LegalAction | None:
    """Opening for the full bet, or all-in for what is between the bring-in and it (rules 29, 37, 68)."""
    if seat.stack_chips <= state.stakes.bring_in_chips:
        return None
    if state.rules.structure is _LIMIT:
        return LegalAction(kind=_COMPLETE, to_chips_choices=limit_choices(state, seat))
    bounds = big_bet_range(state, seat)
    if bounds is None or bounds[0] <= state.stakes.bring_in_chips:
        return None
    return LegalAction(kind=_COMPLETE, to_chips_min=bounds[0], to_chips_max=bounds[0])


def posted(state: BettingState, seat: SeatBetting, paid: int) -> dict[str, object]:
    """What the bring-in changes: the price is the nominal one unless the rules take what was posted (rules 36, C7)."""
    actual = state.rules.short_bring_in_price is ShortBringInPrice.ACTUAL
    return {
        "price_chips": paid if actual else state.stakes.bring_in_chips,
        "bring_in_uncompleted": True,
        "bring_in_seat": seat.seat,
    }


def left_of(state: BettingState, place: int) -> tuple[int, ...]:
    """The duty after the clock folded the opener, where it goes to the left (C33)."""
    return able_clockwise_from(state, place)
