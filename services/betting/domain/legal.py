"""All that the seat to act may do, with exact amounts (rules 29, 43, 69, 70)."""

from services.betting.domain.actions import ActionKind, LegalAction, LegalActions, legal_action, legal_of_seat
from services.betting.domain.big_bet import big_bet_range, big_bet_reopens
from services.betting.domain.bring_in import bring_in_actions
from services.betting.domain.limit import limit_choices, limit_reopens
from services.betting.domain.raise_cap import cap_reached
from services.betting.domain.state import BettingPhase, BettingState, SeatBetting
from services.betting.domain.table import able_count, place_of
from shared.kernel.game import Structure

_BRING_IN = BettingPhase.BRING_IN
_CALL, _COMPLETE, _RAISE, _BET = ActionKind.CALL, ActionKind.COMPLETE, ActionKind.RAISE, ActionKind.BET
_LIMIT = Structure.LIMIT
"""By names of the module: looking up a member of an enum costs more than comparing it."""

_FOLD = legal_action(kind=ActionKind.FOLD)
_CHECK = legal_action(kind=ActionKind.CHECK)


def legal_actions(state: BettingState) -> LegalActions | None:
    """Whose turn it is and what is legal; None where nobody is to act."""
    if not state.turn_seat:
        return None
    seat = state.seats[place_of(state, state.turn_seat)]
    if state.phase is _BRING_IN:
        return legal_of_seat(seat=seat.seat, actions=bring_in_actions(state, seat))
    wager = _wager(state, seat)
    passive = _passive(state, seat)
    return legal_of_seat(seat=seat.seat, actions=(*passive, wager) if wager else passive)


def _passive(state: BettingState, seat: SeatBetting) -> tuple[LegalAction, ...]:
    """Fold, check and call (rule 43)."""
    owed = state.price_chips - seat.street_chips
    if owed > 0:
        return _FOLD, legal_action(kind=_CALL, pay_chips=min(owed, seat.stack_chips))
    return (_FOLD, _CHECK) if state.rules.fold_when_check_free else (_CHECK,)


def _wager(state: BettingState, seat: SeatBetting) -> LegalAction | None:
    """The bet, raise or completion that is open to the seat, if any."""
    if seat.stack_chips <= state.price_chips - seat.street_chips or not _may_raise(state, seat):
        return None
    kind = wager_kind(state)
    if state.rules.structure is _LIMIT:
        return legal_action(kind=kind, to_chips_choices=limit_choices(state, seat))
    bounds = big_bet_range(state, seat)
    return legal_action(kind=kind, to_chips_min=bounds[0], to_chips_max=bounds[1]) if bounds else None


def _may_raise(state: BettingState, seat: SeatBetting) -> bool:
    """Somebody is left who could answer, the cap allows it, and the betting is open to this seat (rules 49, 69, 73)."""
    if able_count(state) == 1 or cap_reached(state):
        return False
    if not seat.acted:
        return True
    return limit_reopens(state, seat) if state.rules.structure is _LIMIT else big_bet_reopens(state, seat)


def wager_kind(state: BettingState) -> ActionKind:
    """What a wager is called here: the first one is a bet, the first over the bring-in a completion."""
    if state.bring_in_uncompleted:
        return _COMPLETE
    return _RAISE if state.price_chips else _BET
