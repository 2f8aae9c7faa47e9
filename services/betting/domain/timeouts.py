"""What is done for a seat whose clock ended or whose player is away (rules 130-137, 144, 145, 149)."""

from typing import NamedTuple

from services.betting.domain.act import check_turn
from services.betting.domain.actions import Action, ActionCause, ActionKind
from services.betting.domain.betting_round import Step
from services.betting.domain.bring_in import left_of
from services.betting.domain.facts import Facts
from services.betting.domain.play import freeze, play
from services.betting.domain.state import BettingPhase, BettingState, SeatBetting
from services.betting.domain.table import place_of
from shared.kernel.errors import DomainError, FieldViolation, Reason
from shared.kernel.frozen import evolve
from shared.kernel.game import Street
from shared.kernel.rules import (
    AbsentBringIn,
    AfterProtect,
    ClockRules,
    ProtectScope,
    SitOutPays,
    Timeout,
    TimeoutBringIn,
    TimeoutFree,
)


class Expiry(NamedTuple):
    """What was done for a seat, and what it means for its player."""

    state: BettingState
    facts: Facts
    sits_out: bool
    """The player goes to sit-out because of it."""
    protected: bool
    """The hand was protected by freezing; counts towards the limit of the session."""


def expire(state: BettingState, seat: int, cause: ActionCause, clock: ClockRules, protections_used: int) -> Expiry:
    """Act for the seat to act, as the clock rules say. Source: rules 130-137; documents 000 and 003, clock."""
    if cause is ActionCause.PLAYER:
        wanted = "one of CLOCK, ABSENT, DISCONNECTED: a player acts by Act"
        violation = FieldViolation("cause", wanted)
        raise DomainError(Reason.REQUEST_INVALID, f"cause: {wanted}", {"field": "cause"}, (violation,))
    check_turn(state, seat, "Expire")
    place = place_of(state, seat)
    if cause is ActionCause.ABSENT:
        return _for_absent(state, place, clock)
    if state.phase is BettingPhase.BRING_IN:
        step = _bring_in_expired(state, place, cause, clock)
    elif _freezes(state, state.seats[place], clock, protections_used):
        sits_out = clock.after_protect is AfterProtect.SIT_OUT or cause is ActionCause.DISCONNECTED
        return Expiry(*freeze(state, place, cause), sits_out=sits_out, protected=True)
    else:
        kind = ActionKind.CHECK if _checks(state, state.seats[place], clock) else ActionKind.FOLD
        step = play(state, place, Action(kind=kind, cause=cause))
    return Expiry(*step, sits_out=_sits_out(cause, clock), protected=False)


def _sits_out(cause: ActionCause, clock: ClockRules) -> bool:
    """A lost connection always ends in sit-out, a clock only where the rules say so (rules 130, 137, 148, 149)."""
    return cause is ActionCause.DISCONNECTED or clock.timeout is Timeout.CHECK_FOLD_SIT_OUT


def _is_free(state: BettingState, seat: SeatBetting) -> bool:
    return seat.street_chips >= state.price_chips


def _checks(state: BettingState, seat: SeatBetting, clock: ClockRules) -> bool:
    """A check where it is free, unless the rules give up the hand all the same (rules 130, 134, C32)."""
    if not _is_free(state, seat) or clock.timeout_free is TimeoutFree.FOLD:
        return False
    return clock.timeout_free is TimeoutFree.CHECK or clock.timeout is not Timeout.FREEZE_IF_BET


def _freezes(state: BettingState, seat: SeatBetting, clock: ClockRules, protections_used: int) -> bool:
    """The seat has bet and its protections are not used up: it is frozen for what is in (rules 132-136, C48)."""
    if clock.timeout is not Timeout.FREEZE_IF_BET:
        return False
    if _is_free(state, seat) and clock.timeout_free is not TimeoutFree.POLICY:
        return False
    limit = clock.protect_limit_per_session
    return (limit == 0 or protections_used < limit) and _has_bet(state, seat, clock)


def _has_bet(state: BettingState, seat: SeatBetting, clock: ClockRules) -> bool:
    """What protects: a wager in the hand or on the street, and the ante where it counts (rule 133, C34)."""
    by_street = clock.protect_scope is ProtectScope.STREET
    if seat.has_bet_on_street if by_street else seat.has_bet_in_hand:
        return True
    ante_is_recent = not by_street or state.street is Street.THIRD
    return clock.ante_counts_as_bet and ante_is_recent and seat.hand_chips > 0


def _bring_in_expired(state: BettingState, place: int, cause: ActionCause, clock: ClockRules) -> Step:
    """The opener's clock ended: the bring-in is posted, or the duty passes (rules 130, 135, 137, C33)."""
    option = clock.timeout_bring_in
    if option is TimeoutBringIn.POST:
        return play(state, place, Action(kind=ActionKind.BRING_IN, cause=cause))
    return _decline(state, place, cause, left=option is TimeoutBringIn.FOLD_PASS_LEFT)


def _decline(state: BettingState, place: int, cause: ActionCause, *, left: bool) -> Step:
    """Folded; the duty goes to the left where the rules say so, else on as when a player folds (rules 30, 35)."""
    passing = evolve(state, bring_in_order=left_of(state, place)) if left else state
    return play(passing, place, Action(kind=ActionKind.FOLD, cause=cause))


def _for_absent(state: BettingState, place: int, clock: ClockRules) -> Expiry:
    """A player who is away checks where it is free and folds to a wager; it sits out already (rules 144, 145)."""
    absent = ActionCause.ABSENT
    if state.phase is BettingPhase.BRING_IN:
        step = _absent_bring_in(state, place, clock)
    else:
        kind = ActionKind.CHECK if _is_free(state, state.seats[place]) else ActionKind.FOLD
        step = play(state, place, Action(kind=kind, cause=absent))
    return Expiry(*step, sits_out=False, protected=False)


def _absent_bring_in(state: BettingState, place: int, clock: ClockRules) -> Step:
    """The absent low card passes the duty on, or posts; where it posts and its hand is killed, both are told (C36)."""
    absent = ActionCause.ABSENT
    kills = clock.absent_bring_in is AbsentBringIn.POST_THEN_FOLD
    if not kills and clock.sit_out_pays is not SitOutPays.ANTE_AND_BRING_IN:
        return _decline(state, place, absent, left=False)
    posted = play(state, place, Action(kind=ActionKind.BRING_IN, cause=absent))
    return _kill(posted, place) if kills else posted


def _kill(posted: Step, place: int) -> Step:
    """Give up the hand right after the post; what was posted stays in the middle."""
    state = posted.state
    folded = play(state, place, Action(kind=ActionKind.FOLD, cause=ActionCause.ABSENT))
    return Step(folded.state, (*posted.facts, *folded.facts))
