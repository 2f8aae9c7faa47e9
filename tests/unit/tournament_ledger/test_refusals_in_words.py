"""Refusals say in plain words where a tournament stands and what may be bought."""

import pytest

from services.tournament_ledger.domain.refusals import wrong_state
from services.tournament_ledger.domain.tournament import TournamentState


def test_the_state_of_a_tournament_is_said_in_words() -> None:
    refusal = wrong_state(TournamentState.FINISHED, TournamentState.REGISTERING)
    assert refusal.message == (
        "the tournament is over and paid out (FINISHED): "
        "this is possible only while the tournament has not started and takes registrations (REGISTERING)"
    )
    assert refusal.metadata == {"state": "FINISHED", "needed": "REGISTERING"}


@pytest.mark.parametrize("state", list(TournamentState))
def test_every_state_has_words_and_several_may_do(state: TournamentState) -> None:
    message = wrong_state(state, TournamentState.REGISTERING, TournamentState.RUNNING).message
    assert message.endswith("or while the tournament is being played (REGISTERING or RUNNING)")
