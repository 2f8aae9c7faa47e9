"""L2: each request is sent one to five times by sixteen clients in any order, and has one effect and one answer."""

import asyncio
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Any

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from tests.batteries.ledger.over_grpc import ALL_ROLES, Asked, Told, ask, new_id, stubs_of
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.ledger_house import euro
from tests.support.servers import calling, running

CLIENTS = 16
BATCH = 320
PLAYERS = 40
POOR = 20
FUNDS = "FUNDS_INSUFFICIENT"
REUSED = "REQUEST_ID_REUSED"


class Duplicates:
    """The clients, and what each key was answered."""

    def __init__(self, clients: list[dict[str, Any]], rng: Random) -> None:
        self.clients, self.rng = clients, rng
        self.calls = self.other = self.poor = 0
        self.succeeded: set[str] = set()
        self.refused: set[str] = set()
        self.faults: list[str] = []
        self.batches = 0

    def new(self) -> Asked:
        """A request at random; the poor cannot pay what they are asked."""
        key, player = new_id(self.rng), f"p{self.rng.randrange(PLAYERS)}"
        chance = self.rng.random()
        if chance < 0.15:
            poor = f"poor{self.batches}-{self.rng.randrange(POOR)}"
            return Asked("Withdraw", pb.WithdrawRequest(request_id=key, player_id=poor, amount=euro(500)))
        if chance < 0.5:
            amount = euro(self.rng.randint(1, 900))
            return Asked("Deposit", pb.DepositRequest(request_id=key, player_id=player, amount=amount))
        if chance < 0.75:
            return Asked("Withdraw", pb.WithdrawRequest(request_id=key, player_id=player, amount=euro(7)))
        hold = pb.PlaceHoldRequest(request_id=key, player_id=player, amount=euro(1))
        hold.lasts.FromSeconds(86_400)
        return Asked("PlaceHold", hold)

    async def open(self, names: list[str], amount: int) -> None:
        """Wallets, filled."""
        stubs = self.clients[0]
        for name in names:
            opened = pb.OpenAccountRequest(request_id=new_id(self.rng), player_id=name, currency="EUR")
            await ask(stubs, Asked("OpenAccount", opened))
            if amount:
                filled = pb.DepositRequest(request_id=new_id(self.rng), player_id=name, amount=euro(amount))
                await ask(stubs, Asked("Deposit", filled))

    async def batch(self, size: int) -> None:
        """So many keys: sent, sent again once the poor have money, and sent with other content."""
        self.batches += 1
        poor = [f"poor{self.batches}-{at}" for at in range(POOR)]
        await self.open(poor, 0)
        asked = [self.new() for _ in range(size)]
        first = await self._send([each for each in asked for _ in range(self.rng.randint(1, 5))])
        for each in asked:
            self._judge(each, first[each.key])
        late = [each for each in asked if each.key in self.refused]
        await self.open(poor, 10_000)
        again = await self._send([*late, *self.rng.sample(asked, size // 4)])
        for key, told in again.items():
            if told != first[key]:
                self.faults.append(f"{key} was answered otherwise later: {told}")
        self.poor += len(late)
        for key, answers in (await self._send([each.other() for each in asked])).items():
            self.other += 1
            if {each.reason for each in answers} != {REUSED}:
                self.faults.append(f"{key} with other content was answered {answers}")

    def _judge(self, asked: Asked, answers: set[Told]) -> None:
        if len(answers) != 1:
            self.faults.append(f"{asked.method} {asked.key} has {len(answers)} answers")
        for told in answers:
            (self.refused if told.reason else self.succeeded).add(asked.key)
            if told.reason not in {"", FUNDS}:
                self.faults.append(f"{asked.method} {asked.key}: {told.reason}")

    async def _send(self, copies: list[Asked]) -> dict[str, set[Told]]:
        """All of them, in any order, by all clients at once."""
        self.rng.shuffle(copies)
        answers: dict[str, set[Told]] = {each.key: set() for each in copies}

        async def client(number: int) -> None:
            for each in copies[number::CLIENTS]:
                told = await ask(self.clients[number], each)
                if told is None:
                    self.faults.append(f"{each.key} was not answered")
                else:
                    answers[each.key].add(told)

        await asyncio.gather(*(client(number) for number in range(CLIENTS)))
        self.calls += len(copies)
        return answers

    async def entries(self) -> Counter[str]:
        """Entries of each request id."""
        found: Counter[str] = Counter()
        request = pb.ExportJournalRequest(book="wallets", page_size=500)
        while True:
            page = await self.clients[0]["auditor"].ExportJournal(request, timeout=60)
            found.update(entry.request_id for entry in page.entries)
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token


async def _run(keys: int, seed: int, folder: Path) -> Duplicates:
    rng, progress = Random(seed), Progress("L2 keys", keys)
    async with AsyncExitStack() as stack:
        settings = {"DATABASE": str(folder / "ledger.sqlite"), "LOG_LEVEL": "error", "UNARY_SECONDS_MAX": "600"}
        process = await stack.enter_async_context(running("tournament_ledger", folder, settings))
        clients: list[dict[str, Any]] = []
        for _ in range(CLIENTS):
            channels = {
                role: await stack.enter_async_context(calling(process.address, caller))
                for role, caller in ALL_ROLES.items()
            }
            clients.append(stubs_of(channels))
        proof = Duplicates(clients, rng)
        await proof.open([f"p{at}" for at in range(PLAYERS)], 10**9)
        sent = 0
        while sent < keys:
            size = min(BATCH, keys - sent)
            await proof.batch(size)
            sent += size
            progress.add(size, f"calls: {proof.calls:,}, faults: {len(proof.faults)}")
        progress.finish()
        counted = await proof.entries()
        proof.faults += [f"{key} has {counted[key]} entries" for key in proof.succeeded if counted[key] != 1]
        proof.faults += [f"{key} was refused and has an entry" for key in proof.refused if counted[key]]
        verdict = await clients[0]["auditor"].VerifyJournal(pb.VerifyJournalRequest(), timeout=600)
        proof.faults += [each.fault for each in verdict.faults]
    return proof


def duplicates(keys: int) -> Iterator[Row]:
    """Row L2."""
    seed = Random().getrandbits(32)
    with tempfile.TemporaryDirectory() as folder:
        proof = asyncio.run(_run(keys, seed, Path(folder)))
    for fault in proof.faults[:10]:
        print(f"  fault {fault}")
    yield judged(
        "L2",
        f"{CLIENTS} clients over gRPC, {keys:,} keys sent 1 to 5 times, shuffled: one entry and one answer each",
        f"{len(proof.succeeded):,} booked once, {len(proof.refused):,} refused for lack of funds and again after a "
        f"deposit, {proof.other:,} of {proof.other:,} with other content refused, {proof.calls:,} calls, "
        f"{len(proof.faults)} faults, seed {seed}",
        holds=not proof.faults and len(proof.succeeded) + len(proof.refused) == keys and proof.poor > 0,
    )
