"""A command in a hand that is asked again shows the player the same table, own cards too, whoever is asked and when."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1.card_pb2 import Card
from sevenstud.orchestrator.v1 import table_service_pb2 as pb

from services.dealer.adapters import migrations
from shared.storage.database import Statement
from tests.support.ledger_house import fresh
from tests.support.postgres_server import PostgresServer
from tests.support.replica_suite import ReplicaSuite, replicas_on
from tests.support.stores import STORES
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


SEALED_UNDER_ANOTHER_KEY = b"\x01\x05other" + bytes(64)


@pytest.mark.parametrize(("column", "lost"), [("sealed", SEALED_UNDER_ANOTHER_KEY), ("record", b"?")])
async def test_what_was_done_is_answered_though_the_dealer_cannot_open_the_hand_any_more(
    suite: ReplicaSuite, tmp_path: Path, column: str, lost: bytes
) -> None:
    """Whoever is told that there is no such hand takes the command for undone, and gives it anew."""
    table = await heads_up(suite)
    bringing_in = (await table.turn()).seat
    request = pb.SitOutRequest(request_id=fresh(), table_id=table.table_id, player_id="ann")
    first = await suite.tables.SitOut(request)
    await table.play(f"{bringing_in} bring_in", f"{3 - bringing_in} fold")
    await table.hand(1)
    dealers = await STORES.open(tmp_path / "dealer.sqlite", "dealer", migrations)
    try:
        await dealers.write([Statement(f"UPDATE dealer_hands SET {column} = ?", (lost,), rows=1)])  # noqa: S608  # ours
    finally:
        await dealers.close()
    other = await suite.start_another()
    for seat in first.table.seats:
        seat.down_cards[:] = [Card.CARD_FACE_DOWN] * len(seat.down_cards)
    assert await other.tables.SitOut(request) == first
