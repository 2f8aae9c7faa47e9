"""A tournament of many tables begins: the ledger is asked for some sheets at a time, the other tables wait visibly."""

import asyncio
from collections.abc import AsyncIterator

import grpc
import pytest
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.orchestrator.adapters.ledger_client import LedgerClient
from services.orchestrator.domain.booking import LedgerSheet
from services.orchestrator.ports import ServiceAway

SERVICE = "sevenstud.tournament_ledger.v1.TournamentLedgerService"
TABLES = 100
AT_ONCE = 64


class SlowLedger:
    """Gives sheets when it is told to."""

    def __init__(self) -> None:
        self.asked = self.most_at_once = self._now = 0
        self.full, self.may = asyncio.Event(), asyncio.Event()

    async def open_sheet(self, _: pb.OpenSheetRequest, __: object) -> pb.OpenSheetResponse:
        """As the contract has it."""
        self.asked += 1
        self._now += 1
        self.most_at_once = max(self.most_at_once, self._now)
        if self._now == AT_ONCE:
            self.full.set()
        await self.may.wait()
        self._now -= 1
        return pb.OpenSheetResponse()


@pytest.fixture
async def ledger() -> AsyncIterator[tuple[SlowLedger, LedgerClient]]:
    server, slow = grpc.aio.server(), SlowLedger()
    answering = grpc.unary_unary_rpc_method_handler(
        slow.open_sheet, pb.OpenSheetRequest.FromString, pb.OpenSheetResponse.SerializeToString
    )
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(SERVICE, {"OpenSheet": answering}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield slow, LedgerClient(channel)
    slow.may.set()
    await server.stop(None)


def sheets(client: LedgerClient) -> list["asyncio.Task[LedgerSheet]"]:
    return [asyncio.create_task(client.open_sheet("sunday", f"t-{number}", 1, "look")) for number in range(TABLES)]


async def test_tables_that_begin_at_once_leave_the_ledger_places_for_others(
    ledger: tuple[SlowLedger, LedgerClient],
) -> None:
    slow, client = ledger
    asking = sheets(client)
    async with asyncio.timeout(10):
        await slow.full.wait()
    slow.may.set()
    await asyncio.gather(*asking)
    assert (slow.asked, slow.most_at_once) == (TABLES, AT_ONCE)


async def test_a_table_whose_turn_does_not_come_waits_visibly_and_the_turns_come_back(
    ledger: tuple[SlowLedger, LedgerClient],
) -> None:
    slow, client = ledger
    asking = sheets(client)
    late = await asyncio.gather(*asking[AT_ONCE:], return_exceptions=True)
    assert {type(each) for each in late} == {ServiceAway}
    slow.may.set()
    await asyncio.gather(*asking[:AT_ONCE])
    await asyncio.gather(*sheets(client))
    assert slow.most_at_once == AT_ONCE
