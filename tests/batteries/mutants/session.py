"""The tests of the rules, collected once; each mutant is tried in a child by the tests that call the function.

The mutant's code takes the place of the function's code, so every module that imported the function has the mutant.
"""

import hashlib
import importlib
import json
import os
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import CodeType, FunctionType

import pytest

from tests.batteries.mutants.catalogue import DOMAINS, ROOT, Mutant, mutants_of, mutated
from tests.batteries.mutants.children import KILLED, Children, Verdict
from tests.batteries.mutants.results import UNSEEN
from tests.batteries.mutants.tests_seen import calls_seen

Report = Callable[[Mutant, Verdict], None]
SECONDS_LEAST = 20.0
SLOW_SAMPLE = "tests/unit/evaluator/test_equity.py::test_a_sample_agrees_with_the_exact_count_within_its_error"
"""A statistical test of five seconds; what it looks at is also counted out exactly in others."""
ARRAYS = "tests/unit/evaluator/test_engines.py"
"""Tests of the engines beside the domain, which compare them with its tables: slow, and no test of the rules."""


class MutantSession:
    """A pytest plugin: instead of running the tests once, runs some of them for every mutant."""

    def __init__(self, mutants: Sequence[Mutant], workers: int, report: Report) -> None:
        self._mutants = {mutant.key: mutant for mutant in mutants}
        self._workers, self._report = workers, report
        self._early: set[str] = set()
        self._early_seen = calls_seen(self._early)
        self.later: list[Mutant] = []
        """Mutants of code that runs while modules are loaded: to be tried in processes that have not loaded it."""
        self.tests_by_function: dict[str, list[tuple[str, float]]] = {}
        """Tests that call a function, the quickest first, with their seconds."""

    def files_of(self, mutant: Mutant) -> list[str]:
        """Files with tests of the mutant's service, those of single rules and the quickest first."""
        service = mutant.module.rsplit("/", 1)[0]
        rows = [row for name, row in self.tests_by_function.items() if name.startswith(service)]
        seconds: Counter[str] = Counter()
        for test, spent in {pair for row in rows for pair in row}:
            seconds[test.split("::", maxsplit=1)[0]] += int(1000 * spent)
        return sorted(seconds, key=lambda file: ("unit" not in file, seconds[file]))

    def pytest_sessionstart(self) -> None:
        """What runs from here to the end of the collection runs early."""
        self._early_seen.__enter__()

    def pytest_collection_finish(self) -> None:
        """Everything is loaded."""
        self._early_seen.__exit__(None, None, None)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """All tests once, to see what they call; then the mutants."""
        by_id = {item.nodeid: item for item in session.items}
        self._see_calls(session)
        children = Children(self._workers, lambda key, verdict: self._report(self._mutants[key], verdict))
        for mutant in self._mutants.values():
            tests = self.tests_by_function.get(f"{mutant.module}:{mutant.scope}", [])
            if not mutant.function or f"{mutant.module}:{mutant.scope}" in self._early:
                self.later.append(mutant)
            elif not tests:
                self._report(mutant, UNSEEN)
            else:
                items = [by_id[name] for name, _ in tests]
                seconds = SECONDS_LEAST + 5 * sum(spent for _, spent in tests)
                children.start(mutant.key, _trial(session, mutant, items), seconds)
        children.wait()
        return True

    def _see_calls(self, session: pytest.Session) -> None:
        """In a child, so that nothing is warm or kept when the mutants start."""
        file = ROOT / "build" / "mutants" / f"calls-{_digest(session)}.json"
        faults: list[Verdict] = []
        child = Children(1, lambda _, verdict: faults.append(verdict))
        if not file.exists():
            child.start("all tests", lambda: _watch(session, file), 1800)
            child.wait()
        if faults == [KILLED]:
            reason = file.read_text(encoding="utf-8")
            file.unlink()
            raise pytest.UsageError(f"a test fails on the code as it is: {reason}")
        seen: dict[str, tuple[float, list[str]]] = json.loads(file.read_text(encoding="utf-8"))
        for test, (seconds, functions) in sorted(seen.items(), key=lambda row: row[1][0]):
            for function in functions:
                self.tests_by_function.setdefault(function, []).append((test, seconds))


def _digest(session: pytest.Session) -> str:
    """Changes with every test and every line of the domains and of what tests share."""
    sources = [path for folder in (*DOMAINS, "tests/support", "tests/batteries/hands") for path in _files(folder)]
    digest = hashlib.sha256("".join(item.nodeid for item in session.items).encode())
    for path in sorted({*sources, *(item.path for item in session.items)}):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:12]


def _files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).glob("*.py"))


def _watch(session: pytest.Session, file: Path) -> int:
    seen: dict[str, tuple[float, list[str]]] = {}
    for at, item in enumerate(session.items):
        functions: set[str] = set()
        began = time.monotonic()
        with calls_seen(functions):
            _run(item, session.items[at + 1] if at + 1 < len(session.items) else None)
        seen[item.nodeid] = time.monotonic() - began, sorted(functions)
        if session.testsfailed:
            file.write_text(f"failed: {item.nodeid}", encoding="utf-8")
            return 1
    file.write_text(json.dumps(seen), encoding="utf-8")
    return 0


def _trial(session: pytest.Session, mutant: Mutant, items: Sequence[pytest.Item]) -> Callable[[], int]:
    def work() -> int:
        exchange(mutant)
        for at, item in enumerate(items):
            _run(item, items[at + 1] if at + 1 < len(items) else None)
            if session.testsfailed:
                return 1
        return 0

    return work


def _run(item: pytest.Item, following: pytest.Item | None) -> None:
    item.ihook.pytest_runtest_protocol(item=item, nextitem=following)


def exchange(mutant: Mutant) -> None:
    """Give the loaded function the mutant's code."""
    module = importlib.import_module(mutant.module.removesuffix(".py").replace("/", "."))
    function: FunctionType = getattr(module, mutant.scope)
    whole = compile(mutated(mutant), str(ROOT / mutant.module), "exec")
    function.__code__ = _code_of(whole, mutant.scope)


def _code_of(whole: CodeType, name: str) -> CodeType:
    for each in whole.co_consts:
        if isinstance(each, CodeType) and each.co_name == name:
            return each
    raise LookupError(name)


def mutants_wanted(modules: Sequence[str]) -> list[Mutant]:
    """All mutants of these modules."""
    return [mutant for module in modules for mutant in mutants_of(module)]


def quiet() -> list[str]:
    """Options of pytest for a run of which only the verdict counts."""
    return [
        "-q",
        "-s",
        "-p",
        "no:cacheprovider",
        "-W",
        "ignore::pytest.PytestAssertRewriteWarning",
        f"--rootdir={os.fspath(ROOT)}",
        f"--deselect={SLOW_SAMPLE}",
        f"--ignore={ARRAYS}",
    ]
