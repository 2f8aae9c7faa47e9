"""L3: the process is killed at any moment; what it had acknowledged is there once, the rest is asked for again."""

import asyncio
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from tests.batteries.ledger.over_grpc import ALL_ROLES, Asked, Told, ask, new_id, stubs_of
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.ledger_house import card_room_cash, euro
from tests.support.servers import ServiceProcess, calling, start_service

CLIENTS = 8
START = 10**9
TABLE = "killed"


class Client:
    """One player: money in and out, holds, chips; asks again whatever was not answered."""

    def __init__(self, number: int, rng: Random) -> None:
        self.player, self.seat, self.rng = f"p{number}", number + 1, rng
        self.waiting: Asked | None = None
        self.last: list[tuple[Asked, Told]] = []
        self.seated, self.hold_id = False, ""
        self.acknowledged: dict[str, str] = {}

    def _next(self, buy_in: int) -> Asked:
        key, chance = new_id(self.rng), self.rng.random()
        if self.hold_id and chance < 0.4:
            return Asked("VoidHold", pb.VoidHoldRequest(request_id=key, hold_id=self.hold_id))
        if chance < 0.55:
            hold = pb.PlaceHoldRequest(request_id=key, player_id=self.player, amount=euro(11))
            hold.lasts.FromMilliseconds(self.rng.choice((200, 3_000)))
            return Asked("PlaceHold", hold)
        if chance < 0.7:
            out = pb.CashOutRequest(request_id=key, table_id=TABLE, player_id=self.player)
            into = pb.BuyInRequest(request_id=key, table_id=TABLE, player_id=self.player, chips=buy_in, seat=self.seat)
            return Asked("CashOut", out, "service") if self.seated else Asked("BuyIn", into, "service")
        kind, method = (pb.DepositRequest, "Deposit") if chance < 0.85 else (pb.WithdrawRequest, "Withdraw")
        return Asked(method, kind(request_id=key, player_id=self.player, amount=euro(self.rng.randint(1, 99))))

    async def run(self, stubs: dict[str, Any], buy_in: int, stop: asyncio.Event) -> None:
        """Ask until the process is gone."""
        while not stop.is_set():
            asked = self.waiting = self.waiting or self._next(buy_in)
            told = await ask(stubs, asked, 5.0)
            if told is None:
                return
            self.waiting = None
            self.last = [*self.last[-20:], (asked, told)]
            self.acknowledged[asked.key] = asked.method if not told.reason else ""
            self._learn(asked, told)

    def _learn(self, asked: Asked, told: Told) -> None:
        if asked.method == "PlaceHold" and not told.reason:
            self.hold_id = pb.PlaceHoldResponse.FromString(told.content).hold_id
        elif asked.method == "VoidHold":
            self.hold_id = ""
        elif asked.method in {"BuyIn", "CashOut"} and not told.reason:
            self.seated = asked.method == "BuyIn"

    async def same_answers(self, stubs: dict[str, Any]) -> list[str]:
        """What was acknowledged before the kill is answered the same after it."""
        faults: list[str] = []
        for asked, told in self.last:
            again = await ask(stubs, asked)
            if again != told and told.reason in {"", "FUNDS_INSUFFICIENT"}:
                faults.append(f"{asked.method} {asked.key} was {told}, is {again}")
        return faults


