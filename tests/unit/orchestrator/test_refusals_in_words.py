"""Refusals say what is wrong, what is allowed and where to look, in words of the caller."""

import pytest

from services.orchestrator.application.tournament_books import not_in_play
from services.orchestrator.domain import decisions
from services.orchestrator.rpc.table_readers import PRESET_PURPOSES
from shared.kernel.errors import DomainError, Reason, not_found
from shared.kernel.game import Mode
from shared.kernel.rules.presets import PRESETS
from tests.support.table_facts import opened, table_of

CASH, CUP = table_of(opened()), table_of(opened(mode=Mode.TOURNAMENT))


def test_a_tournament_that_is_not_in_play_is_looked_up_at_the_ledger() -> None:
    assert not_in_play("cup").message == (
        "there is no tournament cup in play: not started yet, or unknown; the tournament ledger's GetTournament tells"
    )


def test_what_is_not_found_says_where_to_look() -> None:
    assert not_found("table", "t", "ListTables gives all that there are").message == (
        "there is no table t: ListTables gives all that there are"
    )


def test_who_has_no_seat_is_told_how_to_get_one() -> None:
    with pytest.raises(DomainError, match="eve has no seat at table t: call Sit first"):
        decisions.sit_out(CASH, "eve")
    with pytest.raises(DomainError, match="GetTournament of cup tells where each player sits"):
        decisions.sit_out(CUP, "eve")


def test_who_leaves_without_a_seat_is_not_told_to_sit() -> None:
    with pytest.raises(DomainError, match="there is nothing to leave"):
        decisions.leave(CASH, "eve")


@pytest.mark.parametrize("player_id", ["ann", "eve"])
def test_nobody_leaves_a_tournament_seated_or_not(player_id: str) -> None:
    with pytest.raises(DomainError, match="nobody leaves a tournament") as refused:
        decisions.leave(CUP, player_id)
    assert refused.value.reason is Reason.NOT_PERMITTED


def test_presets_are_described_without_the_names_of_documents() -> None:
    assert set(PRESET_PURPOSES) == set(PRESETS)
    assert not any("document" in purpose for purpose in PRESET_PURPOSES.values())
