"""L4S: syncs fail for a moment, the ledger ends and starts again, and some time later the power goes.

The kernel takes what it could not write for written, shows it to whoever reads, and never writes it: so it is here.
"""

import asyncio
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from tests.batteries.ledger.l04_power_cut import Cuts, refused_here
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged, skipped
from tests.support.servers import ServiceProcess

END_SECONDS_MAX = 60.0


class FailedSyncs(Cuts):
    """Every other round ends with a disk whose syncs fail, until the ledger has ended by itself."""

    async def _start(self) -> ServiceProcess:
        self.disk.failing = False
        return await super()._start()

    async def _work(self, stubs: dict[str, Any], process: ServiceProcess, kill_after: float | None) -> None:
        if kill_after is None or self.kills % 2:
            await super()._work(stubs, process, kill_after)
            return
        stop = asyncio.Event()
        work = asyncio.gather(*(client.run(stubs, self.buy_in, stop) for client in self.clients))
        await asyncio.sleep(kill_after)
        self.disk.failing = True
        async with asyncio.timeout(END_SECONDS_MAX):
            await asyncio.to_thread(process.process.wait)
        self.kills += 1
        stop.set()
        await work


async def _run(rounds: int, seed: int, folder: Path) -> tuple[FailedSyncs, int]:
    rng = Random(seed)
    proof, progress = FailedSyncs(folder, rng, None), Progress("L4S failed syncs", rounds)
    for _ in range(2 * rounds):
        try:
            soon = proof.kills % 2  # before the journal is put into the database, which would write it once more
            await proof.cut(0.05 * rng.random() if soon else 0.1 + 0.2 * rng.random())
        except AssertionError as fault:  # it does not start again
            proof.faults.append(str(fault))
        progress.add(1 - proof.kills % 2, f"faults: {len(proof.faults)}")
    await proof.cut(None)
    progress.finish()
    return proof, proof.entries()


def failed_syncs(rounds: int) -> Iterator[Row]:
    """Row L4S."""
    demanded = f"{rounds} times syncs fail for a moment, and the power is cut after the next start: lost 0, corrupt 0"
    why = refused_here()
    if why:
        yield skipped("L4S", demanded, why)
        return
    seed = Random().getrandbits(32)
    with tempfile.TemporaryDirectory() as name:
        proof, acknowledged = asyncio.run(_run(rounds, seed, Path(name)))
    for fault in proof.faults[:10]:
        print(f"  fault {fault}")
    yield judged(
        "L4S",
        demanded,
        f"{proof.disk.failed:,} syncs failed, {proof.disk.cut} cuts, {acknowledged:,} acknowledged entries, "
        f"{len(proof.faults)} lost or corrupt, seed {seed}",
        holds=not proof.faults and proof.disk.cut == rounds and proof.disk.failed >= rounds and acknowledged > rounds,
    )
