"""L13: a booking that fails after any of its statements leaves nothing behind."""

import asyncio
import hashlib
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from google.protobuf.message import Message
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services import tournament_ledger
from shared.kernel.caller import Caller
from shared.storage.database import Row as StoredRow
from shared.storage.database import SqlValue, Statement, Store
from tests.batteries.ledger import wallet_operations as wallets
from tests.batteries.ledger.everything import ask_for_everything, house_of
from tests.batteries.ledger.in_process import InProcessLedger, ledger_in_process
from tests.batteries.ledger.l01_sums import EVERY
from tests.batteries.ledger.world import Tally, World
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.ledger_house import SetClock

GROWING = frozenset({"ledger_journal", "ledger_postings", "answered_requests"})
_BROKEN = Statement("INSERT INTO no_such_table VALUES (1)")


class FailingStore:
    """The real store; on demand a write fails after so many of its statements."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self.fail_after: int | None = None
        self.length = -1

    async def write(self, statements: Sequence[Statement]) -> None:
        """See Store.write."""
        self.length = len(statements)
        if self.fail_after is not None:
            statements = [*statements[: self.fail_after], _BROKEN]
        await self._store.write(statements)

    async def read(self, sql: str, params: Sequence[SqlValue] = ()) -> list[StoredRow]:
        """See Store.read."""
        return await self._store.read(sql, params)

    @property
    def sound(self) -> bool:
        """See Store.sound."""
        return self._store.sound

    @property
    def shared(self) -> bool:
        """See Store.shared."""
        return self._store.shared

    def tell(self, topic: str) -> None:
        """See Store.tell."""
        self._store.tell(topic)

    def heed(self, heard: Callable[[str], None]) -> None:
        """See Store.heed."""
        self._store.heed(heard)

    async def close(self) -> None:
        """See Store.close."""
        await self._store.close()


class FailingFirst(InProcessLedger):
    """Before a request is carried out it fails once after each statement of its write, and nothing may be left."""

    def __init__(self, store: FailingStore, clock: SetClock) -> None:
        super().__init__(store, clock)
        self.failing = store
        self.forced: Counter[str] = Counter()
        self.left: list[str] = []

    async def call(self, method: str, request: Message, caller: Caller | None = None) -> Any:
        """See InProcessLedger.call."""
        after, before = 0, await self._picture()
        while True:
            self.failing.fail_after, self.failing.length = after, -1
            try:
                answer = await super().call(method, request, caller)
            except sqlite3.OperationalError:
                self.forced[method] += 1
                if await self._picture() != before:
                    self.left.append(f"{method} failed after statement {after} and left something")
            else:
                return answer  # nothing was to be written
            finally:
                self.failing.fail_after = None
            if after >= self.failing.length:
                return await super().call(method, request, caller)
            after += 1

    async def _picture(self) -> bytes:
        """Every row of every table, in one hash; of tables that only grow, how many rows."""
        digest = hashlib.sha256()
        names = await self.store.read("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        for (name,) in names:
            what = "COUNT(*)" if name in GROWING else "*"
            rows = await self.store.read(f"SELECT {what} FROM {name!s}")  # noqa: S608  # our own tables
            digest.update(repr(rows).encode())
        return digest.digest()


def kinds() -> frozenset[str]:
    """Every request that books something: those that carry an id of their own."""
    methods = pb.DESCRIPTOR.services_by_name["TournamentLedgerService"].methods
    return frozenset(each.name for each in methods if "request_id" in each.input_type.fields_by_name)


async def _run(operations: int) -> FailingFirst:
    async with ledger_in_process() as plain:
        ledger = FailingFirst(FailingStore(plain.store), plain.clock)
        await ask_for_everything(house_of(ledger))
        world = World(ledger, "statements", Tally())
        progress = Progress("L13 forced failures", operations)
        for _ in range(20):
            await wallets.open_wallet(world)
            await wallets.deposit(world)
        weights, every = [each[0] for each in EVERY], [each[1] for each in EVERY]
        while world.tally.operations < operations:
            before = world.tally.operations
            await world.rng.choices(every, weights)[0](world)
            progress.add(world.tally.operations - before)
        progress.finish()
        ledger.left += world.tally.faults
    return ledger


def handles_outside_the_store() -> list[str]:
    """The static rule: nothing of the ledger opens a database or a file of its own."""
    folder = Path(tournament_ledger.__path__[0])
    words = ("import sqlite3", "sqlite3.connect", "asyncpg", " open(", ".open(")
    found: list[str] = []
    for path in sorted(folder.rglob("*.py")):
        lines = path.read_text(encoding="utf-8").splitlines()
        found += [f"{path.name}: {line.strip()}" for line in lines if any(word in line for word in words)]
    return found


def failures_leave_nothing(operations: int) -> Iterator[Row]:
    """Row L13."""
    ledger = asyncio.run(_run(operations))
    handles = handles_outside_the_store()
    missed = kinds() - set(ledger.forced)
    for fault in (*ledger.left[:10], *handles, *(f"{each} was never made to fail" for each in sorted(missed))):
        print(f"  fault {fault}")
    yield judged(
        "L13",
        "a failure forced after each statement of each booking leaves 0 rows; no second handle in the code",
        f"{ledger.forced.total():,} failures in {len(ledger.forced)} of {len(kinds())} kinds of request, "
        f"{len(ledger.left)} left something; {len(handles)} handles",
        holds=not ledger.left and not handles and not missed,
    )
