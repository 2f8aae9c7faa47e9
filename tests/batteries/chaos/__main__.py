"""``python -m tests.batteries.chaos [--kills 1000] [SERVICE ...]``: real processes, hurt; one row a promise."""

import argparse
import asyncio
import os
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path

from services.console.domain.suite_plan import SERVICES
from tests.batteries.chaos.hand import Processes, play
from tests.batteries.report import Row, exit_code, judged, skipped, table

RESTART_SECONDS_MAX = 5.0
NOT_RUN = (
    ("S1-T", "500 kills at random moments of a tournament", "this battery has no such row yet"),
    ("S5", "SIGSTOP of each service, others go on, old writes refused", "this battery has no such row yet"),
    ("L5", "EIO and ENOSPC at each sync", "this battery has no such row yet; the simulated disks fail in make sim"),
    ("S19", "wall clock jumps of an hour", "this battery has no such row yet"),
)


async def _hand(victim: str, kills_max: int) -> Row:
    """The hand played twice, once undisturbed."""
    demanded = f"{victim} killed after each action: same journal, 0 voided, first action within 5 s of the restart"
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")}
    with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
        async with Processes(Path(folder), environ) as processes:
            wanted = await play(processes)
            found = await play(processes, victim, kills_max)
    voided = sum(line.startswith("hand_voided") for line in found.journal)
    same = found.journal == wanted.journal
    said = f"{found.kills} kills, {voided} voided, slowest {found.slowest_seconds:.2f} s, journal "
    said += "equal" if same else f"OTHER: {_first_difference(wanted.journal, found.journal)}"
    holds = same and not voided and found.kills > 0 and found.slowest_seconds <= RESTART_SECONDS_MAX
    return judged("S1", demanded, said, holds=holds)


def _first_difference(wanted: Sequence[str], found: Sequence[str]) -> str:
    pairs = zip_longest(wanted, found, fillvalue="nothing")
    return next(f"{one} / {other}" for one, other in pairs if one != other)


def main(arguments: list[str]) -> int:
    """Run the rows; the exit code is 3 where something could not be run."""
    parser = argparse.ArgumentParser(prog="chaos", description=__doc__)
    parser.add_argument("services", nargs="*", metavar="SERVICE", help="whom to kill; none = each")
    parser.add_argument("--kills", type=int, default=1000, help="at most so many kills a hand")
    options = parser.parse_args(arguments)
    rows: list[Row] = []
    for service in options.services or SERVICES:
        began = time.monotonic()
        row = asyncio.run(_hand(service, options.kills))
        rows.append(replace(row, seconds=time.monotonic() - began))
        print(table(rows[-1:]), flush=True)
    rows += [skipped(*row) for row in NOT_RUN]
    print(table(rows))
    return exit_code(rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
