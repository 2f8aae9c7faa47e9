"""An action and what it makes of the hand; whether it is legal was decided before (rules 43-77)."""

from services.betting.domain.actions import Action, ActionCause, ActionKind
from services.betting.domain.betting_round import Step, advance
from services.betting.domain.big_bet import big_bet_wager
from services.betting.domain.bring_in import posted
from services.betting.domain.facts import ActionTaken, SeatFrozen, action_taken
from services.betting.domain.limit import limit_wager
from services.betting.domain.state import ALL_IN, FOLDED, BettingPhase, BettingState, SeatBetting, SeatStatus
from services.betting.domain.table import with_seat
from shared.kernel.frozen import evolve, evolver
from shared.kernel.game import Structure

_FOLD, _CHECK, _CALL, _ACTION_BRING_IN = ActionKind.FOLD, ActionKind.CHECK, ActionKind.CALL, ActionKind.BRING_IN
_FROZEN = SeatStatus.FROZEN
_LIMIT = Structure.LIMIT
_PHASE_BRING_IN, _ROUND = BettingPhase.BRING_IN, BettingPhase.ROUND
"""By names of the module: looking up a member of an enum costs more than comparing it."""

_with_chips_moved = evolver(
    SeatBetting,
    "stack_chips",
    "street_chips",
    "hand_chips",
    "status",
    "acted",
    "acted_price_chips",
    "has_bet_in_hand",
    "has_bet_on_street",
)


def play(state: BettingState, place: int, action: Action) -> Step:
    """Apply an action of the seat at a place, and go on to the next turn or the end of the street."""
    kind = action.kind
    if kind is _FOLD:
        return _fold(state, place, action)
    if kind is _CHECK:
        return _pay(state, place, 0, action, {})
    seat = state.seats[place]
    if kind is _CALL:
        return _pay(state, place, min(seat.stack_chips, state.price_chips - seat.street_chips), action, {})
    if kind is _ACTION_BRING_IN:
        paid = min(seat.stack_chips, state.stakes.bring_in_chips)
        return _pay(state, place, paid, action, _opened(state, posted(state, seat, paid)))
    changes = _wager(state, seat, action.to_chips)
    return _pay(state, place, action.to_chips - seat.street_chips, action, changes)


def freeze(state: BettingState, place: int, cause: ActionCause) -> Step:
    """The clock freezes a seat: live for what is in, its chips stay behind (rules 105, 132)."""
    seat = evolve(state.seats[place], status=_FROZEN)
    frozen = evolve(state, seats=with_seat(state, place, seat), turn_seat=0)
    return advance(frozen, place, (SeatFrozen(seat=seat.seat, cause=cause),))


def _fold(state: BettingState, place: int, action: Action) -> Step:
    seat = evolve(state.seats[place], status=FOLDED)
    order = tuple(each for each in state.bring_in_order if each != seat.seat)
    folded = evolve(state, seats=with_seat(state, place, seat), bring_in_order=order, turn_seat=0)
    return advance(folded, place, (_taken(seat, 0, action),))


def _pay(state: BettingState, place: int, paid: int, action: Action, changes: dict[str, object]) -> Step:
    """Move chips from the stack to the middle; 0 for a check."""
    before = state.seats[place]
    behind = before.stack_chips - paid
    price = changes.get("price_chips", state.price_chips)
    seat = _with_chips_moved(
        before,
        stack_chips=behind,
        street_chips=before.street_chips + paid,
        hand_chips=before.hand_chips + paid,
        status=before.status if behind else ALL_IN,
        acted=not (action.kind is _ACTION_BRING_IN and state.rules.bring_in_live_option),
        acted_price_chips=price,
        has_bet_in_hand=before.has_bet_in_hand or paid > 0,
        has_bet_on_street=before.has_bet_on_street or paid > 0,
    )
    moved = evolve(state, seats=with_seat(state, place, seat), turn_seat=0, **changes)
    return advance(moved, place, (_taken(seat, paid, action),))


def _wager(state: BettingState, seat: SeatBetting, to_chips: int) -> dict[str, object]:
    limit = state.rules.structure is _LIMIT
    changes = limit_wager(state, seat, to_chips) if limit else big_bet_wager(state, seat, to_chips)
    return _opened(state, changes)


def _opened(state: BettingState, changes: dict[str, object]) -> dict[str, object]:
    """After the opening of third street the round runs; in limit a short opening can be completed (rules 37, 76)."""
    if state.phase is not _PHASE_BRING_IN:
        return changes
    return {"bring_in_uncompleted": True, **changes, "phase": _ROUND, "bring_in_order": ()}


def _taken(seat: SeatBetting, paid: int, action: Action) -> ActionTaken:
    return action_taken(
        seat=seat.seat,
        kind=action.kind,
        paid_chips=paid,
        to_chips=seat.street_chips,
        all_in=paid > 0 and seat.stack_chips == 0,
        cause=action.cause,
    )
