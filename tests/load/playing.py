"""The suite under load: tables of robots at human pace, one action every four seconds, and what must hold meanwhile.

Versions of a table's events follow one another without a gap, chips at a table stay what was brought to it, and no
clock ends for a player who answers in time. A robot that is refused comes back when it was told to, with the same call.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from random import Random
from typing import Final

from grpc import StatusCode
from grpc.aio import AioRpcError
from sevenstud.common.v1.betting_pb2 import ActionCause, ActionKind
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent
from sevenstud.orchestrator.v1.table_pb2 import Turn

from tests.bench.action import STAKES, deep_rules
from tests.bench.house import House
from tests.bench.measuring import percentile
from tests.bench.processes import cpu_seconds
from tests.load.knee import SERVICES
from tests.load.outcome import Outcome
from tests.support.ledger_house import euro, fresh

PLAYERS: Final = 4
STACK_CHIPS: Final = 100_000
PACE_SECONDS: Final = 4.0
CHEAPEST: Final = (ActionKind.ACTION_KIND_CHECK, ActionKind.ACTION_KIND_CALL, ActionKind.ACTION_KIND_BRING_IN)
FOLDS_ONE_IN: Final = 4
RETRY_INFO: Final = "google.rpc.RetryInfo"
COME_BACK_SECONDS: Final = 1.0
"""What every refusal of a service that has too much to do says."""


@dataclass(slots=True)
class Faults:
    """What should never be, and what may: calls refused with the time to come back."""

    refused: int = 0
    found: list[str] = field(default_factory=list[str])

    def say(self, what: str) -> None:
        """Keep it; the first ones tell enough."""
        if len(self.found) < 20:
            self.found.append(what)


class PacedTable:
    """A table whose players take their time."""

    def __init__(
        self, house: House, name: str, taken_ms: list[float], faults: Faults, pace_seconds: float = PACE_SECONDS
    ) -> None:
        self._pace_seconds = pace_seconds
        self._house, self._name, self._taken_ms, self._faults = house, name, taken_ms, faults
        self._random = Random(name)
        self._version = 0
        self.events = 0
        self.hands = 0

    async def open(self) -> None:
        """Players with money, about to begin."""
        rules = deep_rules()
        rules.overrides.clock.showdown_seconds = 0
        rules.overrides.clock.decision_seconds = 60
        opening = pb.OpenTableRequest(
            request_id=fresh(), name=self._name, rules=rules, stakes=STAKES, chip_value=euro(1), start_paused=True
        )
        opening.rules.overrides.cash.buy_in_min_chips = STACK_CHIPS
        opening.rules.overrides.cash.buy_in_max_chips = STACK_CHIPS
        self.table_id = (await self._house.tables.OpenTable(opening)).table.table_id
        names = [f"{self._name}-{number}" for number in range(PLAYERS)]
        await self._house.seat(self.table_id, names, STACK_CHIPS)

    async def play(self, seconds: float, *, whole: bool = False) -> None:
        """For so long; the hand in play is left where it is, unless whole hands are wanted. Not all begin at once."""
        await asyncio.sleep(self._random.uniform(0.0, self._pace_seconds))
        end = time.perf_counter() + seconds
        resuming = pb.ResumeTableRequest(request_id=fresh(), table_id=self.table_id)
        await self._asked(lambda: self._house.tables.ResumeTable(resuming))
        async with aclosing(self._watched()) as items:
            async for item in items:
                if item.HasField("table"):
                    self._version = item.table.version
                elif item.HasField("event"):
                    await self._take(item.event)
                else:
                    self._faults.say(f"{self._name}: the stream ended ({item.ended.reason})")
                    return
                if time.perf_counter() > end and (item.event.HasField("hand_ended") or not whole):
                    break

    async def _watched(self) -> AsyncGenerator[pb.WatchResponse]:
        """The table, and what happens at it."""
        while True:
            stream = self._house.tables.Watch(pb.WatchRequest(table_id=self.table_id))
            try:
                async for item in stream:
                    yield item
            except AioRpcError as error:
                await self._come_back(error)
            else:
                return
            finally:
                stream.cancel()

    async def _asked(self, call: Callable[[], Awaitable[object]]) -> float:
        """Make a call until it is taken; when the one that was taken began."""
        while True:
            start = time.perf_counter()
            try:
                await call()
            except AioRpcError as error:
                await self._come_back(error)
            else:
                return start

    async def _come_back(self, error: AioRpcError) -> None:
        """Wait where the call was refused with the time to come back; anything else is a fault."""
        trailers = dict(list(error.trailing_metadata()))
        if error.code() is not StatusCode.RESOURCE_EXHAUSTED or RETRY_INFO not in str(trailers):
            raise error
        self._faults.refused += 1
        await asyncio.sleep(COME_BACK_SECONDS)

    async def _take(self, event: TableEvent) -> None:
        if event.version != self._version + 1:
            self._faults.say(f"{self._name}: event {event.version} after {self._version}")
        self._version = event.version
        self.events += 1
        if event.HasField("turn_started"):
            await self._act(event.turn_started.turn)
        elif event.HasField("action_taken") and event.action_taken.cause == ActionCause.ACTION_CAUSE_CLOCK:
            self._faults.say(f"{self._name}: a clock ended in turn {event.action_taken.turn_id}")
        elif event.HasField("hand_ended"):
            self._count(event)

    def _count(self, event: TableEvent) -> None:
        """The hand's chips: as many after as before, and as many as were brought."""
        self.hands += 1
        before = sum(result.before_chips for result in event.hand_ended.results)
        after = sum(result.after_chips for result in event.hand_ended.results) + event.hand_ended.rake_chips
        if before != after:
            self._faults.say(f"{self._name}: {before} chips became {after}")

    async def _act(self, turn: Turn) -> None:
        await asyncio.sleep(self._random.uniform(0.5, 1.5) * self._pace_seconds)
        legal = {each.kind for each in turn.legal.actions}
        kind = next(each for each in CHEAPEST if each in legal)
        if ActionKind.ACTION_KIND_FOLD in legal and kind == ActionKind.ACTION_KIND_CALL:
            kind = ActionKind.ACTION_KIND_FOLD if self._random.randrange(FOLDS_ONE_IN) == 0 else kind
        request = pb.ActRequest(
            request_id=fresh(), table_id=self.table_id, player_id=turn.player_id, turn_id=turn.turn_id, kind=kind
        )
        start = await self._asked(lambda: self._house.tables.Act(request))
        self._taken_ms.append((time.perf_counter() - start) * 1000)


