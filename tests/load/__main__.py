"""``make load SERVICE=<name> [RATE=...] [DURATION=...]``: exit code 0 when the thresholds hold, 1 when not.

A service gets its calls at RATE a second for DURATION seconds; then steps up to its knee and beyond. ``suite`` plays
real hands at RATE tables. Reports: build/load/<name>.md and .html.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final

from tests.bench.house import House, open_house
from tests.load.knee import carried, climb, measured
from tests.load.outcome import Outcome
from tests.load.playing import SuiteStep, play_suite
from tests.load.report import suite_report, write_report
from tests.load.subjects import SUBJECTS

BUILD: Final = Path("build/load")
SUITE: Final = "suite"
SUITE_TABLES: Final = 20
SUITE_TABLES_MAX: Final = 640
SUITE_P99_MS: Final = 250.0
UNARY_CALLS_MAX: Final = "64"
"""Calls that each service works on at once while it is loaded: what is beyond is refused, what is inside is quick."""
STEP_SECONDS_MAX: Final = 5.0


def environment() -> dict[str, str]:
    """The services' settings under load."""
    services = ("DEALER", "BETTING", "EVALUATOR", "TOURNAMENT_LEDGER", "ORCHESTRATOR")
    return {**os.environ, **{f"SEVENSTUD_{each}_UNARY_CALLS_MAX": UNARY_CALLS_MAX for each in services}}


async def _service(name: str, rate: float, seconds: float) -> int:
    subject = SUBJECTS[name]
    async with _house() as house:
        await subject.prepare(house)
        wanted = rate or subject.rate
        await measured(house, subject, wanted / 2, min(2.0, seconds))
        steady = await measured(house, subject, wanted, seconds)
        print(_line(steady), flush=True)
        steps = await climb(house, subject, wanted, min(STEP_SECONDS_MAX, seconds))
    print("\n".join(_line(step) for step in steps), flush=True)
    write_report(BUILD, subject, steady, steps)
    return 0 if carried(steady, subject.p99_ms) else 1


async def _suite(tables: int, seconds: float) -> int:
    """So many tables, which decide; then twice as many and so on, up to the first that are too many."""
    steps: list[SuiteStep] = []
    while tables <= SUITE_TABLES_MAX and all(step.carried(SUITE_P99_MS) for step in steps):
        async with _house() as house:
            steps.append(await play_suite(house, tables, seconds))
        print(f"{tables} tables, {steps[-1].hands} hands:", _line(steps[-1].outcome), *steps[-1].faults, flush=True)
        tables *= 2
    suite_report(BUILD, steps, SUITE_P99_MS)
    return 0 if steps[0].carried(SUITE_P99_MS) else 1


def _line(outcome: Outcome) -> str:
    return (
        f"{outcome.rate:8.1f}/s offered  {outcome.served:8.1f}/s answered  p50 {outcome.p50_ms:7.1f} ms  "
        f"p99 {outcome.p99_ms:7.1f} ms  refused {outcome.refused}  failed {outcome.failed}  not made {outcome.dropped}"
    )


@asynccontextmanager
async def _house() -> AsyncGenerator[House]:
    """A fresh suite."""
    with tempfile.TemporaryDirectory(prefix="load-", dir=BUILD.resolve()) as made:
        async with open_house(Path(made), environment()) as house:
            yield house


async def run(name: str, rate: float, seconds: float) -> int:
    """Load a fresh suite."""
    if name == SUITE:
        return await _suite(int(rate) or SUITE_TABLES, seconds)
    return await _service(name, rate, seconds)


def main() -> int:
    """Load, report, judge."""
    parser = argparse.ArgumentParser(prog="make load", description=__doc__)
    parser.add_argument("service", choices=[*SUBJECTS, SUITE])
    parser.add_argument("--rate", type=float, default=0.0, help="calls a second; for the suite: tables")
    parser.add_argument("--duration", type=float, default=20.0, help="seconds")
    given = parser.parse_args()
    BUILD.mkdir(parents=True, exist_ok=True)
    code = asyncio.run(run(given.service, given.rate, given.duration))
    print(f"{'thresholds hold' if code == 0 else 'THRESHOLDS BROKEN'}; report: {BUILD}/{given.service}.md and .html")
    return code


if __name__ == "__main__":
    sys.exit(main())
