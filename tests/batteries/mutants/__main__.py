"""`make mutants`: every mutant of the two domains tried; results in build/mutants, survivors in survivors.md."""

import argparse
import json
import os
import sys
from pathlib import Path

os.environ["HYPOTHESIS_PROFILE"] = "mutants"

import pytest
from hypothesis import Phase, settings

from tests.batteries.mutants import fresh, report
from tests.batteries.mutants.catalogue import ROOT, Mutant, modules
from tests.batteries.mutants.children import Children, Verdict
from tests.batteries.mutants.results import Results
from tests.batteries.mutants.session import MutantSession, mutants_wanted, quiet
from tests.batteries.progress import Progress

TESTS = (
    "tests/unit/betting",
    "tests/unit/evaluator",
    "tests/hands",
    "tests/property/test_evaluator_orders.py",
    "tests/property/test_evaluator_strength.py",
    "tests/property/test_random_hands.py::test_whatever_happens_in_a_hand_all_that_must_hold_holds[0]",
)
FRESH_SECONDS = 90.0
settings.register_profile(
    "mutants",
    derandomize=True,
    database=None,
    phases=(Phase.explicit, Phase.generate),
    deadline=None,
    max_examples=50,
)


class Run:
    """One run over mutants that are not settled yet."""

    def __init__(self, *, again: bool, workers: int, only: str, without: str) -> None:
        self._tests = [test for test in TESTS if (ROOT / test.split("::")[0]).exists() and test != without]
        self.results = Results(fresh=again)
        self.all = mutants_wanted([module for module in modules() if only in module])
        due = [mutant for mutant in self.all if not self.results.is_settled(mutant)]
        self.due = sorted(due, key=lambda mutant: self.results.verdict(mutant) is not None)
        """Those never tried first, then those that survived the last time."""
        self._workers, self._progress = workers, Progress("mutants", len(self.due))
        self._alive = 0

    def note(self, mutant: Mutant, verdict: Verdict) -> None:
        """Keep a verdict and say how far we are."""
        self.results.add(mutant, verdict)
        self._alive += verdict in report.ALIVE
        self._progress.add(1, f"{self._alive} survive")

    def go(self) -> None:
        """Mutants of functions in a loaded session, then those of what runs on loading, in new processes."""
        file = ROOT / "build" / "mutants" / "later.json"
        file.unlink(missing_ok=True)
        pid = os.fork()
        if pid == 0:
            self._loaded(file)
        if os.waitpid(pid, 0)[1]:
            raise SystemExit("mutants: the tests must pass before they can judge; run `make test` first")
        by_key = {mutant.key: mutant for mutant in self.due}
        later: dict[str, list[str]] = json.loads(file.read_text(encoding="utf-8"))
        self._progress.add(len(self.due) - len(later))
        children = Children(self._workers, lambda key, verdict: self.note(by_key[key], verdict))
        for key, files in later.items():
            children.start(key, fresh.trial(by_key[key], files), FRESH_SECONDS)
        children.wait()
        self._progress.finish()

    def _loaded(self, file: Path) -> None:
        """The part in which the domains are loaded, in a process of its own; pytest's own words are not wanted."""
        code = 1
        try:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            plugin = MutantSession(self.due, self._workers, self.note)
            code = int(pytest.main([*quiet(), *self._tests], plugins=[plugin]))
            file.write_text(json.dumps({each.key: plugin.files_of(each) for each in plugin.later}), encoding="utf-8")
        finally:
            os._exit(code)


def main() -> int:
    """Try what is not settled; 1 where a survivor has no reason."""
    parser = argparse.ArgumentParser(prog="make mutants")
    parser.add_argument("--fresh", action="store_true", help="forget what earlier runs found")
    parser.add_argument("--workers", type=int, default=2, help="mutants tried at the same time")
    parser.add_argument("--only", default="", help="modules whose path holds this")
    parser.add_argument("--without", default="", help="one of the test paths, left out")
    asked = parser.parse_args()
    os.chdir(ROOT)
    run = Run(again=asked.fresh, workers=asked.workers, only=asked.only, without=asked.without)
    run.go()
    results = Results(fresh=False)
    print(f"mutants: {report.write(mutants_wanted(list(modules())), results)}; see tests/batteries/survivors.md")
    return 1 if report.unexplained() else 0


if __name__ == "__main__":
    sys.exit(main())
