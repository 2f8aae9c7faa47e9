"""What a newcomer's mistakes are answered with: each field by its path in the request, and what to do."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1.money_pb2 import Money
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import Level, RakeCap, Stakes
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1 import tournament_service_pb2 as tournaments
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_pb2 import START_KIND_ON_COMMAND, Announcement

from shared.kernel.errors import Reason
from shared.rpc.client import RemoteError
from tests.support.ledger_house import euro, fresh, refusal
from tests.support.servers import calling
from tests.support.table_suite import BACKEND, STAKES, TableSuite, card_room, open_table


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


def opening(rules: RuleSelection, stakes: Stakes = STAKES) -> pb.OpenTableRequest:
    return pb.OpenTableRequest(request_id=fresh(), name="Table", rules=rules, stakes=stakes, chip_value=euro(1))


def announcement(rules: RuleSelection, fee: Money) -> ledger_pb.AnnounceTournamentRequest:
    terms = Announcement(
        name="Cup",
        rules=rules,
        fee=fee,
        entrants_min=2,
        entrants_max=8,
        seats_per_table=8,
        start=START_KIND_ON_COMMAND,
    )
    return ledger_pb.AnnounceTournamentRequest(request_id=fresh(), tournament_id="cup", announcement=terms)


def fields(error: RemoteError) -> list[str]:
    return [each.field for each in error.violations]


async def test_a_cash_table_names_each_field_by_its_path_in_the_request(suite: TableSuite) -> None:
    rules = card_room()
    rules.overrides.cash.rake.basis_points = 10_000
    rules.overrides.clock.time_bank_seconds = 0
    rules.overrides.hand.raise_cap = 3
    error = await refusal(suite.house.OpenTable(opening(rules)))
    assert (error.reason, fields(error)) == (Reason.RULES_INVALID, ["rules.overrides.cash.rake.basis_points"])
    error = await refusal(suite.house.OpenTable(opening(RuleSelection(preset="regulated_tournament"))))
    assert (error.reason, fields(error)) == (Reason.RULES_INVALID, ["rules.overrides.hand.modes_allowed"])


async def test_a_rake_with_a_cap_may_take_the_whole_pot_up_to_it(suite: TableSuite) -> None:
    rules = card_room()
    rules.overrides.cash.rake.basis_points = 10_000
    rules.overrides.cash.rake.caps.append(RakeCap(players_min=1, cap_chips=3))
    assert (await suite.house.OpenTable(opening(rules))).table.table_id


async def test_stakes_name_all_that_is_missing_at_once(suite: TableSuite) -> None:
    error = await refusal(suite.house.OpenTable(opening(card_room(), Stakes(ante_chips=1))))
    missing = ["stakes.bring_in_chips", "stakes.lower_limit_chips", "stakes.upper_limit_chips"]
    assert (error.reason, fields(error)) == (Reason.REQUEST_INVALID, missing)


async def test_an_announcement_names_each_field_by_its_path_in_the_request(suite: TableSuite) -> None:
    rules = RuleSelection(preset="regulated_tournament")
    error = await refusal(suite.ledger.AnnounceTournament(announcement(rules, euro(75))))
    assert (error.reason, fields(error)) == (Reason.RULES_INVALID, ["announcement.fee.amount_minor"])
    rules.overrides.tournament.levels.append(Level(level_seconds=60))
    error = await refusal(suite.ledger.AnnounceTournament(announcement(rules, euro(100))))
    assert all(field.startswith("announcement.rules.overrides.tournament.levels[0].") for field in fields(error))


async def test_an_empty_request_is_told_of_its_id_once_and_of_the_actions_there_are(suite: TableSuite) -> None:
    error = await refusal(suite.tables.Act(pb.ActRequest(table_id="t", player_id="ann", turn_id=1)))
    assert fields(error) == ["request_id", "kind"]
    assert "ACTION_KIND_BRING_IN" in error.message


async def test_what_is_unknown_says_where_to_look(suite: TableSuite) -> None:
    error = await refusal(suite.tables.GetTable(pb.GetTableRequest(table_id="none")))
    assert error.message == "there is no table none: ListTables gives all that there are"
    error = await refusal(suite.tables.GetHand(pb.GetHandRequest(hand_id="none.1")))
    assert "ListHands" in error.message
    table = await open_table(suite, card_room())
    sit = pb.SitRequest(request_id=fresh(), table_id=table.table_id, player_id="eve", buy_in_chips=100)
    error = await refusal(suite.tables.Sit(sit))
    assert error.message == "there is no wallet eve/EUR: OpenAccount opens one for eve in EUR"
    await suite.ledger.OpenAccount(ledger_pb.OpenAccountRequest(request_id=fresh(), player_id="eve", currency="EUR"))
    sit.request_id, sit.buy_in_chips = fresh(), 99
    error = await refusal(suite.tables.Sit(sit))
    assert error.message == "99 chips cannot be bought: allowed is 100 chips"


async def test_a_tournament_before_its_start_is_looked_up_at_the_ledger(suite: TableSuite) -> None:
    rules = RuleSelection(preset="regulated_tournament")
    await suite.ledger.AnnounceTournament(announcement(rules, euro(100)))
    async with calling(suite.address, BACKEND) as channel:
        stub = TournamentServiceStub(channel)
        error = await refusal(stub.GetTournament(tournaments.GetTournamentRequest(tournament_id="cup")))
        assert "not started yet, or unknown; the tournament ledger's GetTournament tells" in error.message
        start = tournaments.StartTournamentRequest(request_id=fresh(), tournament_id="cup")
        error = await refusal(stub.StartTournament(start))
        assert error.message.startswith("the tournament has 0 entrants and needs 2: register more")


@pytest.mark.parametrize(("value_minor", "cap_minor"), [(0, 0), (2**63 - 1, 0), (2**62, 0), (101, 100_000)])
async def test_a_chip_that_nobody_could_pay_for_opens_no_table(
    suite: TableSuite, value_minor: int, cap_minor: int
) -> None:
    rules = card_room()
    rules.overrides.cash.cash_stake_cap_minor = cap_minor
    rules.overrides.cash.buy_in_min_chips = rules.overrides.cash.buy_in_max_chips = 1_000
    request = opening(rules)
    request.chip_value.amount_minor = value_minor
    error = await refusal(suite.house.OpenTable(request))
    assert (error.reason, fields(error)) == (Reason.REQUEST_INVALID, ["chip_value.amount_minor"])
    request.chip_value.amount_minor = 100 if cap_minor else 2**63 // 1_000
    assert (await suite.house.OpenTable(request)).table.table_id


@pytest.mark.parametrize("text", ["Friday\nnight", "\x1b[2JFriday", "Friday\u202e night", "Fri\u200bday", " "])
async def test_texts_for_people_that_would_not_show_as_what_they_are_are_refused(suite: TableSuite, text: str) -> None:
    table = opening(card_room())
    table.name = text
    cup = announcement(RuleSelection(preset="regulated_tournament"), euro(100))
    cup.announcement.name = text
    deposit = ledger_pb.DepositRequest(request_id=fresh(), player_id="anna", amount=euro(100), reference=text)
    pause = pb.PauseTableRequest(request_id=fresh(), table_id="t1", cause=text)
    found = [
        await refusal(suite.house.OpenTable(table)),
        await refusal(suite.ledger.AnnounceTournament(cup)),
        await refusal(suite.ledger.Deposit(deposit)),
        await refusal(suite.house.PauseTable(pause)),
    ]
    assert [(error.reason, fields(error)) for error in found] == [
        (Reason.REQUEST_INVALID, [field]) for field in ("name", "announcement.name", "reference", "cause")
    ]
    table.name = "Fr\u00edday \u2665"
    assert (await suite.house.OpenTable(table)).table.name == table.name
