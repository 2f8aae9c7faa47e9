"""Stacks as large as can be bought, and won, are played with: nobody brings or wins so much that no hand begins."""

from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rules_pb2 import Level, RebuyTerms, RuleSet, Stakes, TournamentRules
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.tournament_service_pb2 import PLAY_STATE_FINISHED
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.betting.domain.checks import CHIPS_MAX
from services.tournament_ledger.domain.amounts import TABLE_CHIPS_MAX
from shared.kernel.errors import Reason
from shared.rpc.client import unpack_error
from tests.support.ledger_house import euro, fresh
from tests.support.table_suite import PlayedTable, TableSuite, card_room, open_table, stacks
from tests.support.tournament_lobby import quick
from tests.support.tournament_suite import TournamentSuite

BUY_IN_MAX = 10**15
"""The most that one purchase at a cash table brings."""
PLAYERS = ["ann", "bob", "cal"]


def without_a_most(rules: RuleSet) -> None:
    """Whoever has chips may buy more of them."""
    rules.cash.buy_in = option.BUY_IN_RANGE
    rules.cash.buy_in_max_chips = 2**62
    rules.cash.cash_add = option.CASH_ADD_BELOW_BUY_IN
    rules.cash.cash_stake_cap_minor = 0


async def bring(table: PlayedTable, player_id: str, chips: int) -> None:
    more = pb.AddChipsRequest(request_id=fresh(), table_id=table.table_id, player_id=player_id, chips=chips)
    await table.suite.tables.AddChips(more)


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[PlayedTable]:
    async with TableSuite(tmp_path) as running:
        opened = await open_table(running, card_room(buy_in=without_a_most))
        await opened.sit(*PLAYERS)
        riches = euro(4 * BUY_IN_MAX)
        await running.ledger.Deposit(ledger_pb.DepositRequest(request_id=fresh(), player_id="ann", amount=riches))
        yield opened


async def test_who_brings_more_than_one_purchase_may_keeps_nobody_from_the_next_hand(table: PlayedTable) -> None:
    await bring(table, "ann", BUY_IN_MAX)
    await bring(table, "ann", BUY_IN_MAX)
    await table.resume()
    view = await table.until(lambda table: table.HasField("turn"))
    assert sum(stacks(view).values()) + view.pot_total_chips == 2 * BUY_IN_MAX + 300


async def test_who_wins_the_largest_stacks_of_all_others_plays_on(tmp_path: Path) -> None:
    limit = BUY_IN_MAX // 20
    amounts = Stakes(
        ante_chips=limit // 5, bring_in_chips=limit // 2, lower_limit_chips=limit, upper_limit_chips=2 * limit
    )
    rules = quick(stack_chips=BUY_IN_MAX)
    del rules.overrides.tournament.levels[:]
    rules.overrides.tournament.levels.append(Level(stakes=amounts, level_seconds=0, level_hands=2, decision_seconds=0))
    async with TournamentSuite(tmp_path) as suite:
        tournament_id = await suite.announce(rules, PLAYERS)
        await suite.start(tournament_id)
        await suite.play(tournament_id)
        assert (await suite.view(tournament_id)).state == PLAY_STATE_FINISHED
        assert sum(each.chips for each in (await suite.standings(tournament_id)).values()) == 3 * BUY_IN_MAX


@pytest.mark.parametrize(
    "again",
    [
        TournamentRules(rebuy=RebuyTerms(max_count=1, last_level=1)),
        TournamentRules(re_entry_max_count=1, late_registration_last_level=1),
    ],
)
async def test_no_tournament_is_announced_in_which_one_stack_could_be_too_large(
    tmp_path: Path, again: TournamentRules
) -> None:
    most = CHIPS_MAX // 24 // 25 * 25  # eight players, each of whom may buy three stacks; 25 is the smallest chip
    async with TournamentSuite(tmp_path) as suite:
        for chips in (most, most + 25):
            rules = quick(stack_chips=chips)
            rules.overrides.tournament.MergeFrom(again)
            if chips == most:
                await suite.announce(rules, [])
                continue
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await suite.announce(rules, [])
            error = unpack_error(refused.value)
            assert error.reason is Reason.RULES_INVALID
            assert "24 stacks" in str(error)


def test_a_table_has_no_more_chips_than_one_seat_may_begin_a_hand_with() -> None:
    assert TABLE_CHIPS_MAX <= CHIPS_MAX
