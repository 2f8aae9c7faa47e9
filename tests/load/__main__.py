"""``make load SERVICE=<name> [RATE=...] [DURATION=...]``: exit code 0 when the thresholds hold, 1 when not.

A service gets its calls at RATE a second for DURATION seconds; then steps up to its knee and beyond. ``suite`` plays
real hands at RATE tables. Reports: build/load/<name>.md and .html.
"""

import argparse
import asyncio
import os
import sys
import tempfile
from pathlib import Path
from typing import Final

from tests.bench.house import House, open_house
from tests.load.knee import carried, climb, measured
from tests.load.offering import Outcome
from tests.load.playing import play_suite
from tests.load.report import suite_report, write_report
from tests.load.subjects import SUBJECTS

BUILD: Final = Path("build/load")
SUITE: Final = "suite"
SUITE_TABLES: Final = 20
SUITE_P99_MS: Final = 1000.0
UNARY_CALLS_MAX: Final = "64"
"""Calls that each service works on at once while it is loaded: what is beyond is refused, what is inside is quick."""
STEP_SECONDS_MAX: Final = 5.0


def environment() -> dict[str, str]:
    """The services' settings under load."""
    services = ("DEALER", "BETTING", "EVALUATOR", "TOURNAMENT_LEDGER", "ORCHESTRATOR")
    return {**os.environ, **{f"SEVENSTUD_{each}_UNARY_CALLS_MAX": UNARY_CALLS_MAX for each in services}}


async def _service(house: House, name: str, rate: float, seconds: float) -> int:
    subject = SUBJECTS[name]
    ask = await subject.prepare(house)
    wanted = rate or subject.rate
    await measured(house, ask, wanted / 2, min(2.0, seconds))
    steady = await measured(house, ask, wanted, seconds)
    print(_line(steady), flush=True)
    steps = await climb(house, ask, subject, wanted, min(STEP_SECONDS_MAX, seconds))
    print("\n".join(_line(step) for step in steps), flush=True)
    write_report(BUILD, subject, steady, steps)
    return 0 if carried(steady, subject.p99_ms) else 1


async def _suite(house: House, tables: int, seconds: float) -> int:
    outcome, faults, hands = await play_suite(house, tables, seconds)
    print(_line(outcome), f"{hands} hands, {len(faults.found)} faults", flush=True)
    print("\n".join(faults.found))
    suite_report(BUILD, outcome, tables, hands, faults.found)
    return 0 if not faults.found and outcome.milliseconds and outcome.at(0.99) <= SUITE_P99_MS else 1


def _line(outcome: Outcome) -> str:
    return (
        f"{outcome.rate:8.1f}/s offered  {outcome.served:8.1f}/s answered  p50 {outcome.at(0.5):7.1f} ms  "
        f"p99 {outcome.at(0.99):7.1f} ms  refused {outcome.refused}  failed {outcome.failures} {outcome.failed or ''}"
    )


async def run(name: str, rate: float, seconds: float) -> int:
    """A fresh suite, loaded."""
    build = BUILD.resolve()
    with tempfile.TemporaryDirectory(prefix="load-", dir=build) as made:
        async with open_house(Path(made), environment()) as house:
            if name == SUITE:
                return await _suite(house, int(rate) or SUITE_TABLES, seconds)
            return await _service(house, name, rate, seconds)


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
