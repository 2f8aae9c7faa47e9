"""A refusal leaves nothing behind that holds its call: gRPC takes no more streams of a connection than so many."""

import asyncio
import gc
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import grpc
import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from shared.kernel.errors import Reason
from tests.support.ledger_house import Ledger, fresh, ledger, refused

AT_ONCE = 20
ROUNDS = 60
"""Together more than the streams that a connection may have."""


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[Ledger]:
    async with ledger(tmp_path) as running:
        yield running


@pytest.fixture
def nothing_is_collected() -> Iterator[None]:
    """As in a process in which little happens: what nobody refers to any more goes, circles stay."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


@pytest.mark.usefixtures("nothing_is_collected")
async def test_a_connection_on_which_thousands_were_refused_is_served(house: Ledger) -> None:
    """Whoever asked for too much had the whole connection of its back end refused, for as long as it was open."""

    async def unknown() -> None:
        request = pb.RegisterRequest(request_id=fresh(), tournament_id="none", player_id=f"p{fresh()}")
        await refused(house.backend.Register(request), Reason.NOT_FOUND)

    for _ in range(ROUNDS):
        await asyncio.gather(*(unknown() for _ in range(AT_ONCE)))
    await house.player("ann", 1)


async def test_a_stream_that_is_refused_ends_with_its_reason(house: Ledger) -> None:
    stream = house.backend.Watch(pb.WatchRequest(tournament_id="none", after_version=0))
    with pytest.raises(grpc.aio.AioRpcError) as found:
        async for _ in stream:
            pass
    assert found.value.code() is grpc.StatusCode.NOT_FOUND
