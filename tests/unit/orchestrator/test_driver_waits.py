"""How long a table waits before it tries again."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import cast

import pytest

from services.orchestrator.application.actor import Change, TableActor
from services.orchestrator.application.driver import ATTEMPTS_MAX, NEEDS_ATTENTION, Driver
from services.orchestrator.domain import next_step as step

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


async def _record(change: Change) -> None:
    assert change.facts


def driver_of_a_hand() -> Driver:
    """It drives a table in the middle of a hand."""
    witness = SimpleNamespace(step_failed=lambda *_: None)
    world = SimpleNamespace(clock=SimpleNamespace(now=lambda: NOON), witness=witness)
    table = SimpleNamespace(waiting_for="", hand=SimpleNamespace(in_play=True))
    return Driver(cast("TableActor", SimpleNamespace(table=table, table_id="one", record=_record, world=world)))


async def waits(service: str, tries: int) -> list[float]:
    """Seconds to the next try, try by try."""
    driver = driver_of_a_hand()
    found = [await driver._stall(service) for _ in range(tries)]
    return [(each.until - NOON).total_seconds() for each in found if each.until is not None]


@pytest.mark.parametrize("service", ["dealer", "betting", "evaluator", "tournament_ledger"])
async def test_a_table_asks_a_service_that_was_away_for_long_every_second(service: str) -> None:
    found = await waits(service, 50)
    assert len(found) == 50
    assert max(found) == 1.0
    assert found == sorted(found), "the first tries come quicker"


async def test_a_table_that_people_must_look_after_asks_ever_more_rarely() -> None:
    assert (await waits(NEEDS_ATTENTION, 50))[-1] == 5.0


async def test_a_long_outage_takes_nothing_from_the_patience_with_a_hand() -> None:
    """A fault that passes, as a service may have that is just starting, voids no hand (rule 106)."""
    driver = driver_of_a_hand()
    for _ in range(50):
        await driver._stall("evaluator")
    for _ in range(ATTEMPTS_MAX):
        assert await driver._failed(step.Await(), RuntimeError("just starting")) is not None
