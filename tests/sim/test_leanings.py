"""The worlds that seeds stand for have everything in them, each often enough, and no two seeds share their lots."""

from collections import Counter
from dataclasses import fields

from tests.sim.leanings import Leaning, Traits
from tests.sim.plans import plan_of

SEEDS = range(1, 501)


def test_every_trait_is_in_one_world_of_a_hundred_at_least_and_no_world_has_all() -> None:
    counted = Counter(name for seed in SEEDS for name in plan_of(seed).traits.names)
    assert set(counted) == {each.name for each in fields(Traits)}
    assert min(counted.values()) >= 5
    assert max(counted.values()) <= 250


def test_half_of_the_worlds_have_nothing_special_or_one_thing_only() -> None:
    few = sum(len(plan_of(seed).traits.names) < 2 for seed in SEEDS)
    assert 150 <= few <= 350


def test_who_looks_for_a_fault_draws_worlds_in_which_it_can_show() -> None:
    leaning = Leaning(tournament=1, late=1, purchases=0)
    plans = [plan_of(seed, leaning) for seed in range(1, 21)]
    assert all(plan.tournament and plan.traits.late for plan in plans)
    assert all(plan.rules.tournament.re_entry_max_count for plan in plans)


def test_a_seed_is_the_same_world_every_time() -> None:
    assert [plan_of(seed) for seed in range(1, 50)] == [plan_of(seed) for seed in range(1, 50)]
