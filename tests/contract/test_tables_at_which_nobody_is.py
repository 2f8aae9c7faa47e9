"""However many tables there are at which nobody is, and however fast their rules have them play, others are served."""

from collections import Counter
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import Level, Stakes
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.orchestrator.application.driver import Driver
from services.orchestrator.domain.next_step import Await
from services.orchestrator.domain.table import Table
from tests.support.ledger_house import fresh
from tests.support.tournament_suite import TournamentSuite
from tests.support.waiting import until

TOURNAMENTS = 4
HANDS, MORE = 5, 20
STAKES = Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=5, upper_limit_chips=10)


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TournamentSuite]:
    async with TournamentSuite(tmp_path) as running:
        yield running


def without_end() -> RuleSelection:
    """Deep stacks, and no pause between hands, whoever is away."""
    selection = RuleSelection(preset="regulated_tournament")
    clock = selection.overrides.clock
    clock.decision_seconds, clock.time_bank_seconds, clock.showdown_seconds, clock.all_away_seconds = 1, 0, 0, 0
    terms = selection.overrides.tournament
    terms.starting_stack_chips = 10**12
    terms.levels.append(Level(stakes=STAKES, level_seconds=0, level_hands=1_000_000, decision_seconds=0))
    return selection


class Steps:
    """How many tables were taking a step at once, and how many each took, since ``begin``."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at_once = self.most = 0
        self.taken = Counter[str]()
        before = Driver._step

        async def counted(driver: Driver) -> Await | None:
            self.at_once += 1
            self.most = max(self.most, self.at_once)
            self.taken[driver._actor.table_id] += 1
            try:
                return await before(driver)
            finally:
                self.at_once -= 1

        monkeypatch.setattr(Driver, "_step", counted)

    def begin(self) -> None:
        self.most = 0
        self.taken.clear()


def table_of(suite: TournamentSuite, table_id: str) -> Table:
    """As its log has it."""
    actor = suite.orchestrator.tables.at_hand(table_id)
    assert actor is not None
    return actor.table


def hands(suite: TournamentSuite, table_id: str) -> int:
    """Hands that were begun at it."""
    return table_of(suite, table_id).hand_number


async def leave_alone(suite: TournamentSuite, number: int) -> str:
    """A tournament whose two players are away."""
    players = [f"ann{number}", f"bob{number}"]
    (table_id,) = (await suite.start(await suite.announce(without_end(), players))).table_ids
    for player_id in players:
        await suite.tables.SitOut(pb.SitOutRequest(request_id=fresh(), table_id=table_id, player_id=player_id))
    return table_id


async def test_they_play_on_one_step_at_a_time_and_who_comes_back_is_not_kept_waiting(
    suite: TournamentSuite, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = Steps(monkeypatch)
    table_ids = [await leave_alone(suite, number) for number in range(TOURNAMENTS)]

    await until(lambda: min(hands(suite, each) for each in table_ids) >= HANDS)
    steps.begin()
    before = sum(hands(suite, each) for each in table_ids)
    await until(lambda: sum(hands(suite, each) for each in table_ids) >= before + MORE)
    assert steps.most == 1
    assert min(steps.taken[each] for each in table_ids) > max(steps.taken[each] for each in table_ids) / 2
    table_id = table_ids[0]
    await suite.tables.Return(pb.ReturnRequest(request_id=fresh(), table_id=table_id, player_id="ann0"))
    version = table_of(suite, table_id).version
    await until(lambda: table_of(suite, table_id).version > version)