class Kills:
    """The rounds."""

    def __init__(self, folder: Path, rng: Random) -> None:
        self.folder, self.rng = folder, rng
        self.clients = [Client(number, Random(rng.getrandbits(32))) for number in range(CLIENTS)]
        self.buy_in = card_room_cash().buy_in_min_chips
        self.faults: list[str] = []
        self.kills = 0

    async def _start(self) -> ServiceProcess:
        settings = {
            "DATABASE": str(self.folder / "ledger.sqlite"),
            "LOG_LEVEL": "error",
            "CHORES_SECONDS": "0.05",
            "UNARY_SECONDS_MAX": "600",
        }
        return await asyncio.to_thread(start_service, "tournament_ledger", self.folder, settings)

    async def round(self, kill_after: float | None) -> None:
        """Look at the disk, start, compare with what was acknowledged, work, and kill; with None the last one."""
        if self.kills:
            await asyncio.to_thread(self.entries)
        process = await self._start()
        try:
            async with AsyncExitStack() as stack:
                channels = {
                    role: await stack.enter_async_context(calling(process.address, caller))
                    for role, caller in ALL_ROLES.items()
                }
                stubs = stubs_of(channels)
                if not self.kills:
                    await self._open(stubs)
                for client in self.clients:
                    self.faults += await client.same_answers(stubs)
                await self._work(stubs, process, kill_after)
        finally:
            if process.process.poll() is None:
                await asyncio.to_thread(process.stop)

    async def _work(self, stubs: dict[str, Any], process: ServiceProcess, kill_after: float | None) -> None:
        stop = asyncio.Event()
        work = asyncio.gather(*(client.run(stubs, self.buy_in, stop) for client in self.clients))
        await asyncio.sleep(0.3 if kill_after is None else kill_after)
        if kill_after is not None:
            self._end(process)
            self.kills += 1
        stop.set()
        await work
        if kill_after is None:
            await asyncio.sleep(4.0)  # the longest hold ends
            await self._verify(stubs)

    def _end(self, process: ServiceProcess) -> None:
        process.kill()

    async def _open(self, stubs: dict[str, Any]) -> None:
        for client in self.clients:
            opened = pb.OpenAccountRequest(request_id=new_id(self.rng), player_id=client.player, currency="EUR")
            filled = pb.DepositRequest(request_id=new_id(self.rng), player_id=client.player, amount=euro(START))
            await ask(stubs, Asked("OpenAccount", opened))
            await ask(stubs, Asked("Deposit", filled))
        table = pb.OpenCashTableRequest(
            request_id=new_id(self.rng), table_id=TABLE, chip_value=euro(10), rules=card_room_cash()
        )
        table.rules.cash_stake_cap_minor = 0
        await ask(stubs, Asked("OpenCashTable", table, "service"))

    async def _verify(self, stubs: dict[str, Any]) -> None:
        verdict = await stubs["auditor"].VerifyJournal(pb.VerifyJournalRequest(), timeout=300)
        self.faults += [each.fault for each in verdict.faults]
        self.faults += [f"{each.unit} sums up to {each.sum}" for each in verdict.sums if each.sum]
        for client in self.clients:
            ask_balance = pb.GetBalanceRequest(player_id=client.player, currency="EUR")
            balance = (await stubs["backend"].GetBalance(ask_balance)).balance
            if balance.held.amount_minor:
                self.faults.append(f"{client.player} has {balance.held.amount_minor} held after every hold has ended")

    def _copy_disk(self, folder: Path) -> None:
        """The files as they lie there, while nobody runs."""
        for name in ("ledger.sqlite", "ledger.sqlite-wal"):
            if (self.folder / name).exists():
                shutil.copy(self.folder / name, folder / name)

    def _on_disk(self) -> dict[str, int]:
        """Entries of each request, read from a copy: nothing that is asked again can hide what was lost."""
        with tempfile.TemporaryDirectory() as name:
            self._copy_disk(Path(name))
            reader = sqlite3.connect(Path(name) / "ledger.sqlite")
            try:
                return dict(reader.execute("SELECT request_id, COUNT(*) FROM ledger_journal GROUP BY request_id"))
            except sqlite3.Error as fault:
                self.faults.append(f"the file is no database any more: {fault}")
                return {}
            finally:
                reader.close()

    def entries(self) -> int:
        """Every acknowledged key that moved money has one entry on the disk, and none has two; how many there are."""
        counted = self._on_disk()
        keys = {key: method for client in self.clients for key, method in client.acknowledged.items()}
        self.faults += [
            f"{method} {key}: acknowledged and lost" for key, method in keys.items() if method and not counted.get(key)
        ]
        self.faults += [f"{key}: {count} entries" for key, count in counted.items() if count > 1 and key in keys]
        return sum(bool(method) for method in keys.values())


async def _run(kills: int, seed: int, folder: Path) -> tuple[Kills, int]:
    rng, progress = Random(seed), Progress("L3 kills", kills)
    proof = Kills(folder, rng)
    for _ in range(kills):
        await proof.round(rng.choice((0.0, 0.02, 0.1, 0.4)) * rng.random() + 0.001)
        progress.add(1, f"faults: {len(proof.faults)}")
    await proof.round(None)
    progress.finish()
    return proof, proof.entries()


def kills_lose_nothing(kills: int) -> Iterator[Row]:
    """Row L3."""
    seed = Random().getrandbits(32)
    with tempfile.TemporaryDirectory() as folder:
        proof, acknowledged = asyncio.run(_run(kills, seed, Path(folder)))
    for fault in proof.faults[:10]:
        print(f"  fault {fault}")
    yield judged(
        "L3",
        f"kill -9 of the process at {kills} random moments: acknowledged entries lost 0, doubled 0, holds all resolved",
        f"{proof.kills} kills, {acknowledged:,} acknowledged entries, {len(proof.faults)} faults, seed {seed}",
        holds=not proof.faults and proof.kills == kills and acknowledged > kills,
    )
