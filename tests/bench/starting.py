"""The evaluator's start with each engine: seconds to readiness, computing and memory. What a compiled core costs.

Where other processes want the processors, a start mostly waits for one. What it waited is taken off, as the kernel
counted it, so that a busy machine measures the same start; the time by the clock is told beside it.
"""

import asyncio
import os
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Final, NamedTuple

from services.console.adapters.service_process import start_process
from tests.bench.measuring import Findings, Options, Row
from tests.bench.processes import cpu_seconds, memory_kib
from tests.support.evaluator_engines import EVERY

SECTION: Final = "evaluator"
ALLOWED_SECONDS: Final = 2.0


class Start(NamedTuple):
    """One start."""

    seconds: float
    """To readiness, less what it waited for a processor."""
    clock_seconds: float
    cpu_seconds: float
    memory_kib: int


def bench_starts(findings: Findings, options: Options) -> None:
    """Start and stop it; the first start of all fills the cache and is not counted."""
    for engine in EVERY:
        starts = asyncio.run(_starts(engine, options.rounds + 1))[1:]
        findings.add(
            Row(
                section=SECTION,
                name=f"start to readiness, {engine}",
                unit="seconds",
                ours=tuple(start.seconds for start in starts),
                beside="allowed",
                floor=(ALLOWED_SECONDS,) * len(starts),
                target=1.0,
                at_most=True,
            )
        )
        clock, cpu, memory = (median(values) for values in zip(*(start[1:] for start in starts), strict=True))
        findings.remarks.append(
            f"evaluator, {engine}: a start took {clock:.2f} s by the clock and computed {cpu:.2f} s, "
            f"{memory / 1024:.0f} MiB resident"
        )


async def _starts(engine: str, times: int) -> list[Start]:
    with tempfile.TemporaryDirectory(prefix="starts-") as folder:
        return [await _start(engine, Path(folder)) for _ in range(times)]


async def _start(engine: str, folder: Path) -> Start:
    prefix = "SEVENSTUD_EVALUATOR_"
    ready_file = folder / "ready.json"
    environ = {**os.environ, f"{prefix}ENGINE": engine, f"{prefix}READY_FILE": str(ready_file)}
    environ |= {f"{prefix}LISTEN": "127.0.0.1:0", f"{prefix}METRICS_LISTEN": "127.0.0.1:0"}
    began = time.perf_counter()
    process = await start_process("evaluator", environ, folder / "log", ready_file)
    try:
        await process.ready()
        clock, pid = time.perf_counter() - began, process.process.pid
        return Start(clock - _queued_seconds(pid), clock, cpu_seconds([pid]), memory_kib(pid))
    finally:
        await process.terminate()


def _queued_seconds(pid: int) -> float:
    """What the first thread of a process, which does all of a start, could have run but had no processor for."""
    return int(Path(f"/proc/{pid}/task/{pid}/schedstat").read_text().split()[1]) / 1e9
