"""What the house takes from the pots of a cash hand (rule 196)."""

from services.betting.domain.pots import Pot, contributor_count
from services.betting.domain.state import BettingState
from shared.kernel.game import Street
from shared.kernel.rules import RakeRules

WHOLE_BASIS_POINTS = 10_000
TWO = 2


def rake_of(state: BettingState, pots: tuple[Pot, ...], rules: RakeRules | None) -> tuple[int, ...]:
    """Chips taken from each pot, in the order of the pots.

    The share of all contested pots together, at most the cap, rounded down to the unit; then from each pot in
    proportion. A pot is contested where at least two seats put chips into it. Source: rule 196, C46.
    """
    none = (0,) * len(pots)
    if rules is None or (rules.no_fourth_street_no_rake and state.street is Street.THIRD):
        return none
    weights = tuple(pot.chips if contributor_count(state.seats, pots, pot) >= TWO else 0 for pot in pots)
    total = _total(sum(weights), len(state.seats), rules)
    return shares_by_weight(total, weights) if total else none


def _total(contested_chips: int, players: int, rules: RakeRules) -> int:
    share = contested_chips * rules.basis_points // WHOLE_BASIS_POINTS
    fitting = [cap for cap in rules.caps if cap.players_min <= players]
    if fitting:
        share = min(share, max(fitting, key=lambda cap: cap.players_min).cap_chips)
    return share - share % rules.unit_chips


def shares_by_weight(total: int, weights: tuple[int, ...]) -> tuple[int, ...]:
    """A total split in proportion to weights; the rest to the largest remainders, ties to the first."""
    whole = sum(weights)
    shares = [total * weight // whole for weight in weights]
    by_remainder = sorted(range(len(weights)), key=lambda at: (-(total * weights[at] % whole), at))
    for at in by_remainder[: total - sum(shares)]:
        shares[at] += 1
    return tuple(shares)
