"""L11: the exported journal, replayed by a program of its own, gives the same balances and heads."""

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.batteries.ledger import wallet_operations as wallets
from tests.batteries.ledger.in_process import InProcessLedger, fast_folder, ledger_in_process
from tests.batteries.ledger.l01_sums import EVERY
from tests.batteries.ledger.world import Tally, World
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged
from tests.support.journal_export import export, heads, walk_apart

CLIENTS = 12
_COUNT = "SELECT SUM(number) FROM ledger_books"
_BALANCES = "SELECT account_id, balance FROM ledger_accounts"


async def audited(ledger: InProcessLedger) -> tuple[int, int, list[str]]:
    """Entries exported, tournaments gone through, and what the auditor's program has to say."""
    with tempfile.TemporaryDirectory(dir=fast_folder()) as name:
        folder = Path(name)
        count = await export(ledger.call, folder)
        found = await asyncio.to_thread(walk_apart, folder)
    faults: list[str] = list(found["faults"])
    if found["entries"] != count or found["heads"] != await heads(ledger.call):
        faults.append(f"{found['entries']} entries of {count}, or other heads")
    own = {str(account): int(str(balance)) for account, balance in await ledger.store.read(_BALANCES)}
    for account, balance in own.items():
        if found["balances"].get(account, 0) != balance:
            faults.append(f"{account} holds {balance}, replayed {found['balances'].get(account, 0)}")
    unknown = set(found["balances"]) - set(own)
    faults += [f"{account} is in the journal alone" for account in unknown]
    return count, sum(event["over"] for event in found["tournaments"].values()), faults


async def _run(entries: int, seed: int) -> tuple[int, int, list[str]]:
    progress, counted, finished, faults = Progress("L11 entries exported", entries), 0, 0, list[str]()
    while counted < entries:
        async with ledger_in_process() as ledger:
            world = World(ledger, f"export {seed} {counted}", Tally())
            for _ in range(30):
                await wallets.open_wallet(world)
                await wallets.deposit(world)
            weights, every = [each[0] for each in EVERY], [each[1] for each in EVERY]
            booked = 0
            while booked < min(entries - counted, 25_000):
                for _ in range(50):
                    await asyncio.gather(*(each(world) for each in world.rng.choices(every, weights, k=CLIENTS)))
                now = int(str((await ledger.store.read(_COUNT))[0][0]))
                progress.add(now - booked)
                booked = now
            count, over, found = await audited(ledger)
            faults += [*world.tally.faults, *found]
        counted, finished = counted + count, finished + over
    progress.finish()
    return counted, finished, faults


def export_replayed(entries: int) -> Iterator[Row]:
    """Row L11."""
    seed = Random().getrandbits(32)
    count, finished, faults = asyncio.run(_run(entries, seed))
    for fault in faults[:20]:
        print(f"  fault {fault}")
    yield judged(
        "L11",
        f"{entries:,} exported entries replayed by a second program: the same balances, places, prizes and heads",
        f"{count:,} entries, {finished} tournaments recomputed to the end, {len(faults)} differences, seed {seed}",
        holds=not faults and count >= entries and finished > 0,
    )
