"""Hands played anyhow, in every structure and with every number of players: nothing is lost, nothing is voided."""

import random
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
from sevenstud.common.v1.betting_pb2 import ACTION_KIND_COMPLETE, ACTION_KIND_FOLD, LegalAction
from sevenstud.common.v1.game_pb2 import (
    MODE_CASH,
    STRUCTURE_LIMIT,
    STRUCTURE_NO_LIMIT,
    STRUCTURE_POT_LIMIT,
    Structure,
)
from sevenstud.common.v1.rule_options_pb2 import ALL_IN_EXPOSURE_IMMEDIATE, ALL_IN_EXPOSURE_SHOWDOWN_ORDER
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.console.domain.phh_file import read_hands
from services.console.domain.recorded_hand import RecordedHand
from tests.support.ledger_house import fresh
from tests.support.table_suite import PlayedTable, TableSuite, kinds, open_table

HANDS = 4
STACK = 100


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        yield running


def rules(structure: Structure.ValueType, preset: str, chance: random.Random) -> RuleSelection:
    """A house's rules for cash, with or without rake and open all-ins."""
    selection = RuleSelection(preset=preset)
    overrides = selection.overrides
    overrides.clock.showdown_seconds = 0
    overrides.hand.structure = structure
    overrides.hand.modes_allowed.append(MODE_CASH)
    overrides.hand.structures_allowed.extend((STRUCTURE_LIMIT, STRUCTURE_POT_LIMIT, STRUCTURE_NO_LIMIT))
    overrides.hand.all_in_exposure = chance.choice((ALL_IN_EXPOSURE_IMMEDIATE, ALL_IN_EXPOSURE_SHOWDOWN_ORDER))
    overrides.cash.buy_in_min_chips = overrides.cash.buy_in_max_chips = STACK
    overrides.cash.rake.basis_points = chance.choice((0, 500))
    return selection


def choice(actions: list[LegalAction], chance: random.Random, folding_share: float) -> tuple[LegalAction, int]:
    """Any legal action, and any legal amount for it."""
    stays = [action for action in actions if action.kind != ACTION_KIND_FOLD or chance.random() < folding_share]
    action = chance.choice(stays or actions)
    if action.kind < ACTION_KIND_COMPLETE:
        return action, 0
    if action.to_chips_choices:
        return action, chance.choice(list(action.to_chips_choices))
    return action, chance.randint(action.to_chips_min, action.to_chips_max)


async def play(table: PlayedTable, chance: random.Random, folding_share: float) -> table_pb2.TableView:
    """Until all hands are played or one player has everything."""
    turn_id = 0
    while True:
        view = await table.until(_later_than(turn_id))
        if not view.HasField("turn"):
            return view
        action, to_chips = choice(list(view.turn.legal.actions), chance, folding_share)
        request = pb.ActRequest(
            request_id=fresh(),
            table_id=table.table_id,
            player_id=view.turn.player_id,
            turn_id=view.turn.turn_id,
            kind=action.kind,
            to_chips=to_chips,
        )
        await table.suite.tables.Act(request)
        turn_id = view.turn.turn_id


def _later_than(turn_id: int) -> Callable[[table_pb2.TableView], bool]:
    """A turn after this one, or no more hands to come."""

    def holds(view: table_pb2.TableView) -> bool:
        waits = view.state == table_pb2.TABLE_STATE_WAITING and view.hand_number > 0
        one_left = sum(1 for seat in view.seats if seat.stack_chips) < 2
        return view.turn.turn_id > turn_id or view.state == table_pb2.TABLE_STATE_PAUSED or (waits and one_left)

    return holds


@pytest.mark.parametrize("preset", ["classic", "regulated_tournament"])
@pytest.mark.parametrize("structure", [STRUCTURE_LIMIT, STRUCTURE_POT_LIMIT, STRUCTURE_NO_LIMIT])
@pytest.mark.parametrize(("players_count", "folding_share"), [(2, 0.15), (5, 0.2), (8, 0.02)])
async def test_hands_played_anyhow_keep_every_chip_and_every_event(
    suite: TableSuite, preset: str, structure: Structure.ValueType, players_count: int, folding_share: float
) -> None:
    chance = random.Random(f"{preset} {structure} {players_count}")
    table = await open_table(suite, rules(structure, preset, chance), hands_max=HANDS)
    await table.sit(*(f"player-{number}" for number in range(players_count)))
    await table.resume()
    view = await play(table, chance, folding_share)
    rake_chips = 0
    for number in range(1, view.hand_number + 1):
        hand = await table.hand(number, phh=True)
        assert "hand_voided" not in kinds(hand.events)
        (record,) = read_hands("export.phh", hand.phh)
        assert isinstance(record, RecordedHand)
        assert record.finishing_stacks_chips is not None
        assert sum(record.finishing_stacks_chips) + record.rake_chips == sum(record.starting_stacks_chips)
        rake_chips += record.rake_chips
    assert sum(seat.stack_chips for seat in (await table.view()).seats) + rake_chips == players_count * STACK
