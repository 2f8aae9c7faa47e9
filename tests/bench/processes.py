"""Processes of the floor, and what a process has used."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

START_SECONDS_MAX = 60.0


@dataclass(frozen=True, slots=True)
class FloorServer:
    """A server of the floor."""

    address: str
    pid: int


@asynccontextmanager
async def floor_process(role: str, folder: Path, *more: str) -> AsyncGenerator[FloorServer]:
    """A server of the floor for the length of the block."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.bench.floor", role, str(folder), *more, stdout=asyncio.subprocess.PIPE
    )
    try:
        if process.stdout is None:
            raise AssertionError("a pipe was asked for")
        line = (await asyncio.wait_for(process.stdout.readline(), START_SECONDS_MAX)).split()
        if line[:1] != [b"ready"]:
            raise AssertionError(f"the floor {role} did not start")
        yield FloorServer(f"127.0.0.1:{int(line[1])}", process.pid)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


def cpu_seconds(pids: Iterable[int]) -> float:
    """What these processes have computed so far, in user and in kernel."""
    return sum(_cpu_seconds(pid) for pid in pids)


def _cpu_seconds(pid: int) -> float:
    total = 0
    for task in Path(f"/proc/{pid}/task").iterdir():
        total += int((task / "schedstat").read_text().split()[0])
    return total / 1e9


def memory_kib(pid: int) -> int:
    """Resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def load() -> float:
    """How many processes wanted the processors in the last minute."""
    return os.getloadavg()[0]
