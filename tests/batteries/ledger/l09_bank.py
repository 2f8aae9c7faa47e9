"""L9: money moves between accounts, and whoever reads meanwhile always finds all of it."""

import asyncio
import multiprocessing
import sqlite3
import time
import uuid
from collections.abc import AsyncGenerator, Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from multiprocessing.synchronize import Event as StopEvent
from queue import Empty
from random import Random
from typing import Any

import asyncpg
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.tournament_ledger.adapters import migrations
from shared.config.location import PostgresUrl
from shared.storage.opening import open_database
from tests.batteries.ledger.in_process import InProcessLedger, ledger_in_process
from tests.batteries.ledger.world import outcome
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.ledger_house import SetClock, card_room_cash, euro
from tests.support.postgres_server import PostgresServer

CLIENTS = 16
PLAYERS = 16
START = 1_000_000
TABLE = "bank"
_TOTAL = (
    "SELECT SUM(balance), SUM(CASE WHEN balance < 0 THEN 1 ELSE 0 END) FROM ledger_accounts "
    "WHERE unit = 'EUR' AND kind <> 'OUTSIDE'"
)
_PAUSE_SECONDS = 0.01
"""Of a reader, so that there is time for transfers."""
Sums = tuple[int, int]
"""Money in all, and accounts below zero."""


def read_outside(path: str, stop: StopEvent, told: Any) -> None:
    """A reader in a process of its own, with a connection of its own: money in all, and accounts below zero."""
    reader = sqlite3.connect(f"file:{path}?mode=ro", uri=True, isolation_level=None)
    told.put("begun")
    reads, wrong = 0, list[Sums]()
    while not stop.is_set():
        _judge(reader.execute(_TOTAL).fetchone(), wrong)
        reads += 1
        time.sleep(0.001)  # leave the machine to those who write
    told.put((reads, wrong[:5]))


def read_postgres(address: str, stop: StopEvent, told: Any) -> None:
    """The same of a PostgreSQL database."""

    async def read() -> None:
        reader = await asyncpg.connect(address)
        told.put("begun")
        reads, wrong = 0, list[Sums]()
        while not stop.is_set():  # another process sets it
            (row,) = await reader.fetch(_TOTAL)
            _judge((int(row[0]), int(row[1])), wrong)
            reads += 1
            await asyncio.sleep(0.001)
        await reader.close()
        told.put((reads, wrong[:5]))

    asyncio.run(read())


def _judge(found: Sums, wrong: list[Sums]) -> None:
    if found != (PLAYERS * START, 0):
        wrong.append(found)


Opened = AsyncGenerator[tuple[list[InProcessLedger], Any, str]]
"""Ledgers on one database, the reader outside, and where it finds the database."""


@asynccontextmanager
async def _on_sqlite() -> Opened:
    async with ledger_in_process() as ledger:
        path = str((await ledger.store.read("PRAGMA database_list"))[0][2])
        yield [ledger], read_outside, path


@asynccontextmanager
async def _on_postgres() -> Opened:
    """Two ledgers on one database of a real server, as replicas."""
    async with AsyncExitStack() as stack:
        server = stack.enter_context(closing(PostgresServer()))
        server.start()
        url = PostgresUrl(await server.new_database())
        ledgers: list[InProcessLedger] = []
        for _ in range(2):
            store = await open_database(url, "tournament_ledger", migrations)
            stack.push_async_callback(store.close)
            ledgers.append(InProcessLedger(store, SetClock()))
        yield ledgers, read_postgres, url.reveal()


ENGINES = {"SQLite": _on_sqlite, "PostgreSQL": _on_postgres}


class Bank:
    """Wallets, holds, and a cash table whose escrow takes and gives."""

    def __init__(self, ledgers: Sequence[InProcessLedger], seed: int) -> None:
        self.ledgers, self.rng = ledgers, Random(seed)
        self.players = [f"p{at}" for at in range(PLAYERS)]
        self.moved = self.refused = self.reads = 0
        self.torn: list[str] = []

    async def ask(self, method: str, request: Any) -> Any:
        """An answer or None; each that moved money counts."""
        request.request_id = str(uuid.UUID(int=self.rng.getrandbits(128), version=4))
        answer, refusal = await outcome(self.rng.choice(self.ledgers).call(method, request))
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
            balance = (await self.rng.choice(self.ledgers).call("GetBalance", request)).balance
            self.reads += 1
            await asyncio.sleep(_PAUSE_SECONDS)
            if balance.available.amount_minor + balance.held.amount_minor != START:
                self.torn.append(f"{player}: {balance.available.amount_minor} and {balance.held.amount_minor} held")


async def _run(transfers: int, seed: int, engine: str) -> tuple[Bank, int, list[str]]:
    context = multiprocessing.get_context("spawn")
    stop, told = context.Event(), context.Queue()
    progress = Progress(f"L9 transfers on {engine}", transfers)
    async with ENGINES[engine]() as (ledgers, read, where):
        bank = Bank(ledgers, seed)
        await bank.open()
        outside = context.Process(target=read, args=(where, stop, told))
        outside.start()
        await asyncio.to_thread(told.get, True, 60)
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
            reads, wrong = await asyncio.to_thread(told.get, True, 60)
        except Empty:
            reads, wrong = 0, [("the reader outside did not answer", 0)]
        outside.join(10)
        uneven = await ledgers[0].uneven()
    return bank, reads, [*(str(each) for each in wrong), *bank.torn, *(str(each) for each in uneven)]


def bank_test(transfers: int) -> Iterator[Row]:
    """Row L9, once on each engine."""
    for engine in ENGINES:
        seed = Random().getrandbits(32)
        bank, reads, faults = asyncio.run(_run(transfers, seed, engine))
        for fault in faults[:10]:
            print(f"  fault {fault}")
        yield judged(
            "L9",
            f"{engine}: {CLIENTS} clients, {transfers:,} transfers, readers meanwhile: the same total, none below 0",
            f"{bank.moved:,} transfers at {len(bank.ledgers)} ledger(s), {reads:,} reads of all accounts by another "
            f"process, {bank.reads:,} of wallets: {len(faults)} wrong, seed {seed}",
            holds=not faults and reads > 10 and bank.reads > 10,
        )
