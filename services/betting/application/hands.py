"""The steps of a hand: checked before, played by the rules, and counted to the chip afterwards (rule 106)."""

from collections import Counter

from services.betting.application.commands import (
    Act,
    Answer,
    Expire,
    Expired,
    OpenHand,
    OpenStreet,
    PotResult,
    Settle,
    Settled,
)
from services.betting.domain import act as actions
from services.betting.domain import opening, settlement, timeouts
from services.betting.domain.actions import action_of
from services.betting.domain.betting_round import Step
from services.betting.domain.checks import CHIPS_MAX, check_state, check_street, start_chips, table_chips
from services.betting.domain.outcome import outcome_of
from services.betting.domain.state import BettingState
from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.kernel.frozen import maker
from shared.kernel.rules.validation import check_hand_rules, check_stakes, refuse_rules

_answered = maker(Answer)


def open_hand(command: OpenHand) -> Answer:
    """A hand with the antes taken; rules and amounts that make no sense together are refused (rules 16, 28, 42)."""
    rules = command.rules
    refuse_rules((*check_hand_rules(rules, "rules"), *check_stakes(command.stakes, rules)))
    stacks = tuple((each.seat, each.stack_chips) for each in command.seats)
    _check_stacks(stacks, rules.seats_max)
    if command.last_two_of_event and len(stacks) != opening.TWO:
        _refuse("last_two_of_event", f"false where {len(stacks)} seats are dealt in")
    step = opening.open_hand(rules, command.stakes, stacks, last_two_of_event=command.last_two_of_event)
    return _answer(step)


def open_street(command: OpenStreet) -> Answer:
    """The betting of a street opened, or closed at once where nobody can bet."""
    check_state(command.state)
    check_street(command.state, command.street, command.opening_order, command.open_pair_seats)
    step = opening.open_street(command.state, command.street, command.opening_order, command.open_pair_seats)
    return _answer(step)


def act(command: Act) -> Answer:
    """An action applied exactly as asked, or refused with what is legal."""
    check_state(command.state)
    action = action_of(kind=command.kind, to_chips=command.to_chips)
    return _answer(actions.act(command.state, command.seat, action))


def expire(command: Expire) -> Expired:
    """What the clock rules do for a seat whose clock ended or whose player is away."""
    check_state(command.state)
    state, seat, cause = command.state, command.seat, command.cause
    expiry = timeouts.expire(state, seat, cause, command.clock_rules, command.protections_used)
    _count(expiry.state, 0)
    outcome = outcome_of(expiry.state, expiry.facts)
    return Expired(outcome=outcome, sits_out=expiry.sits_out, protected=expiry.protected)


def settle(command: Settle) -> Settled:
    """The pots paid to the last odd chip."""
    check_state(command.state)
    paid = settlement.settle(command.state, _winners(command.results), command.rake)
    _count(paid.state, paid.rake_chips)
    return Settled(outcome=outcome_of(paid.state, ()), awards=paid.awards, rake_chips=paid.rake_chips)


def _answer(step: Step) -> Answer:
    _count(step.state, 0)
    return _answered(outcome=outcome_of(step.state, step.facts))


def _count(state: BettingState, rake_chips: int) -> None:
    """No chip is made or lost by a step; a difference is a fault of ours, never of the caller."""
    before, after = start_chips(state), table_chips(state) + rake_chips
    if before != after:
        raise AssertionError(f"a step made {before} chips into {after}")


def _check_stacks(stacks: tuple[tuple[int, int], ...], seats_max: int) -> None:
    """Two seats at least, each once, each with chips, no more than the table has."""
    if not opening.TWO <= len(stacks) <= seats_max:
        _refuse("seats", f"2 to {seats_max} seats are dealt in; {len(stacks)} were sent")
    doubled = [seat for seat, times in Counter(seat for seat, _ in stacks).items() if times > 1]
    if doubled:
        _refuse("seats", f"name each seat once; seat {doubled[0]} is named twice")
    for place, (seat, chips) in enumerate(stacks):
        if not 1 <= chips <= CHIPS_MAX:
            _refuse(f"seats[{place}].stack_chips", f"1 to {CHIPS_MAX}; seat {seat} has {chips}")


def _winners(results: tuple[PotResult, ...]) -> dict[int, tuple[int, ...]]:
    winners = {result.pot_index: result.winner_seats for result in results}
    if len(winners) < len(results):
        _refuse("results", "name each pot once")
    return winners


def _refuse(field: str, description: str) -> None:
    violation = FieldViolation(field, description)
    raise DomainError(Reason.REQUEST_INVALID, f"{field}: {description}", {"field": field}, (violation,))
