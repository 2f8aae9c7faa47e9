"""The ranking kept from version to version is the one that sorting everybody anew would give."""

from dataclasses import replace
from types import MappingProxyType
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from services.tournament_ledger.domain.ranking import Ranking, ranking_of
from services.tournament_ledger.domain.tournament import Entrant, EntrantState, Tournament

MANY = 24
changes = st.tuples(
    st.integers(0, MANY - 1),
    st.sampled_from(EntrantState),
    st.integers(0, 5),
    st.integers(0, MANY),
)


class Told:
    """A tournament, as far as a ranking looks at it."""

    def __init__(self, entrants: dict[str, Entrant]) -> None:
        self.entrants = MappingProxyType(entrants)


def told(entrants: dict[str, Entrant]) -> Tournament:
    return cast("Tournament", Told(entrants))


def entrant(number: int) -> Entrant:
    return Entrant(player_id=f"p{number}", number=number + 1)


def order(ranking: Ranking) -> list[str]:
    return [line.player_id for line in ranking.lines(0, len(ranking.order))]


@given(st.lists(st.lists(changes, max_size=4), max_size=8), st.integers(1, MANY))
def test_a_ranking_that_follows_is_one_sorted_anew(
    versions: list[list[tuple[int, EntrantState, int, int]]], at_first: int
) -> None:
    entrants = {each.player_id: each for each in map(entrant, range(at_first))}
    ranking = ranking_of(told(entrants))
    for version in versions:
        entrants = dict(entrants)
        for number, state, chips, place in version:
            known = entrants.get(f"p{number}", entrant(number))
            entrants[f"p{number}"] = replace(known, state=state, chips=chips, place=place)
        ranking = ranking_of(told(entrants), ranking)
        assert ranking == ranking_of(told(entrants))
        assert len(order(ranking)) == len(entrants)


def test_in_play_by_chips_then_who_decides_then_by_place_then_who_withdrew() -> None:
    states = {
        "gone": (EntrantState.WITHDRAWN, 0, 0),
        "third": (EntrantState.OUT, 0, 3),
        "second": (EntrantState.OUT, 0, 2),
        "deciding": (EntrantState.DECIDING, 0, 0),
        "short": (EntrantState.PLAYING, 10, 0),
        "deep": (EntrantState.PLAYING, 30, 0),
    }
    entrants = {
        name: Entrant(player_id=name, number=number, state=state, chips=chips, place=place)
        for number, (name, (state, chips, place)) in enumerate(states.items(), start=1)
    }
    ranking = ranking_of(told(entrants))
    assert order(ranking) == ["deep", "short", "deciding", "second", "third", "gone"]
    assert [line.player_id for line in ranking.lines(1, 3)] == ["short", "deciding"]
    assert ranking_of(told(entrants), ranking) == ranking
