"""Ids of tournament tables: a tournament never plays at a table that is not its own."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import Stakes
from sevenstud.orchestrator.v1 import table_service_pb2 as table_pb
from sevenstud.orchestrator.v1 import tournament_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_pb2 import TOURNAMENT_STATE_REGISTERING

from services.orchestrator.application.actor import Change
from services.orchestrator.application.tournament_names import (
    TABLE_ID_MAX,
    final_table_id,
    names_a_tournaments_table,
    table_id_of,
)
from services.orchestrator.application.tournament_tables import DirectedTables
from services.orchestrator.domain.recording import hand_id_of
from services.orchestrator.domain.table_facts import TableOpened
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Mode
from shared.kernel.rules.presets import PRESETS
from tests.support.ledger_house import euro, fresh, refusal, refused
from tests.support.tables_opened import open_table_request
from tests.support.tournament_lobby import quick
from tests.support.tournament_suite import TournamentSuite


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TournamentSuite]:
    async with TournamentSuite(tmp_path) as running:
        yield running


@pytest.mark.parametrize("label", ["1", "final"])
async def test_a_tournament_never_takes_over_a_table_of_another_game(suite: TournamentSuite, label: str) -> None:
    tournament_id = await suite.announce(quick(), ["ann", "bob"])
    table_id = f"{tournament_id}.{label}"
    await suite.orchestrator.tables.create(table_id, Change(facts=(_opened_for("another"),)))
    start = pb.StartTournamentRequest(request_id=fresh(), tournament_id=tournament_id)
    assert await refused(suite.tournaments.StartTournament(start), Reason.ALREADY_EXISTS) == {
        "kind": "table",
        "id": table_id,
    }
    request = ledger_pb.GetTournamentRequest(tournament_id=tournament_id)
    assert (await suite.ledger.GetTournament(request)).tournament.state == TOURNAMENT_STATE_REGISTERING
    await refused(
        suite.tournaments.GetTournament(pb.GetTournamentRequest(tournament_id=tournament_id)), Reason.NOT_FOUND
    )


async def test_a_table_id_is_opened_again_for_its_own_tournament_only(suite: TournamentSuite) -> None:
    directed, opened = DirectedTables(suite.orchestrator.tables), _opened_for("sunday")
    for _ in range(2):
        await directed.open_tournament_table("sunday.9", opened.name, "sunday", opened.rules, opened.stakes)
    with pytest.raises(DomainError) as refusal:
        await directed.open_tournament_table("sunday.9", opened.name, "monday", opened.rules, opened.stakes)
    assert refusal.value.reason is Reason.ALREADY_EXISTS


@pytest.mark.parametrize("label", ["1", "12", "final"])
async def test_no_cash_table_has_an_id_of_a_tournaments_table(suite: TournamentSuite, label: str) -> None:
    request = table_pb.OpenTableRequest(
        request_id=fresh(),
        table_id=f"sunday.{label}",
        name="Cash",
        rules=RuleSelection(preset="card_room"),
        stakes=Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=5, upper_limit_chips=10),
        chip_value=euro(1),
    )
    await refused(suite.tables.OpenTable(request), Reason.REQUEST_INVALID)


@pytest.mark.parametrize("length", [TABLE_ID_MAX, TABLE_ID_MAX + 1])
async def test_a_table_whose_hands_would_have_ids_that_another_table_can_have_is_not_opened(
    suite: TournamentSuite, length: int
) -> None:
    """Who had opened that one before, and played there, had the long one void its hands and wait for ever."""
    opening = suite.tables.OpenTable(open_table_request("a" * length))
    if length == TABLE_ID_MAX:
        assert (await opening).table.table_id == "a" * length
    else:
        assert "table_id: at most 53 characters" in str(await refusal(opening))


@pytest.mark.parametrize("length", range(1, 65))
def test_the_ids_of_a_tournaments_hands_begin_with_its_table(length: int) -> None:
    tournament_id = "a" * length
    for table_id in (table_id_of(tournament_id, 1), table_id_of(tournament_id, 9999), final_table_id(tournament_id)):
        assert names_a_tournaments_table(table_id)
        assert hand_id_of(table_id, 10**10 - 1) == f"{table_id}.{10**10 - 1}"


def _opened_for(tournament_id: str) -> TableOpened:
    rules = PRESETS["regulated_tournament"]
    return TableOpened(
        name="Taken",
        mode=Mode.TOURNAMENT,
        tournament_id=tournament_id,
        stakes=rules.tournament.levels[0].stakes,
        rules=rules,
        scripted=False,
        level=1,
        decision_seconds=0,
        hands_max=0,
        scripted_hands=(),
    )
