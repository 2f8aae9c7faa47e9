"""F15: the guard as a model, every state of it looked at by spin; a dealer without memory must be found out."""

import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tests.fairness.battery.rows import Row, Sizes, row, skipped

MODEL = Path(__file__).parents[1] / "early_street.pml"
CLAIMS = ("one_answer", "in_order", "live_only", "on_record", "no_early")
BROKEN: dict[tuple[int, int], frozenset[str]] = {
    (1, 1): frozenset(),
    (1, 0): frozenset({"no_early"}),
    (0, 1): frozenset({"one_answer", "live_only", "on_record", "in_order"}),
    (0, 0): frozenset(CLAIMS),
}
"""By guard and honest orchestrator: the claims that must be found broken, and no others."""
NAMES = {
    (1, 1): "the guard, an honest orchestrator: all claims hold",
    (1, 0): "the guard, a bought orchestrator: all hold but no_early, the named limit",
    (0, 1): "no memory, an honest orchestrator: four claims broken",
    (0, 0): "no memory, a bought orchestrator: every claim broken",
}
SECONDS_MOST = 900
TOOLS = ("spin", "gcc")


def errors_of(said: str) -> int:
    """How many faults spin found; SystemExit where it did not come to its end."""
    found = re.search(r"errors: (\d+)", said)
    if found is None or "max search depth too small" in said:
        raise SystemExit(f"spin did not come to its end: {said[-300:]}")
    return int(found[1])


def states_of(said: str) -> int:
    """How many states it looked at."""
    found = re.search(r"(\d+)\s+states, stored", said)
    return int(found[1]) if found else 0


def explored(guard: int, honest: int) -> tuple[frozenset[str], int]:
    """The claims that are broken in one variant of the model, and the states looked at for the largest of them."""
    with tempfile.TemporaryDirectory() as folder:

        def run(*command: str) -> str:
            done = subprocess.run(
                command, cwd=folder, capture_output=True, text=True, timeout=SECONDS_MOST, check=False
            )
            return done.stdout + done.stderr

        run("spin", f"-DGUARD={guard}", f"-DHONEST={honest}", "-a", str(MODEL))
        run("gcc", "-O2", "-o", "pan", "pan.c")
        said = {claim: run("./pan", "-a", "-m100000", "-N", claim) for claim in CLAIMS}
    broken = frozenset(claim for claim, text in said.items() if errors_of(text))
    return broken, max(states_of(text) for text in said.values())


def rows(sizes: Sizes) -> Iterator[Row]:
    """A row for each variant of the model."""
    missing = [tool for tool in TOOLS if shutil.which(tool) is None]
    for (guard, honest), wanted in BROKEN.items():
        what, demanded = f"spin: {NAMES[guard, honest]}", f"broken: {', '.join(sorted(wanted)) or 'none'}"
        if missing:
            yield skipped("F15", what, demanded, f"no {' and no '.join(missing)}: apt-get install spin gcc")
        elif sizes.share < 1:
            yield skipped("F15", what, demanded, "a minute of running: at full size only")
        else:
            broken, states = explored(guard, honest)
            found = f"{', '.join(sorted(broken)) or 'none'} in {states:,} states"
            yield row("F15", what, demanded, found, holds=broken == wanted)
