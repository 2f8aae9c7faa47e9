"""Hand for hand: when it begins, which table plays, which waits, when a round is over (rules 185, 186, C43)."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from services.orchestrator.domain.tournament import Tournament
from shared.kernel.rules import Formula, HandForHandAcrossTables, TournamentRules

_PLAYERS_OF_A_HAND = 2


@dataclass(frozen=True, slots=True)
class BeginHandForHand:
    """All tables play one hand, the running ones included, and wait for each other."""

    round: int


@dataclass(frozen=True, slots=True)
class EndHandForHand:
    """Every table that can play has played: the exclusions of the round are ranked as those of one hand."""

    round: int


def paid_places(prizes_minor: Sequence[int], rules: TournamentRules) -> int:
    """Places that the players fight for: those paid, or the seats of a satellite; 0 while they are not known."""
    if rules.satellite_seat_minor:
        return sum(prize == rules.satellite_seat_minor for prize in prizes_minor)
    return sum(prize > 0 for prize in prizes_minor)


def begins(state: Tournament, places: int) -> bool:
    """Is it near enough to the prizes, not beyond, and no round open (rule 186)?"""
    rules = state.rules.tournament
    if rules.hand_for_hand_across_tables is HandForHandAcrossTables.OFF or rules.formula is not Formula.MULTI_TABLE:
        return False
    left = len(state.players)
    if state.ended or state.hand_for_hand_round:
        return False
    return len(state.tables) > 1 and 0 < places < left <= places + rules.hand_for_hand_margin


def played(state: Tournament, table_id: str) -> bool:
    """Has the table played its hand of the round?"""
    return state.tables[table_id].hand_for_hand_round == state.hand_for_hand_round


def is_over(state: Tournament, stuck: AbstractSet[str]) -> bool:
    """Has every table played that can? ``stuck``: tables that found too few players with chips."""
    counts = state.counts()
    return all(
        played(state, table_id) or counts[table_id] < _PLAYERS_OF_A_HAND or table_id in stuck
        for table_id in state.tables
    )
