"""What a planted fault is: put into the product for the length of a with block, looked for in worlds that suit it."""

from collections.abc import Callable, Generator, Iterable
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest.mock import patch

from tests.sim.leanings import USUAL, Leaning
from tests.sim.lives import whole
from tests.sim.plans import plan_of
from tests.sim.world import Broken, live

Patch = Callable[[], AbstractContextManager[object]]


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that a tired programmer might write."""

    name: str
    what: str
    put: Patch
    leaning: Leaning = USUAL
    """In which worlds it is looked for: none that ``make sim`` would not draw, but those in which it matters."""
    rare: bool = False
    """Found by one world in many: looked for by ``make sim-faults`` alone."""


def instead(target: Any, name: str, new: Any) -> Patch:
    """This in the place of that."""
    return lambda: patch.object(target, name, new)


@contextmanager
def all_of(*patches: AbstractContextManager[object]) -> Generator[None]:
    """Several at once."""
    with ExitStack() as stack:
        for each in patches:
            stack.enter_context(each)
        yield


def found_by(fault: Fault, seeds: Iterable[int]) -> Broken | None:
    """The first of these worlds that breaks with the fault in the product, and is clean without it."""
    for seed in seeds:
        with fault.put():
            broken = _broken(fault, seed)
        if broken is not None and _broken(fault, seed) is None:
            return broken
    return None


def _broken(fault: Fault, seed: int) -> Broken | None:
    try:
        live(plan_of(seed, fault.leaning), whole)
    except Broken as broken:
        return broken
    return None
