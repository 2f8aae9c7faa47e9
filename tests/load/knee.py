"""The knee: more and more calls a second until a service is late or refuses; then twice as many, to see how."""

import time
from collections.abc import Sequence
from typing import Final

from tests.bench.house import House
from tests.bench.processes import cpu_seconds
from tests.load.offering import Ask, Outcome, offer
from tests.load.subjects import Subject

STEPS: Final = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)
SERVED_SHARE: Final = 0.97
CALLER: Final = "the caller itself"
"""Where the generator is the busiest, the knee found is the generator's, not the service's."""
SERVICES: Final = ("orchestrator", "betting", "dealer", "evaluator", "tournament_ledger")


async def measured(house: House, ask: Ask, rate: float, seconds: float) -> Outcome:
    """One step, with what each process computed meanwhile."""
    before = {service: cpu_seconds(house.pids(service)) for service in SERVICES}
    own = time.process_time()
    outcome = await offer(ask, rate, seconds)
    outcome.busy[CALLER] = (time.process_time() - own) / outcome.seconds
    for service, spent in before.items():
        outcome.busy[service] = (cpu_seconds(house.pids(service)) - spent) / outcome.seconds
    return outcome


def carried(outcome: Outcome, p99_ms: float) -> bool:
    """All answered in time, none refused."""
    answered = len(outcome.milliseconds) >= SERVED_SHARE * outcome.rate * min(outcome.seconds, 1e9) * 0.9
    return outcome.refused == 0 and outcome.failures == 0 and outcome.at(0.99) <= p99_ms and answered


async def climb(house: House, ask: Ask, subject: Subject, rate: float, seconds: float) -> list[Outcome]:
    """Steps up to the first rate that is not carried, and one of twice that."""
    steps: list[Outcome] = []
    for factor in STEPS:
        steps.append(await measured(house, ask, rate * factor, seconds))
        if not carried(steps[-1], subject.p99_ms):
            break
    steps.append(await measured(house, ask, 2 * steps[-1].rate, seconds))
    return steps


def knee_of(steps: Sequence[Outcome], p99_ms: float) -> float | None:
    """The highest rate that was carried; None where not even the first one was."""
    rates = [step.rate for step in steps if carried(step, p99_ms)]
    return max(rates, default=None)


def busiest(outcome: Outcome) -> str:
    """What saturates first."""
    service, share = max(outcome.busy.items(), key=lambda each: each[1])
    return f"{service} ({share:.2f} processors)"
