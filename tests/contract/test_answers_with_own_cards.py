"""A command in a hand that is asked again shows the player the same table, own cards too, whoever is asked and when."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1.card_pb2 import Card
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from tests.support.ledger_house import fresh
from tests.support.postgres_server import PostgresServer
from tests.support.replica_suite import ReplicaSuite, replicas_on
from tests.support.table_suite import heads_up


@pytest.fixture
async def suite(tmp_path: Path, postgres: PostgresServer) -> AsyncIterator[ReplicaSuite]:
    async with replicas_on(postgres, tmp_path) as running:
        yield running


async def test_the_same_cards_are_shown_by_every_replica_and_long_after_the_hand(suite: ReplicaSuite) -> None:
    table, other = await heads_up(suite), await suite.start_another()
    bringing_in = (await table.turn()).seat
    request = pb.SitOutRequest(request_id=fresh(), table_id=table.table_id, player_id="ann")
    first = await suite.tables.SitOut(request)
    own = next(seat for seat in first.table.seats if seat.player_id == "ann")
    assert len(own.down_cards) == 2
    assert Card.CARD_FACE_DOWN not in own.down_cards
    assert await suite.tables.SitOut(request) == first
    assert await other.tables.SitOut(request) == first
    await table.play(f"{bringing_in} bring_in", f"{3 - bringing_in} fold")
    await table.until(lambda view: not any(seat.in_hand for seat in view.seats))
    assert await suite.tables.SitOut(request) == first
    await other.stop()
    await suite.stop_orchestrator()
    again = await suite.start_another()
    assert await again.tables.SitOut(request) == first
