"""k6 makes the calls: an open model, timed by a generator that costs little beside what it measures (``calls.js``)."""

import asyncio
import json
import os
import resource
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tests.load.outcome import Outcome

SCRIPT: Final = Path(__file__).with_name("calls.js")
CONTRACTS: Final = Path(__file__).parents[2] / "protos"
THRESHOLDS_BROKEN: Final = 99
"""How k6 says so; it is judged here as well (``knee.carried``)."""
GRACE_SECONDS: Final = 60.0
Plan = Mapping[str, object]
"""Where to call, what to ask, and by how many callers at most: what ``calls.js`` reads."""


class K6Failed(Exception):  # noqa: N818  # read as a sentence: k6 failed
    """No figures came of a run."""


def k6() -> str:
    """The program, as ``make load`` says."""
    return os.environ.get("K6", "k6")


def used_seconds() -> float:
    """What all runs of k6 together have computed."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def offer(folder: Path, plan: Plan, rate: float, seconds: float) -> Outcome:
    """So many calls a second for so long; returns when the last one has ended."""
    asked, found = folder / "plan.json", folder / "found.json"
    asked.write_text(json.dumps({"contracts": str(CONTRACTS), **plan}), encoding="utf-8")
    found.unlink(missing_ok=True)
    given = {"PLAN": asked, "FOUND": found, "RATE": max(1, round(rate)), "SECONDS": max(1, round(seconds))}
    options = [part for name, value in given.items() for part in ("-e", f"{name}={value}")]
    process = await asyncio.create_subprocess_exec(
        k6(), "run", "--quiet", "--no-usage-report", *options, str(SCRIPT), stderr=asyncio.subprocess.PIPE
    )
    try:
        _, said = await asyncio.wait_for(process.communicate(), seconds + GRACE_SECONDS)
    finally:
        if process.returncode is None:
            process.kill()
    if process.returncode not in (0, THRESHOLDS_BROKEN) or not found.exists():
        raise K6Failed(f"k6 ended with {process.returncode}: {said.decode(errors='replace')[-2000:]}")
    return outcome_of(json.loads(found.read_text(encoding="utf-8")), rate, seconds)


def outcome_of(found: Mapping[str, float], rate: float, seconds: float) -> Outcome:
    """The figures of ``calls.js``."""
    answered = round(found["answered"])
    nothing = float("inf")
    return Outcome(
        rate=rate,
        seconds=seconds,
        answered=answered,
        p50_ms=found["p50_ms"] if answered else nothing,
        p99_ms=found["p99_ms"] if answered else nothing,
        refused=round(found["refused"]),
        failed=round(found["failed"]),
        dropped=round(found["dropped"]),
    )
