"""Mutants of tables and constants: tried in a child that loads the code with the mutant already in it."""

import sys
from collections.abc import Callable, Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType

import pytest

from tests.batteries.mutants.catalogue import ROOT, Mutant, mutated
from tests.batteries.mutants.session import quiet


class _MutantLoader(Loader):
    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant

    def exec_module(self, module: ModuleType) -> None:
        """The module with the change in it."""
        exec(compile(mutated(self._mutant), str(ROOT / self._mutant.module), "exec"), module.__dict__)  # noqa: S102


class _MutantFinder(MetaPathFinder):
    """Gives the mutant where its module is asked for."""

    def __init__(self, mutant: Mutant) -> None:
        self._name = mutant.module.removesuffix(".py").replace("/", ".")
        self._loader = _MutantLoader(mutant)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module's own place, another loader."""
        if fullname != self._name:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None:
            spec.loader = self._loader
        return spec


def trial(mutant: Mutant, tests: Sequence[str]) -> Callable[[], int]:
    """Load the mutant and run these tests, those of single rules first; 0 where all pass."""

    def work() -> int:
        sys.meta_path.insert(0, _MutantFinder(mutant))
        units = [test for test in tests if test.startswith("tests/unit")]
        others = [test for test in tests if test not in units]
        return any(int(pytest.main([*quiet(), "-x", *part])) for part in (units, others) if part)

    return work
