"""An action asked for by a player: applied exactly as asked, or refused with what is legal (rules 13, 69, 70)."""

from services.betting.domain.actions import WAGERS, Action, LegalAction, allowed_text, legal_text
from services.betting.domain.betting_round import Step
from services.betting.domain.legal import legal_actions
from services.betting.domain.play import play
from services.betting.domain.state import TURN_PHASES, BettingPhase, BettingState
from services.betting.domain.table import place_of
from shared.kernel.errors import DomainError, FieldViolation, Reason, out_of_step


def act(state: BettingState, seat: int, action: Action) -> Step:
    """The hand after an action of the seat to act; a refusal changes nothing and names what is legal."""
    _check_form(action)
    check_turn(state, seat, "Act")
    legal = legal_actions(state)
    if legal is None:
        raise AssertionError("a seat is to act, so something is legal")
    _check_amount(action, _offered(action, legal.actions))
    return play(state, place_of(state, seat), action)


def check_turn(state: BettingState, seat: int, step: str) -> None:
    """Refuse where no betting is open, or where it is another seat's turn."""
    if state.phase not in TURN_PHASES:
        raise out_of_step(step, expected_step(state.phase))
    if seat != state.turn_seat:
        raise DomainError(
            Reason.NOT_YOUR_TURN,
            f"seat {seat} is not to act: it is the turn of seat {state.turn_seat}",
            {"seat": str(seat), "turn_seat": str(state.turn_seat)},
        )


def expected_step(phase: BettingPhase) -> str:
    """The step that a phase waits for, for a refusal of another one."""
    if phase in TURN_PHASES:
        return "Act or Expire"
    if phase is BettingPhase.BETWEEN_STREETS:
        return "OpenStreet"
    return "OpenHand of another hand" if phase is BettingPhase.SETTLED else "Settle"


def _check_form(action: Action) -> None:
    """A wager names its street total, every other action names none; nothing is guessed or adjusted."""
    wager = action.kind in WAGERS
    if wager and action.to_chips < 1:
        _refuse_form(f"{action.kind} needs the street total, 1 or more", action)
    if not wager and action.to_chips != 0:
        _refuse_form(f"{action.kind} takes no amount: leave to_chips unset", action)


def _refuse_form(problem: str, action: Action) -> None:
    text = f"to_chips: {problem}; {action.to_chips} was sent"
    raise DomainError(Reason.REQUEST_INVALID, text, {"field": "to_chips"}, (FieldViolation("to_chips", problem),))


def _offered(action: Action, legal: tuple[LegalAction, ...]) -> LegalAction:
    for each in legal:
        if each.kind is action.kind:
            return each
    listed = legal_text(legal)
    raise DomainError(
        Reason.ACTION_NOT_LEGAL,
        f"{action.kind} is not legal now; legal: {listed}",
        {"action": str(action.kind), "legal": listed},
    )


def _check_amount(action: Action, legal: LegalAction) -> None:
    """The amount must be one of those offered."""
    if legal.kind not in WAGERS:
        return
    amount = action.to_chips
    if amount in legal.to_chips_choices or legal.to_chips_min <= amount <= legal.to_chips_max:
        return
    allowed = allowed_text(legal)
    raise DomainError(
        Reason.AMOUNT_NOT_LEGAL,
        f"{action.kind} to {amount} is not allowed; allowed: {allowed}",
        {"amount_chips": str(amount), "allowed": allowed},
    )
