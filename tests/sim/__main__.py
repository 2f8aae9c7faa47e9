"""``python -m tests.sim --seeds 100 [--seed 17] [--jobs 2] [--fresh]``: worlds from seeds, and how many were clean."""

import argparse
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Final

from shared.observability.logging import configure_logging
from tests.sim.faults import FAULTS
from tests.sim.lives import whole
from tests.sim.plans import plan_of
from tests.sim.planted.fault import Fault, found_by
from tests.sim.world import Broken, Lived, live

TALLY: Final = Path("build/sim/tally.json")
"""Where the count is kept over runs."""
_CHUNK: Final = 4
_SAYS_EVERY: Final = 20
_BROKEN_MAX: Final = 5


def main(arguments: list[str]) -> int:
    """Run so many worlds more, or one; 1 where a world broke."""
    parser = argparse.ArgumentParser(prog="sim", description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="how many worlds more, default 100")
    parser.add_argument("--seed", type=int, help="one world, told step by step")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes, default one a core")
    parser.add_argument("--faults", action="store_true", help="put each seeded fault in and look how soon it is found")
    parser.add_argument("--fault", default="", help="only this one of them")
    parser.add_argument("--fresh", action="store_true", help="begin the count anew")
    options = parser.parse_args(arguments)
    if options.faults:
        return _faults(options.seeds, options.fault)
    if options.seed is not None:
        return _one(options.seed)
    return _many(options.seeds, options.jobs, fresh=options.fresh)


def _one(seed: int) -> int:
    """Replay a world: the same events, the same end."""
    _quiet()
    found = one_world(seed)
    if isinstance(found, Broken):
        _tell(found)
        return 1
    print(f"seed {seed}: clean, {found.events} durable writes, {found.hands} hands, journal {found.journal_hash}")
    return 0


def _faults(worlds: int, only: str) -> int:
    """Every fault that is put into the product, and the world that finds it; 1 where one is missed."""
    _quiet()
    missed, began = 0, time.process_time()
    wanted = [fault for fault in FAULTS if only in {"", fault.name}]
    for fault in wanted:
        found = _looked_for(fault, worlds)
        missed += found is None
    print(f"{len(wanted)} faults, {missed} missed, {time.process_time() - began:.0f} seconds of one core")
    return int(missed > 0 or not wanted)


def _looked_for(fault: Fault, worlds: int) -> Broken | None:
    began = time.process_time()
    found = found_by(fault, range(1, worlds + 1))
    where = str(found) if found is not None else f"NOT FOUND in {worlds} worlds"
    print(f"{fault.name:<23} {fault.what}\n    {time.process_time() - began:6.1f} s, {where}", flush=True)
    return found


def _many(seeds: int, jobs: int, *, fresh: bool) -> int:
    tally = _kept(fresh=fresh)
    first, began = tally["next_seed"], time.monotonic()
    totals, broken = Counter[str](), list[Broken]()
    for number, found in enumerate(_worlds(range(first, first + seeds), jobs), start=1):
        if isinstance(found, Broken):
            broken.append(found)
            _tell(found)
            if len(broken) >= _BROKEN_MAX:
                sys.exit(f"{len(broken)} worlds broke: enough to begin with")
        else:
            tally["clean_seeds"] += 1
            _add(totals, found)
        tally["next_seed"] = first + number
        _keep(tally)
        if number % _SAYS_EVERY == 0 or number == seeds:
            print(f"{number} of {seeds}: {number / (time.monotonic() - began):.2f} seeds a second", file=sys.stderr)
    seconds = time.monotonic() - began
    print(f"seeds {first} to {first + seeds - 1}: {seeds - len(broken)} clean, {len(broken)} broken")
    print(f"{seeds / seconds:.2f} seeds a second with {jobs} processes; clean over all runs: {tally['clean_seeds']}")
    print(", ".join(f"{name} {count:,}" for name, count in sorted(totals.items())))
    return 1 if broken else 0


def _add(totals: Counter[str], found: Lived) -> None:
    totals["durable writes"] += found.events
    totals["hands"] += found.hands
    totals["crashes"] += found.crashes
    totals["virtual hours"] += round(found.virtual_seconds / 3600, 2)  # type: ignore[assignment]  # shares of hours
    totals.update(f"worlds with {name}" for name in found.traits)
    totals.update({f"messages {name}": count for name, count in found.counted.items()})


def _worlds(seeds: range, jobs: int) -> Iterator[Lived | Broken]:
    """The worlds in the order of their seeds."""
    if jobs <= 1:
        _quiet()
        yield from map(one_world, seeds)
        return
    with ProcessPoolExecutor(jobs, initializer=_quiet) as pool:
        yield from pool.map(one_world, seeds, chunksize=_CHUNK)


def _quiet() -> None:
    configure_logging("sim", "critical")


def one_world(seed: int) -> Lived | Broken:
    """One world from its seed."""
    try:
        return live(plan_of(seed), whole)
    except Broken as broken:
        return broken


def _tell(broken: Broken) -> None:
    print("\n".join(("", *broken.trace[-25:])))
    print(f"BROKEN {broken}\nreplay: python -m tests.sim --seed {broken.seed}\n", flush=True)


def _kept(*, fresh: bool) -> dict[str, int]:
    if fresh or not TALLY.is_file():
        return {"next_seed": 1, "clean_seeds": 0}
    kept: dict[str, int] = json.loads(TALLY.read_text(encoding="utf-8"))
    return kept


def _keep(tally: dict[str, int]) -> None:
    TALLY.parent.mkdir(parents=True, exist_ok=True)
    TALLY.write_text(json.dumps(tally), encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
