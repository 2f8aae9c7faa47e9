"""Entrants, best first, kept from one version of a tournament to the next: few of thousands change in a hand."""

from bisect import insort
from collections.abc import Mapping
from dataclasses import dataclass

from services.tournament_ledger.domain.standings import Standing, best_first, standing_of
from services.tournament_ledger.domain.tournament import Entrant, Tournament

Place = tuple[tuple[int, int, int, int], str]
"""What an entrant is sorted by, and its player."""
ANEW_FROM = 8
"""Sorted anew where more than one in so many entrants changed."""


@dataclass(frozen=True, slots=True)
class Ranking:
    """Everybody at one version: in play by chips, then deciding, then by place; those who withdrew come last."""

    entrants: Mapping[str, Entrant]
    order: tuple[Place, ...]

    def lines(self, start: int, end: int) -> tuple[Standing, ...]:
        """The standings from a line on, up to another."""
        return tuple(standing_of(self.entrants[player_id]) for _, player_id in self.order[start:end])


def ranking_of(tournament: Tournament, before: Ranking | None = None) -> Ranking:
    """The ranking of a tournament, made from one of an earlier version where there is one."""
    entrants = tournament.entrants
    if before is None:
        return Ranking(entrants, _sorted(entrants))
    known = before.entrants
    if known is entrants:
        return before
    changed = {player_id: each for player_id, each in entrants.items() if known.get(player_id) is not each}
    if len(changed) * ANEW_FROM > len(entrants) or not entrants.keys() >= known.keys():
        return Ranking(entrants, _sorted(entrants))
    order = [place for place in before.order if place[1] not in changed]
    for player_id, entrant in changed.items():
        insort(order, (best_first(entrant), player_id))
    return Ranking(entrants, tuple(order))


def _sorted(entrants: Mapping[str, Entrant]) -> tuple[Place, ...]:
    return tuple(sorted((best_first(each), player_id) for player_id, each in entrants.items()))
