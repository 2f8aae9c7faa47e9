"""Every action offered is accepted, and every other one is refused and changes nothing (rules 13, 69, 70)."""

from collections.abc import Iterator

from services.betting.application import hands as betting
from services.betting.application.commands import Act
from services.betting.domain.actions import WAGERS, ActionKind, LegalAction, LegalActions
from services.betting.domain.checks import start_chips, table_chips
from services.betting.domain.state import BettingState
from shared.kernel.errors import DomainError, Reason

_REFUSALS = {Reason.ACTION_NOT_LEGAL, Reason.AMOUNT_NOT_LEGAL, Reason.REQUEST_INVALID}
_ALL_TRIED = 40
"""A range up to this wide is tried chip by chip; of a wider one its ends, its middle and their neighbours."""


def check_offers(state: BettingState, turn: LegalActions) -> int:
    """Try everything at one turn; answers with how many actions were tried."""
    tried, before = 0, repr(state)
    offered = {each.kind: each for each in turn.actions}
    for kind in ActionKind:
        good, bad = _amounts(state, kind, offered.get(kind))
        for amount in good:
            _accepted(Act(state=state, seat=turn.seat, kind=kind, to_chips=amount))
        for amount in bad:
            _refused(Act(state=state, seat=turn.seat, kind=kind, to_chips=amount))
        tried += len(good) + len(bad)
    for seat in range(10):
        if seat != turn.seat:
            _refused(Act(state=state, seat=seat, kind=turn.actions[0].kind, to_chips=0), Reason.NOT_YOUR_TURN)
            tried += 1
    assert repr(state) == before, "a step changed the state it was given"
    return tried


def _amounts(state: BettingState, kind: ActionKind, legal: LegalAction | None) -> tuple[set[int], set[int]]:
    """Amounts to be accepted and amounts to be refused."""
    if kind not in WAGERS:
        return (set() if legal is None else {0}), {1, state.price_chips + 1} | ({0} if legal is None else set())
    seat = next(each for each in state.seats if each.seat == state.turn_seat)
    reach = seat.stack_chips + seat.street_chips
    tried = {-1, 0, 1, state.price_chips, state.stakes.lower_limit_chips, state.stakes.upper_limit_chips, reach}
    tried |= {reach + 1, 10 * reach}
    good = set[int]() if legal is None else set(_offered(legal))
    tried |= {near for amount in good for near in (amount - 1, amount + 1)}
    if legal is not None and not legal.to_chips_choices:
        return good, {amount for amount in tried if not legal.to_chips_min <= amount <= legal.to_chips_max}
    return good, tried - good


def _offered(legal: LegalAction) -> Iterator[int]:
    if legal.to_chips_choices:
        yield from legal.to_chips_choices
        return
    least, most = legal.to_chips_min, legal.to_chips_max
    yield from range(least, most + 1) if most - least < _ALL_TRIED else (least, least + 1, (least + most) // 2, most)


def _accepted(command: Act) -> None:
    after = betting.act(command).outcome.state
    assert start_chips(after) == table_chips(after), f"{command.kind} {command.to_chips} made or lost chips"


def _refused(command: Act, reason: Reason | None = None) -> None:
    refusal = _refusal_of(command)
    assert refusal is not None, f"{command.kind} {command.to_chips} of seat {command.seat} was accepted, not offered"
    wanted = _REFUSALS if reason is None else {reason}
    assert refusal.reason in wanted, f"refused by {refusal.reason}"


def _refusal_of(command: Act) -> DomainError | None:
    try:
        betting.act(command)
    except DomainError as refusal:
        return refusal
    return None
