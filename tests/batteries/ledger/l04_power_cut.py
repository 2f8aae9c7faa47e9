"""L4: the power goes; what was acknowledged is on the disk. The control, which does not sync, must be caught losing."""

import asyncio
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from random import Random

from tests.batteries.ledger.l03_kills import Kills
from tests.batteries.ledger.synced_only import SyncedOnly
from tests.batteries.progress import Progress
from tests.batteries.report import Row, judged, skipped
from tests.support.servers import ServiceProcess, start_service

CARELESS = "tests.batteries.ledger.careless_ledger"


class Cuts(Kills):
    """As a kill, but the disk forgets what was not synced."""

    def __init__(self, folder: Path, rng: Random, module: str | None) -> None:
        super().__init__(folder, rng)
        self._module = module
        (folder / "disk").mkdir()
        self.disk = SyncedOnly(folder / "disk")

    async def _start(self) -> ServiceProcess:
        settings = {
            "DATABASE": str(self.folder / "disk" / "ledger.sqlite"),
            "LOG_LEVEL": "error",
            "CHORES_SECONDS": "0.05",
        }
        return await asyncio.to_thread(start_service, "tournament_ledger", self.folder, settings, self._module)

    def _end(self, process: ServiceProcess) -> None:
        self.disk.cut_power()
        process.kill()

    def _copy_disk(self, folder: Path) -> None:
        self.disk.copy_to(folder)

    async def cut(self, after: float | None) -> None:
        """One round on a disk that is mounted for it."""
        self.disk.mount()
        try:
            await self.round(after)
        finally:
            self.disk.unmount()


def refused_here() -> str:
    """Why this machine cannot do it; nothing where it can."""
    if not Path("/dev/fuse").exists():
        return "there is no /dev/fuse here"
    with tempfile.TemporaryDirectory() as folder:
        disk = SyncedOnly(Path(folder))
        try:
            disk.mount()
        except OSError as fault:
            return f"no file system can be mounted here: {os.strerror(fault.errno or 0)}"
        disk.unmount()
    return ""


async def _run(cuts: int, seed: int, folder: Path, module: str | None) -> tuple[Cuts, int]:
    rng = Random(seed)
    proof = Cuts(folder, rng, module)
    progress = Progress("L4 power cuts" + (" (control)" if module else ""), cuts)
    for _ in range(cuts):
        try:
            await proof.cut(0.02 + rng.choice((0.1, 0.5)) * rng.random())
        except AssertionError as fault:  # it does not start again
            proof.faults.append(str(fault))
        progress.add(1, f"faults: {len(proof.faults)}")
        if module and proof.faults:
            break
    if not module:
        await proof.cut(None)
    progress.finish()
    return proof, proof.entries()


def _proof(cuts: int, seed: int, module: str | None) -> tuple[Cuts, int]:
    with tempfile.TemporaryDirectory() as name:
        return asyncio.run(_run(cuts, seed, Path(name), module))


def power_cuts(cuts: int) -> Iterator[Row]:
    """Row L4."""
    demanded = f"{cuts} power cuts on a disk that keeps only what was synced: lost 0, corrupt 0; the control loses"
    why = refused_here()
    if why:
        yield skipped("L4", demanded, why)
        return
    seed = Random().getrandbits(32)
    proof, acknowledged = _proof(cuts, seed, None)
    control, _ = _proof(cuts, seed, CARELESS)
    for fault in proof.faults[:10]:
        print(f"  fault {fault}")
    yield judged(
        "L4",
        demanded,
        f"{proof.disk.cut} cuts, {proof.disk.syncs:,} syncs, {acknowledged:,} acknowledged entries, "
        f"{len(proof.faults)} lost or corrupt; the control lost {len(control.faults)} within {control.disk.cut} cuts, "
        f"seed {seed}",
        holds=not proof.faults and bool(control.faults) and proof.disk.cut == cuts and acknowledged > cuts,
    )
