"""L9: money moves between accounts, and whoever reads meanwhile always finds all of it."""

import asyncio
import multiprocessing
import sqlite3
import time
import uuid
from collections.abc import Iterator
from multiprocessing.synchronize import Event as StopEvent
from queue import Empty
from random import Random
from typing import Any

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from tests.batteries.ledger.in_process import InProcessLedger, ledger_in_process
from tests.batteries.ledger.world import outcome
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.ledger_house import card_room_cash, euro

CLIENTS = 16
PLAYERS = 16
START = 1_000_000
TABLE = "bank"
_TOTAL = "SELECT SUM(balance), SUM(balance < 0) FROM ledger_accounts WHERE unit = 'EUR' AND kind <> 'OUTSIDE'"


def read_outside(path: str, stop: StopEvent, told: Any) -> None:
    """A reader in a process of its own, with a connection of its own: money in all, and accounts below zero."""
    reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    reads, wrong = 0, list[tuple[int, int]]()
    while not stop.is_set():
        total, overdrawn = reader.execute(_TOTAL).fetchone()
        reads += 1
        time.sleep(0.001)  # leave the machine to those who write
        if (total, overdrawn) != (PLAYERS * START, 0):
            wrong.append((total, overdrawn))
    told.put((reads, wrong[:5]))


class Bank:
    """Wallets, holds, and a cash table whose escrow takes and gives."""

    def __init__(self, ledger: InProcessLedger, seed: int) -> None:
        self.ledger, self.rng = ledger, Random(seed)
        self.players = [f"p{at}" for at in range(PLAYERS)]
        self.moved = self.refused = self.reads = 0
        self.torn: list[str] = []

    async def ask(self, method: str, request: Any) -> Any:
        """An answer or None; each that moved money counts."""
        request.request_id = str(uuid.UUID(int=self.rng.getrandbits(128), version=4))
        answer, refusal = await outcome(self.ledger.call(method, request))
        self.moved += answer is not None
        self.refused += refusal is not None
        return answer

    async def open(self) -> None:
        """Everybody has the same money; the table is open."""
        for player in self.players:
            await self.ask("OpenAccount", pb.OpenAccountRequest(player_id=player, currency="EUR"))
            await self.ask("Deposit", pb.DepositRequest(player_id=player, amount=euro(START)))
        rules = card_room_cash()
        rules.cash_stake_cap_minor = 0
        self.buy_in = rules.buy_in_min_chips
        table = pb.OpenCashTableRequest(table_id=TABLE, chip_value=euro(10), rules=rules)
        await self.ask("OpenCashTable", table)
        self.moved = 0

    async def client(self, number: int, transfers: int) -> None:
        """Holds and voids of odd clients, buys in and cashes out as an even one."""
        player = self.players[number]
        while self.moved < transfers:
            if number % 2:
                hold = pb.PlaceHoldRequest(player_id=player, amount=euro(self.rng.randint(1, 5_000)))
                hold.lasts.FromSeconds(3_600)
                placed = await self.ask("PlaceHold", hold)
                await self.ask("VoidHold", pb.VoidHoldRequest(hold_id=placed.hold_id))
            else:
                seat = number // 2 + 1
                await self.ask("BuyIn", pb.BuyInRequest(table_id=TABLE, player_id=player, chips=self.buy_in, seat=seat))
                await self.ask("CashOut", pb.CashOutRequest(table_id=TABLE, player_id=player))

    async def reader(self, transfers: int) -> None:
        """Reads wallets through the contract: what is available and what is held is always all there is."""
        while self.moved < transfers:
            player = self.rng.choice(self.players[1::2])
            request = pb.GetBalanceRequest(player_id=player, currency="EUR")
            balance = (await self.ledger.call("GetBalance", request)).balance
            self.reads += 1
            if balance.available.amount_minor + balance.held.amount_minor != START:
                self.torn.append(f"{player}: {balance.available.amount_minor} and {balance.held.amount_minor} held")


async def _run(transfers: int, seed: int) -> tuple[Bank, int, list[str]]:
    context = multiprocessing.get_context("spawn")
    stop, told = context.Event(), context.Queue()
    progress = Progress("L9 transfers", transfers)
    async with ledger_in_process() as ledger:
        bank = Bank(ledger, seed)
        await bank.open()
        path = str((await ledger.store.read("PRAGMA database_list"))[0][2])
        outside = context.Process(target=read_outside, args=(path, stop, told))
        outside.start()
        work = asyncio.gather(
            *(bank.client(number, transfers) for number in range(CLIENTS)), *(bank.reader(transfers) for _ in range(4))
        )
        seen = 0
        while not work.done():
            await asyncio.wait({work}, timeout=0.5)
            progress.add(bank.moved - seen, f"reads: {bank.reads:,}")
            seen = bank.moved
        await work
        progress.finish()
        stop.set()
        try:
            reads, wrong = await asyncio.to_thread(told.get, True, 30)
        except Empty:
            reads, wrong = 0, [("the reader outside did not answer", 0)]
        outside.join(10)
        uneven = await ledger.uneven()
    return bank, reads, [*(str(each) for each in wrong), *bank.torn, *(str(each) for each in uneven)]


def bank_test(transfers: int) -> Iterator[Row]:
    """Row L9."""
    seed = Random().getrandbits(32)
    bank, reads, faults = asyncio.run(_run(transfers, seed))
    for fault in faults[:10]:
        print(f"  fault {fault}")
    yield judged(
        "L9",
        f"{CLIENTS} clients, {transfers:,} transfers, readers meanwhile: every read finds the same total, none below 0",
        f"{bank.moved:,} transfers, {reads:,} reads of all accounts by another process, {bank.reads:,} of wallets: "
        f"{len(faults)} wrong, seed {seed}",
        holds=not faults and reads > 10 and bank.reads > 10,
    )
