"""The knee: more and more calls a second until a service is late or refuses; then twice as many, to see how."""

import time
from collections.abc import Sequence
from typing import Final

from tests.bench.house import House
from tests.bench.processes import cpu_seconds
from tests.load.k6 import offer, used_seconds
from tests.load.outcome import Outcome
from tests.load.subjects import Subject

STEPS: Final = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)
SERVED_SHARE: Final = 0.97
CALLER: Final = "k6"
SERVICES: Final = ("orchestrator", "betting", "dealer", "evaluator", "tournament_ledger")


async def measured(house: House, subject: Subject, rate: float, seconds: float) -> Outcome:
    """One step, with what each process computed meanwhile."""
    plan = await subject.plan(house)
    before = {service: cpu_seconds(house.pids(service)) for service in SERVICES}
    own, began = used_seconds(), time.perf_counter()
    outcome = await offer(house.folder, plan, rate, seconds)
    outcome.busy[CALLER] = (used_seconds() - own) / (time.perf_counter() - began)  # it starts before its first call
    for service, spent in before.items():
        outcome.busy[service] = (cpu_seconds(house.pids(service)) - spent) / outcome.seconds
    return outcome


def carried(outcome: Outcome, p99_ms: float) -> bool:
    """All answered in time, none refused."""
    answered = outcome.answered >= SERVED_SHARE * outcome.rate * outcome.seconds
    spared = outcome.refused == outcome.failed == outcome.dropped == 0
    return spared and answered and outcome.p99_ms <= p99_ms


async def climb(house: House, subject: Subject, rate: float, seconds: float) -> list[Outcome]:
    """Steps up to the first rate that is not carried, and one of twice that."""
    steps: list[Outcome] = []
    for factor in STEPS:
        steps.append(await measured(house, subject, rate * factor, seconds))
        if not carried(steps[-1], subject.p99_ms):
            break
    steps.append(await measured(house, subject, 2 * steps[-1].rate, seconds))
    return steps


def knee_of(steps: Sequence[Outcome], p99_ms: float) -> float | None:
    """The highest rate that was carried; None where not even the first one was."""
    rates = [step.rate for step in steps if carried(step, p99_ms)]
    return max(rates, default=None)


def busiest(outcome: Outcome) -> str:
    """What saturates first, beside what the caller takes, the start of k6 with all its callers included."""
    callers = {name: share for name, share in outcome.busy.items() if name not in SERVICES}
    service = max((name for name in outcome.busy if name in SERVICES), key=lambda name: outcome.busy[name])
    return ", ".join(f"{name} {share:.2f}" for name, share in ((service, outcome.busy[service]), *callers.items()))
