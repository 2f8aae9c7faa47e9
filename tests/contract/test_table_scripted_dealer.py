"""A dealer that may be told its cards deals to no real table, not even one that was restarted that way in between."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from tests.support.dealer_calls import dealer
from tests.support.servers import calling
from tests.support.table_suite import PlayedTable, TableSuite, card_room, heads_up, open_table


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TableSuite]:
    async with TableSuite(tmp_path) as running:
        await running.stop_orchestrator()
        yield running


async def opened(suite: TableSuite) -> PlayedTable:
    table = await open_table(suite, card_room())
    await table.sit("ann", "bob")
    await table.resume()
    return table


async def test_a_dealer_restarted_with_scripted_decks_plays_no_hand_of_a_real_table(
    suite: TableSuite, tmp_path: Path
) -> None:
    folder = tmp_path / "the dealer"
    folder.mkdir()
    async with dealer(folder, scripted_decks=True) as lax:
        await suite.start_orchestrator(SCRIPTED_TABLES="refused", DEALER_TARGET=lax.address)
        table = await opened(suite)
        view = await table.until(lambda view: view.waiting_for == "dealer")
        assert view.hand_number == 0
        assert {seat.stack_chips for seat in view.seats} == {100}
        registry = suite.orchestrator.assembly.registry
        assert registry is not None
        assert registry.get_sample_value("sevenstud_table_step_failures_total", {"step": "StartHand"})
        async with calling(lax.address) as channel:
            request = dealer_pb.GetProofRequest(hand_id=f"{table.table_id}.1")
            assert (await DealerServiceStub(channel).GetProof(request)).void_reason
        await suite.stop_orchestrator()
    async with dealer(folder) as strict:
        await suite.start_orchestrator(SCRIPTED_TABLES="refused", DEALER_TARGET=strict.address)
        view = await table.until(lambda view: view.hand_number == 2 and view.HasField("turn"))
        assert not view.waiting_for
        assert any(event.HasField("hand_voided") for event in (await table.hand(1)).events)
        await suite.stop_orchestrator()


async def test_where_scripted_tables_are_allowed_such_a_dealer_deals(suite: TableSuite) -> None:
    await suite.start_orchestrator()
    table = await heads_up(suite)
    assert (await table.turn()).seat == 2
