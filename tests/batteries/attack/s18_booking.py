"""What the rows of S18 ask a ledger all the while, and how long it may take to be there again."""

import asyncio
import time
from typing import Protocol

import grpc
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from tests.support.ledger_house import euro, fresh

READY_SECONDS_MAX = 10.0
SLACK_SECONDS = 20.0


class Booking(Protocol):
    """Where a ledger is to be asked."""

    @property
    def ledger(self) -> TournamentLedgerServiceStub:
        """As a back end."""
        ...


async def deposit(running: Booking, amount: int = 1) -> bool:
    """Whether a deposit is booked."""
    request = pb.DepositRequest(request_id=fresh(), player_id="ann", amount=euro(amount))
    try:
        await running.ledger.Deposit(request, timeout=5.0)
    except grpc.aio.AioRpcError:
        return False
    return True


async def balance(running: Booking) -> int:
    """What is in the wallet."""
    request = pb.GetBalanceRequest(player_id="ann", currency="EUR")
    return (await running.ledger.GetBalance(request)).balance.available.amount_minor


async def ready_after(running: Booking) -> float:
    """Seconds until a deposit is booked again."""
    began = time.monotonic()
    while not await deposit(running):
        if time.monotonic() - began > READY_SECONDS_MAX + SLACK_SECONDS:
            return float("inf")
        await asyncio.sleep(0.1)
    return time.monotonic() - began


async def opened(running: Booking) -> None:
    """A wallet to book to."""
    await running.ledger.OpenAccount(pb.OpenAccountRequest(request_id=fresh(), player_id="ann", currency="EUR"))
    assert await deposit(running)
