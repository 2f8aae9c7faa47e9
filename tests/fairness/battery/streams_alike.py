"""F11: no two seeds alike, over forked workers, restarts and a clock that stands still."""

import multiprocessing
import shutil
import subprocess
import sys
from collections.abc import Iterator
from itertools import chain

from tests.batteries.progress import Progress
from tests.fairness.battery.commitments import commitments
from tests.fairness.battery.rows import Row, Sizes, row, skipped

WORKERS = 8
OF_A_WORKER = 100_000
BEFORE_FORK = 100
RESTARTS = 100
OF_A_RESTART = 1_000
FROZEN = ("faketime", "-f", "2026-01-01 00:00:00")


def of_workers(count: int) -> list[bytes]:
    """From processes forked off one that has drawn before, as a copied generator would show."""
    before = commitments(BEFORE_FORK)
    with multiprocessing.get_context("fork").Pool(WORKERS) as pool:
        return [*before, *chain.from_iterable(pool.map(commitments, [count] * WORKERS, chunksize=1))]


def of_restarts(restarts: int, prefix: tuple[str, ...]) -> list[bytes]:
    """From processes started anew one after another."""
    command = (*prefix, sys.executable, "-m", commitments.__module__, str(OF_A_RESTART))
    found, progress = list[bytes](), Progress("F11, restarts", restarts)
    for _ in range(restarts):
        output = subprocess.run(command, capture_output=True, check=True, timeout=60).stdout
        found += [output[at : at + 32] for at in range(0, len(output), 32)]
        progress.add(1)
    progress.finish()
    return found


def rows(sizes: Sizes) -> Iterator[Row]:
    """One row over everything; one for the clock, which needs a tool."""
    restarts = sizes.of(RESTARTS, least=2)
    frozen = shutil.which(FROZEN[0]) is not None
    found = of_workers(sizes.of(OF_A_WORKER))
    found += of_restarts(restarts, ())
    if frozen:
        found += of_restarts(restarts, FROZEN)
    equal = len(found) - len(set(found))
    wanted = BEFORE_FORK + WORKERS * sizes.of(OF_A_WORKER) + (1 + frozen) * restarts * OF_A_RESTART
    name = f"equal among {len(found):,} commitments, {WORKERS} forked workers, {restarts} restarts"
    yield row("F11", name, "0", str(equal), holds=equal == 0 and len(found) == wanted)
    if frozen:
        yield row("F11", f"{restarts} restarts more with a frozen clock", "0 equal", str(equal), holds=equal == 0)
    else:
        yield skipped("F11", "restarts with a frozen clock", "0 equal", "no faketime: apt-get install faketime")
