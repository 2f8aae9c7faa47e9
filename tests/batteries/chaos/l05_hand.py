"""L5: a service's disk fails at each sync of a hand in turn; its process ends, a new one goes on, the hand is whole."""

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from tests.batteries.chaos.hand import Played, difference, play
from tests.batteries.chaos.hurting import Control, library
from tests.support.replica_processes import EitherStub
from tests.support.suite_processes import Processes

STORING: Final = ("dealer", "tournament_ledger", "orchestrator")
STOP_SECONDS_MAX: Final = 1.0
_LOOK_SECONDS: Final = 0.02
HANDS: Final = 2
"""As the write that failed is made again after the restart, about every other one fails; another hand has the rest."""


class Patient(EitherStub):
    """Calls are made again, as they were, until they are answered; streams are as they are."""

    def _stream(self, method: str) -> Callable[[Any], Any]:
        stream: Callable[[Any], Any] = getattr(self._next(), method)
        return stream


@dataclass(slots=True)
class Failed:
    """What came of failing syncs."""

    service: str
    syncs: int
    """Syncs of the undisturbed hand."""
    ends: int = 0
    slowest_end: float = 0.0
    faults: list[str] = field(default_factory=list[str])


async def hands_with_failing_syncs(every: int) -> AsyncGenerator[Failed, None]:
    """Each service that stores, in turn: EIO at each sync, or at every so many."""
    with tempfile.TemporaryDirectory(prefix="chaos-") as name:
        folder = Path(name)
        built = library(folder)
        controls = {service: Control(folder / f"{service}.control") for service in STORING}
        altered = {service: control.variables(built) for service, control in controls.items()}
        async with Processes(folder / "suite", altered, scripted=True) as processes:
            for stub in ("tables", "house", "ledger"):
                setattr(processes, stub, Patient([getattr(processes, stub)]))
            before = {service: control.synced for service, control in controls.items()}
            wanted = await play(processes)
            counted = {service: control.synced - before[service] for service, control in controls.items()}
            for service, control in controls.items():
                found = Failed(service, counted[service])
                for skipped in range(HANDS if every == 1 else 1):
                    await _hand(_Disk(processes, control, found, every), wanted, skipped)
                yield found


@dataclass(frozen=True, slots=True)
class _Disk:
    """The disk of one service, and how often it fails."""

    processes: Processes
    control: Control
    found: Failed
    every: int


async def _hand(disk: _Disk, wanted: Played, skipped: int) -> None:
    processes, control, found = disk.processes, disk.control, disk.found
    watching = asyncio.create_task(_keep_alive(disk, skipped))
    try:
        played = await play(processes)
    finally:
        control.disk_is_well()
        watching.cancel()
        with suppress(asyncio.CancelledError):
            await watching
    apart = difference(wanted.journal, played.journal)
    if apart:
        found.faults.append(f"another journal: {apart}"[:400])
    if played.voided:
        found.faults.append(f"{played.voided} voided")


async def _keep_alive(disk: _Disk, skipped: int) -> None:
    """Let the disk fail, wait for the end of the process, start it on a disk that is well; again and again."""
    suite, control, found, service = disk.processes.suite, disk.control, disk.found, disk.found.service
    control.disk_fails(after=disk.every + skipped)
    while True:
        while not control.failed_at:  # noqa: ASYNC110  # another process says so
            await asyncio.sleep(_LOOK_SECONDS)
        failed_at = control.failed_at
        with suppress(TimeoutError):
            async with asyncio.timeout(5):
                code = await suite.ended(service)
                found.slowest_end = max(found.slowest_end, time.monotonic() - failed_at)
                if code != 1:
                    found.faults.append(f"exit code {code}")
        found.ends += 1
        control.disk_is_well()
        await suite.kill(service)  # it has ended by itself, or never will
        await suite.start(service)
        control.disk_fails(after=disk.every)
