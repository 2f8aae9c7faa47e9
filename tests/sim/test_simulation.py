"""Whole worlds from their seeds: what must hold does, and a seed is the same world every time."""

import subprocess
import sys

import pytest

from tests.sim.__main__ import one_world
from tests.sim.faults import FAULTS
from tests.sim.lives import whole
from tests.sim.plans import plan_of
from tests.sim.planted.fault import found_by
from tests.sim.world import Broken, Lived, live

SEEDS = (1, 6, 8)
"""Cash tables and tournaments, in calm and in storm."""


@pytest.mark.parametrize("seed", SEEDS)
def test_a_world_lives_to_its_end_and_everything_holds(seed: int) -> None:
    found = one_world(seed)
    assert isinstance(found, Lived), found
    assert found.hands > 0


def test_the_worlds_of_these_tests_know_tournaments_crashes_and_calm() -> None:
    plans = [plan_of(seed) for seed in SEEDS]
    assert {plan.tournament for plan in plans} == {True, False}
    assert {plan.chaos.mean_seconds > 0 for plan in plans} == {True, False}


@pytest.mark.process
def test_the_same_seed_has_the_same_journal_in_another_process_with_other_hashes() -> None:
    said = {
        subprocess.run(
            [sys.executable, "-m", "tests.sim", "--seed", "8"],
            env={"PYTHONHASHSEED": number},
            capture_output=True,
            text=True,
            check=True,
            timeout=280,
        ).stdout
        for number in ("1", "2")
    }
    assert len(said) == 1
    assert "journal" in said.pop()


def test_a_broken_world_breaks_again_at_the_same_event_with_the_same_trace() -> None:
    fault = next(each for each in FAULTS if each.name == "gives_up")
    found = (found_by(fault, (seed,)) for seed in range(1, 30))
    first = next(each for each in found if each is not None and "crashes" in "".join(each.trace))
    ends: list[Broken] = []
    for _ in range(2):
        with fault.put(), pytest.raises(Broken) as broken:
            live(plan_of(first.seed, fault.leaning), whole)
        ends.append(broken.value)
    first, second = ends
    assert first.event == second.event > 0
    assert (first.what, first.trace) == (second.what, second.trace)
