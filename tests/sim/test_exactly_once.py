"""Exactly once, whatever is lost: callers that hang up half-way, answers that never arrive, crashes at a booking.

The judge of the worlds does the counting: every accepted command once, every other not at all, one entry a hand.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta

import pytest

from services.orchestrator.domain.hand_facts import HandBooked, HandEnded
from shared.storage.database import Statement
from tests.sim.courses import play
from tests.sim.loop import BEGAN, run_world
from tests.sim.nodes import LEDGER, ORCHESTRATOR
from tests.sim.plans import calm
from tests.sim.weather import Weather
from tests.sim.world import Lived, World, live

BACKLOG_SECONDS_MAX = 10.0
CASH = 8
"""A seed whose world is a cash table of a few hands."""


def test_callers_that_hang_up_in_the_middle_of_handlers_leave_no_half_state() -> None:
    worlds = [live(replace(calm(seed), hasty_rate=0.7), play) for seed in (1, 3, CASH)]
    assert sum(found.counted["cancelled"] for found in worlds) >= 5


@pytest.mark.parametrize("seed", [1, CASH])
def test_an_answer_that_was_lost_is_given_again_and_nothing_is_done_twice(seed: int) -> None:
    found = live(replace(calm(seed), weather=Weather(loss_rate=0.05, twice_rate=0.3)), play)
    assert found.hands > 0
    assert found.counted["lost"] > 5
    assert found.counted["twice"] > 10


@dataclass(slots=True)
class Around:
    """Kills ledger, orchestrator or both at the moment at which a hand is booked, before anybody is answered."""

    world: World
    killed: int = 0
    up_at: dict[str, float] = field(default_factory=dict[str, float])

    def __post_init__(self) -> None:
        ledger = self.world.nodes[LEDGER]
        usual = ledger._nature.committed

        def committed(node: str, statements: Sequence[Statement]) -> None:
            usual(node, statements)
            if any("HAND_RECORDED" in each.params for each in statements):
                self._kill()

        ledger._nature.committed = committed

    def _kill(self) -> None:
        victims = ((LEDGER,), (ORCHESTRATOR,), (LEDGER, ORCHESTRATOR))[self.killed % 3]
        self.killed += 1
        for name in victims:
            self.world.loop.call_soon(self.world.crash, name)


async def booked_in_time(world: World) -> None:
    """Play, then look how long each hand waited for its booking."""
    around = Around(world)
    await play(world)
    assert around.killed > 1
    for truth in world.judge.tables.values():
        ended = {each.hand_id: each.at for each in truth.events if isinstance(each.fact, HandEnded)}
        booked = {each.hand_id: each.at for each in truth.events if isinstance(each.fact, HandBooked)}
        assert booked.keys() == ended.keys()
        down_at_most = timedelta(seconds=6.0)
        for hand_id, at in booked.items():
            assert at - ended[hand_id] <= down_at_most + timedelta(seconds=BACKLOG_SECONDS_MAX)
            assert at > BEGAN
            assert world.judge.ledger.hands[hand_id] == 1


@pytest.mark.parametrize("seed", [3, CASH])
def test_a_hand_is_booked_once_whoever_dies_while_it_is_booked_and_the_backlog_drains(seed: int) -> None:
    found = run_world(lambda loop: World(loop, calm(seed)).live(booked_in_time))
    assert isinstance(found, Lived)
    assert found.crashes > 1
