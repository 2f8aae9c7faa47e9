"""Calls at a constant rate, timed from when they should have been made: a late service cannot slow its callers."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Final

import grpc

from tests.bench.measuring import percentile

OUTSTANDING_MAX: Final = 4000
"""Calls without an answer; beyond that the generator drops what it should have asked, and says so."""
Ask = Callable[[int], Awaitable[object]]


@dataclass(slots=True)
class Outcome:
    """What came of a step."""

    rate: float
    """Calls a second that were offered."""
    seconds: float
    milliseconds: list[float] = field(default_factory=list[float])
    """Of the calls that were answered, from their intended start."""
    refused: int = 0
    """Refused cleanly: RESOURCE_EXHAUSTED that says when to come back."""
    failed: dict[str, int] = field(default_factory=dict[str, int])
    """Everything else, by status."""
    dropped: int = 0
    busy: dict[str, float] = field(default_factory=dict[str, float])
    """Processors used by each process, 1.0 is one of them."""

    @property
    def served(self) -> float:
        """Calls answered a second."""
        return len(self.milliseconds) / self.seconds

    @property
    def failures(self) -> int:
        """Calls that ended in neither an answer nor a clean refusal."""
        return sum(self.failed.values()) + self.dropped

    def at(self, share: float) -> float:
        """Milliseconds within which this share was answered."""
        return percentile(self.milliseconds, share) if self.milliseconds else float("inf")


async def offer(ask: Ask, rate: float, seconds: float) -> Outcome:
    """So many calls a second for so long; returns when the last one has ended."""
    outcome, tasks = Outcome(rate, seconds), set[asyncio.Task[None]]()
    start = time.perf_counter()
    for number in range(int(rate * seconds)):
        due = start + number / rate
        ahead = due - time.perf_counter()
        if ahead > 0:
            await asyncio.sleep(ahead)
        if len(tasks) >= OUTSTANDING_MAX:
            outcome.dropped += 1
            continue
        task = asyncio.create_task(_one(ask, number, due, outcome))
        tasks.add(task)
        task.add_done_callback(tasks.discard)
    if tasks:
        await asyncio.wait(tasks)
    outcome.seconds = max(seconds, time.perf_counter() - start)
    return outcome


async def _one(ask: Ask, number: int, due: float, outcome: Outcome) -> None:
    try:
        await ask(number)
    except grpc.aio.AioRpcError as error:
        if is_clean_refusal(error):
            outcome.refused += 1
        else:
            name = error.code().name
            outcome.failed[name] = outcome.failed.get(name, 0) + 1
    else:
        outcome.milliseconds.append((time.perf_counter() - due) * 1000)


def is_clean_refusal(error: grpc.aio.AioRpcError) -> bool:
    """RESOURCE_EXHAUSTED with the time to come back."""
    trailer = dict(list(error.trailing_metadata()))
    told = "google.rpc.RetryInfo" in str(trailer.get("grpc-status-details-bin", b""))
    return error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED and told
