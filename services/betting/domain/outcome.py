"""The answer of every betting step: the state to keep, what happened, whose turn, what the pots are."""

from dataclasses import dataclass
from enum import StrEnum

from services.betting.domain.actions import LegalActions
from services.betting.domain.facts import Facts
from services.betting.domain.legal import legal_actions
from services.betting.domain.pots import Pot, middle_chips, pots_of
from services.betting.domain.state import BettingPhase, BettingState
from shared.kernel.frozen import maker


class NextStep(StrEnum):
    """What the caller does next."""

    ACT = "ACT"  # Ask the seat to act.
    DEAL_STREET = "DEAL_STREET"  # Deal the next street, order the boards and open it.
    SHOWDOWN = "SHOWDOWN"  # Compare the hands and settle.
    UNCONTESTED = "UNCONTESTED"  # Settle without showing; one live seat is left.
    END = "END"  # The hand is paid.


_NEXT = {
    BettingPhase.BETWEEN_STREETS: NextStep.DEAL_STREET,
    BettingPhase.BRING_IN: NextStep.ACT,
    BettingPhase.ROUND: NextStep.ACT,
    BettingPhase.SHOWDOWN: NextStep.SHOWDOWN,
    BettingPhase.UNCONTESTED: NextStep.UNCONTESTED,
    BettingPhase.SETTLED: NextStep.END,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class BettingOutcome:
    """Where the betting stands after a step."""

    state: BettingState
    facts: Facts
    """What happened, in order."""
    next: NextStep
    turn: LegalActions | None
    """Whose turn and what is legal, where somebody is to act."""
    pots: tuple[Pot, ...]
    """Pots over all chips put in so far."""
    pot_total_chips: int
    """Every chip in the middle."""


_outcome = maker(BettingOutcome)


def outcome_of(state: BettingState, facts: Facts) -> BettingOutcome:
    """Everything that a caller needs after a step."""
    return _outcome(
        state=state,
        facts=facts,
        next=_NEXT[state.phase],
        turn=legal_actions(state),
        pots=pots_of(state.seats),
        pot_total_chips=middle_chips(state.seats),
    )
