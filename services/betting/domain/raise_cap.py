"""How many raises a limit round allows, with more and with two players (rules 49-52)."""

from services.betting.domain.state import BettingState
from services.betting.domain.table import able_count, live_count
from shared.kernel.game import Structure
from shared.kernel.rules import HeadsUpCap

_LIMIT = Structure.LIMIT
_NUMBER, _LAST_TWO_OF_EVENT = HeadsUpCap.NUMBER, HeadsUpCap.LAST_TWO_OF_EVENT
_STREET_START, _LIFT_ANYTIME = HeadsUpCap.STREET_START, HeadsUpCap.LIFT_ANYTIME
_LIFT_BEFORE_CAP = HeadsUpCap.LIFT_BEFORE_CAP
"""By names of the module: looking up a member of an enum costs more than comparing it."""

TWO = 2


def cap_reached(state: BettingState) -> bool:
    """No raise is left in the round; pot limit and no limit have no cap (rules 49, 51, 64, 65)."""
    if state.rules.structure is not _LIMIT:
        return False
    cap = raise_cap(state)
    return cap is not None and state.raises_made >= cap


def raise_cap(state: BettingState) -> int | None:
    """Raises that the round allows now; None = no cap. Source: rule 51; documents 000 and 003, betting."""
    rules = state.rules
    if rules.heads_up_cap is _NUMBER and two_left(state):
        return rules.heads_up_raise_cap
    if rules.raise_cap == 0 or state.cap_lifted:
        return None
    return rules.raise_cap


def two_left(state: BettingState) -> bool:
    """The pot is two-handed; whether all-in and frozen seats count as players is an option (C12)."""
    if state.rules.heads_up_counts_all_in:
        return live_count(state) == TWO
    return able_count(state) <= TWO


def lifted_at_start(state: BettingState) -> bool:
    """The cap is lifted from the first action of a street on (rules 51, 52)."""
    option = state.rules.heads_up_cap
    if option is _LAST_TWO_OF_EVENT:
        return state.last_two_of_event
    return (option is _STREET_START and two_left(state)) or lifted_now(state)


def lifted_now(state: BettingState) -> bool:
    """The cap is lifted after the last action; once lifted it stays so for the street (rule 51)."""
    if state.cap_lifted:
        return True
    option = state.rules.heads_up_cap
    if option is _LIFT_ANYTIME:
        return two_left(state)
    if option is _LIFT_BEFORE_CAP:
        return two_left(state) and state.raises_made < state.rules.raise_cap
    return False
