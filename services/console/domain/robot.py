"""How a robot chooses: only among the legal actions of its turn, only from what its own seat sees."""

from dataclasses import dataclass

from services.console.domain.betting import WAGERS, ActionKind, LegalAction, LegalActions
from services.console.domain.strength import strength, threat
from services.console.domain.table import SeatView, TableView

_WAGER_FROM = 0.55
_MOOD_SWING = 0.30


@dataclass(frozen=True, slots=True)
class Choice:
    """What a robot does: an action and, for wagers, the street total."""

    kind: ActionKind
    to_chips: int = 0


def choose(table: TableView, seat: SeatView, legal: LegalActions, mood: float) -> Choice:
    """The robot's decision; ``mood`` from 0 (timid) to 1 (bold) is drawn anew for each turn."""
    offered = {action.kind: action for action in legal.actions}
    confidence = _confidence(table, seat) + _MOOD_SWING * (mood - 0.5)
    wager = next((offered[kind] for kind in WAGERS if kind in offered), None)
    if wager is not None and confidence >= _WAGER_FROM:
        return Choice(wager.kind, _total(wager, confidence))
    if ActionKind.CHECK in offered:
        return Choice(ActionKind.CHECK)
    if ActionKind.BRING_IN in offered:
        return Choice(ActionKind.BRING_IN)
    call = offered.get(ActionKind.CALL)
    if call is not None and (confidence >= _price(table, seat, call) or ActionKind.FOLD not in offered):
        return Choice(ActionKind.CALL)
    if ActionKind.FOLD in offered:
        return Choice(ActionKind.FOLD)
    return _whatever(legal)


def _confidence(table: TableView, seat: SeatView) -> float:
    """Own hand against what the others show."""
    common = () if table.common_card is None else (table.common_card,)
    mine = strength((*seat.down_cards, *seat.up_cards, *common))
    others = [other.up_cards for other in table.seats if other.live and other.seat != seat.seat]
    shown = threat([board for board in others if board])
    return mine - 0.25 if shown > mine else mine


def _price(table: TableView, seat: SeatView, call: LegalAction) -> float:
    """How sure one must be to call: dear calls for small pots need more; a robot with few chips left calls sooner."""
    share = call.pay_chips / max(table.pot_total_chips + call.pay_chips, 1)
    committed = seat.stack_chips <= 2 * call.pay_chips
    return 0.12 + share * (0.6 if committed else 0.9)


def _total(wager: LegalAction, confidence: float) -> int:
    """The street total of a wager: in limit one of the choices, else somewhere between least and largest."""
    if wager.to_chips_choices:
        return wager.to_chips_choices[-1] if confidence > _WAGER_FROM + 0.1 else wager.to_chips_choices[0]
    span = wager.to_chips_max - wager.to_chips_min
    return wager.to_chips_min + int(span * max(min(confidence - 0.7, 1.0), 0.0))


def _whatever(legal: LegalActions) -> Choice:
    first = legal.actions[0]
    return Choice(first.kind, _total(first, 0.0) if first.kind in WAGERS else 0)
