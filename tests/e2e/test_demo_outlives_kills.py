"""The robots and the picture of the demo outlive services that are killed (kill -9) in the middle of hands."""

import asyncio
import os
from functools import partial
from pathlib import Path

import pytest

from services.console.adapters.calls import until
from services.console.adapters.screen import PlainScreen
from services.console.adapters.suite import Suite
from services.console.commands.demo_evening import Evening
from services.console.domain.contest import plan_contest

pytestmark = [pytest.mark.process, pytest.mark.slow]
TOURNAMENT_SECONDS = 150.0
KILLED = ("orchestrator", "tournament_ledger", "orchestrator")
ACTIONS_BETWEEN = 5
THINKING_SECONDS = 0.03


async def _has_seen(screen: PlainScreen, actions_count: int) -> bool:
    return screen.show.actions_count >= actions_count


async def _kill_in_the_middle(suite: Suite, screen: PlainScreen) -> int:
    """Kill each service when a hand has got a little further, and start it again; how many were killed."""
    for service in KILLED:
        await until(partial(_has_seen, screen, screen.show.actions_count + ACTIONS_BETWEEN))
        await suite.kill(service)
        await suite.start(service)
    return len(KILLED)


async def test_robots_and_spectators_go_on_when_services_come_back(tmp_path: Path) -> None:
    contest = plan_contest(5, starting_stack_chips=2_000)
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")}
    screen = PlainScreen(every_line=False)
    async with Suite(tmp_path, environ) as suite:
        killing = asyncio.create_task(_kill_in_the_middle(suite, screen))
        evening = Evening(suite, contest, environ, seed=1, delay_seconds=THINKING_SECONDS)
        result = await evening.run(screen, TOURNAMENT_SECONDS)
        killed = await asyncio.wait_for(killing, 5.0)
    assert killed == len(KILLED)
    assert result.faults == ()
    assert result.check.zero_sum
    assert sum(line.chips for line in result.standings) == contest.chips_total
    assert result.robots.refused_count == 0
    assert result.voided_count == 0
