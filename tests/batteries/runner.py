"""The command line of a battery of rows: some or all of them, at full size or a share of it, and their table."""

import argparse
import asyncio
import sys
import time
import traceback
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from shared.observability.logging import configure_logging
from tests.batteries.report import Row, Verdict, exit_code, judged, table

Found = TypeVar("Found")
Proof = Callable[[int], Iterator[Row]]
"""Proves a row, or several that come together, at this size."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Battery:
    """Rows with their sizes."""

    prog: str
    about: str | None
    full: Mapping[str, tuple[int, Proof]]
    """Each row's size, and what proves it; a size of 1 is not scaled."""
    least: Mapping[str, int] = field(default_factory=dict[str, int])
    """Below this a row proves nothing."""
    least_of_all: int = 1

    def run(self, arguments: Sequence[str]) -> int:
        """Run the rows asked for; the exit code tells whether all hold (3: some could not be run)."""
        parser = argparse.ArgumentParser(prog=self.prog, description=self.about)
        names = " ".join(self.full)
        parser.add_argument("rows", nargs="*", metavar="ROW", help=f"some of {names}; none = all")
        parser.add_argument("--scale", type=float, default=1.0, help="share of the full size, default 1")
        options = parser.parse_args(arguments)
        unknown = set(options.rows) - set(self.full)
        if unknown:
            parser.error(f"there is no row {', '.join(sorted(unknown))}: the rows are {names}")
        configure_logging("battery", "critical")
        rows: list[Row] = []
        for name in options.rows or self.full:
            rows += _timed(name, self._size(name, options.scale), self.full[name][1])
        print(table(rows))
        skipped = sum(row.verdict is Verdict.SKIPPED for row in rows)
        failed = sum(row.verdict is Verdict.FAILED for row in rows)
        print(f"\n{len(rows)} rows, {failed} failed, {skipped} skipped, scale {options.scale:g}")
        return exit_code(rows)

    def _size(self, name: str, scale: float) -> int:
        size = self.full[name][0]
        return size if size == 1 else max(int(size * scale), self.least.get(name, self.least_of_all))


def step_by_step(found: Callable[[], AsyncGenerator[Found, None]]) -> Iterator[Found]:
    """What an asynchronous generator finds, each as soon as it is found."""
    with asyncio.Runner() as runner:
        steps = found()
        try:
            while True:
                yield runner.run(anext(steps))
        except StopAsyncIteration:
            return
        finally:
            runner.run(steps.aclose())


def _timed(name: str, size: int, proof: Proof) -> list[Row]:
    """The rows of one proof with the time they took, each said as soon as it is known; one that breaks has failed."""
    print(f"{name}: size {size:,}", file=sys.stderr, flush=True)
    rows: list[Row] = []
    began = time.monotonic()
    try:
        for row in proof(size):
            rows.append(replace(row, seconds=time.monotonic() - began))
            print(f"{row.name}: {row.verdict}: {row.found}", file=sys.stderr, flush=True)
            began = time.monotonic()
    except Exception as fault:  # noqa: BLE001  # the other rows are wanted all the same
        traceback.print_exc()
        broken = judged(name, "runs to its end", f"broke with {type(fault).__name__}: {fault}", holds=False)
        rows.append(replace(broken, seconds=time.monotonic() - began))
        print(f"{name}: {broken.verdict}: {broken.found}", file=sys.stderr, flush=True)
    return rows