@dataclass(frozen=True, slots=True, kw_only=True)
class SuiteStep:
    """What came of so many tables."""

    tables: int
    hands: int
    outcome: Outcome
    faults: tuple[str, ...]

    def carried(self, p99_ms: float) -> bool:
        """Nothing wrong, nothing refused, and every action in time."""
        return (
            not self.faults and not self.outcome.refused and self.outcome.answered > 0 and self.outcome.p99_ms <= p99_ms
        )


async def play_suite(house: House, tables: int, seconds: float) -> SuiteStep:
    """Robots at so many tables; what acting took, what was wrong, how many hands were played."""
    taken_ms, faults = list[float](), Faults()
    opened = [PacedTable(house, f"suite-{number}", taken_ms, faults) for number in range(tables)]
    for table in opened:
        await table.open()
    before, own = {service: cpu_seconds(house.pids(service)) for service in SERVICES}, time.process_time()
    ended = await asyncio.gather(*(table.play(seconds) for table in opened), return_exceptions=True)
    busy = {service: (cpu_seconds(house.pids(service)) - spent) / seconds for service, spent in before.items()}
    for table, end in zip(opened, ended, strict=True):
        if isinstance(end, BaseException):
            faults.say(f"{table.table_id}: {type(end).__name__}: {end}"[:300])
    outcome = Outcome(
        rate=tables / PACE_SECONDS,
        seconds=seconds,
        answered=len(taken_ms),
        p50_ms=percentile(taken_ms, 0.5) if taken_ms else float("inf"),
        p99_ms=percentile(taken_ms, 0.99) if taken_ms else float("inf"),
        refused=faults.refused,
        busy={**busy, "the robots": (time.process_time() - own) / seconds},
    )
    hands = sum(table.hands for table in opened)
    return SuiteStep(tables=tables, hands=hands, outcome=outcome, faults=tuple(faults.found))
