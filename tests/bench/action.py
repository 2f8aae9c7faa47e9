"""The path of an action: caller, orchestrator, betting, durable append, against plain gRPC with the same messages.

Six players raise one another without end on third street, so that nothing but actions happens: every one is a call to
the orchestrator, one to betting, and one append. Every table has one action in flight.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from itertools import count
from statistics import median
from typing import Final

import grpc
from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import Stakes
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub

from tests.bench.house import BACKEND, House
from tests.bench.measuring import Findings, Options, Row, Samples, percentile
from tests.bench.messages import write_messages
from tests.bench.processes import cpu_seconds, floor_process
from tests.support.ledger_house import euro, fresh
from tests.support.servers import calling

IN_FLIGHT: Final = (1, 16, 64)
PLAYERS: Final = 6
STACK_CHIPS: Final = 10**9
SECTION: Final = "action path"
BESIDE: Final = "plain gRPC and append"
STAKES: Final = Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=5, upper_limit_chips=10)
PATIENCE_SECONDS: Final = 60.0
CALL_SECONDS: Final = 9.5
"""Less than the longest time of a call: the service need not set a limit of its own."""
ActCall = Callable[[pb.ActRequest], Awaitable[object]]


@dataclass(slots=True)
class RaisingTable:
    """A table at which everybody raises, and the next request to it."""

    table_id: str
    players: Sequence[str] = ()
    """In order of their seats."""
    turn_id: int = 0
    place: int = 0
    to_chips: int = 0
    numbers: "count[int]" = field(default_factory=count)

    def next_request(self) -> pb.ActRequest:
        """The next raise."""
        request = pb.ActRequest(
            request_id=f"{next(self.numbers):08x}-0000-4000-8000-{abs(hash(self.table_id)) % 16**12:012x}",
            table_id=self.table_id,
            player_id=self.players[self.place],
            turn_id=self.turn_id,
            kind=ActionKind.ACTION_KIND_RAISE,
            to_chips=self.to_chips,
        )
        self.turn_id += 1
        self.place = (self.place + 1) % len(self.players)
        self.to_chips += STAKES.lower_limit_chips
        return request


async def closed_loop(act: ActCall, tables: Sequence[RaisingTable], seconds: float) -> list[float]:
    """One action in flight at each table for so long; the milliseconds of each."""
    taken: list[float] = []
    end = time.perf_counter() + seconds

    async def play(table: RaisingTable) -> None:
        while (start := time.perf_counter()) < end:
            await act(table.next_request())
            taken.append((time.perf_counter() - start) * 1000)

    await asyncio.gather(*map(play, tables))
    return taken


def deep_rules() -> RuleSelection:
    """Raises without end."""
    selection = RuleSelection(preset="card_room")
    selection.overrides.hand.raise_cap = 0
    selection.overrides.cash.buy_in_min_chips = STACK_CHIPS
    selection.overrides.cash.buy_in_max_chips = STACK_CHIPS
    selection.overrides.cash.cash_stake_cap_minor = 0
    selection.overrides.clock.decision_seconds = 3600
    selection.overrides.clock.between_hands_seconds = 0
    return selection


async def raising_table(house: House, name: str) -> RaisingTable:
    """A table with its first hand under way, the bring-in posted and completed."""
    tables = house.tables
    opening = pb.OpenTableRequest(
        request_id=fresh(), name=name, rules=deep_rules(), stakes=STAKES, chip_value=euro(1), start_paused=True
    )
    table_id = (await tables.OpenTable(opening)).table.table_id
    seated = await house.seat(table_id, [f"{name}-{number}" for number in range(PLAYERS)], STACK_CHIPS)
    await tables.ResumeTable(pb.ResumeTableRequest(request_id=fresh(), table_id=table_id))
    return await _opened(tables, table_id, [seated[seat] for seat in sorted(seated)])


async def _opened(tables: TableServiceStub, table_id: str, players: list[str]) -> RaisingTable:
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (view := (await tables.GetTable(pb.GetTableRequest(table_id=table_id))).table).HasField("turn"):  # noqa: ASYNC110
            await asyncio.sleep(0.02)
    table = RaisingTable(table_id, players, view.turn.turn_id, players.index(view.turn.player_id), 0)
    for kind, to_chips in (
        (ActionKind.ACTION_KIND_BRING_IN, 0),
        (ActionKind.ACTION_KIND_COMPLETE, STAKES.lower_limit_chips),
    ):
        request = table.next_request()
        request.kind, request.to_chips = kind, to_chips
        await tables.Act(request)
    table.to_chips = 2 * STAKES.lower_limit_chips
    return table


@dataclass(slots=True)
class Side:
    """One way to act."""

    act: ActCall
    pids: tuple[int, ...]
    """Its server processes."""
    tables: list[RaisingTable]
    taken: list[list[float]] = field(default_factory=list[list[float]])
    """Milliseconds of each action, by round."""
    cpu_micros: list[float] = field(default_factory=list[float])
    """Of servers and caller together, an action."""

    async def warm_up(self, number: int, seconds: float) -> None:
        """Forget what was measured before, and run a little."""
        self.taken, self.cpu_micros = [], []
        await closed_loop(self.act, self.tables[:number], seconds)

    async def round(self, number: int, seconds: float) -> None:
        """One sample."""
        before = cpu_seconds(self.pids) + time.process_time()
        taken = await closed_loop(self.act, self.tables[:number], seconds)
        after = cpu_seconds(self.pids) + time.process_time()
        self.taken.append(taken)
        self.cpu_micros.append((after - before) / len(taken) * 1e6)


async def bench_action(findings: Findings, options: Options, house: House) -> None:
    """All rows of the action path."""
    tables = [await raising_table(house, f"raising-{number}") for number in range(max(IN_FLIGHT))]
    write_messages(house.folder)
    async with AsyncExitStack() as opened:
        betting = await opened.enter_async_context(floor_process("betting", house.folder))
        server = await opened.enter_async_context(floor_process("orchestrator", house.folder, betting.address))
        channel = await opened.enter_async_context(grpc.aio.insecure_channel(server.address))
        caller = await opened.enter_async_context(calling(house.suite.address("orchestrator"), BACKEND, CALL_SECONDS))
        copies = [RaisingTable(each.table_id, each.players) for each in tables]
        ours = Side(TableServiceStub(caller).Act, house.pids("orchestrator", "betting"), tables)
        floor = Side(TableServiceStub(channel).Act, (server.pid, betting.pid), copies)
        for number in IN_FLIGHT:
            for side in (ours, floor):
                await side.warm_up(number, min(0.5, options.seconds))
            for _ in range(options.rounds):
                await ours.round(number, options.seconds)
                await floor.round(number, options.seconds)
            _add_rows(findings, options, number, ours, floor)


def _add_rows(findings: Findings, options: Options, number: int, ours: Side, floor: Side) -> None:
    figures: tuple[tuple[str, Callable[[list[float]], float], float, bool], ...] = (
        ("actions a second", lambda found: len(found) / options.seconds, 0.7, False),
        ("p50 ms", median, 1.4, True),
        ("p99 ms", lambda found: percentile(found, 0.99), 2.0, True),
    )
    for unit, figure, target, at_most in figures:
        mine, theirs = (tuple(figure(found) for found in side.taken) for side in (ours, floor))
        findings.add(_row(f"{number} in flight, {unit}", unit, (mine, theirs), target, at_most=at_most))
    spent = (tuple(ours.cpu_micros), tuple(floor.cpu_micros))
    findings.add(_row(f"{number} in flight, CPU us an action", "us", spent, 1 / 0.7, at_most=True))
    picture = findings.latencies.setdefault(f"action, {number} in flight", {})
    for side, name in ((ours, "ours"), (floor, BESIDE)):
        picture[name] = [each for found in side.taken for each in found]


def _row(name: str, unit: str, samples: tuple[Samples, Samples], target: float, *, at_most: bool) -> Row:
    return Row(
        section=SECTION,
        name=name,
        unit=unit,
        ours=samples[0],
        beside=BESIDE,
        floor=samples[1],
        target=target,
        at_most=at_most,
    )
