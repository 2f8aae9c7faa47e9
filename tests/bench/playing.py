"""Whole hands through all five processes: tables that check and call to the showdown as fast as they can."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from statistics import median
from typing import Final

from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_pb2 import Turn

from tests.bench.action import STAKES, deep_rules
from tests.bench.house import House
from tests.bench.measuring import Findings, Options, Row
from tests.bench.processes import cpu_seconds
from tests.support.ledger_house import euro, fresh

SECTION: Final = "whole hands"
TABLES: Final = 8
SIZED_TABLES: Final = 4
SIZES: Final = (2, 4, 6, 8)
"""Players at the table."""
FLAT: Final = 1.15
SERVICES: Final = ("dealer", "betting", "evaluator", "tournament_ledger", "orchestrator")
STACK_CHIPS: Final = 10**9
CHEAPEST: Final = (ActionKind.ACTION_KIND_CHECK, ActionKind.ACTION_KIND_CALL, ActionKind.ACTION_KIND_BRING_IN)


class PlayedTable:
    """A table whose players answer every turn at once with what costs least."""

    def __init__(self, house: House, name: str, players: int = 2) -> None:
        self._house, self._name, self._players = house, name, players
        self.hands = 0
        self.actions = 0

    async def open(self) -> None:
        """Players with money, about to begin."""
        rules = deep_rules()
        rules.overrides.clock.showdown_seconds = 0
        opening = pb.OpenTableRequest(
            request_id=fresh(), name=self._name, rules=rules, stakes=STAKES, chip_value=euro(1), start_paused=True
        )
        self._table_id = (await self._house.tables.OpenTable(opening)).table.table_id
        names = [f"{self._name}-{number}" for number in range(self._players)]
        await self._house.seat(self._table_id, names, STACK_CHIPS)

    async def play(self) -> None:
        """Until cancelled."""
        stream = self._house.tables.Watch(pb.WatchRequest(table_id=self._table_id))
        await self._house.tables.ResumeTable(pb.ResumeTableRequest(request_id=fresh(), table_id=self._table_id))
        async for item in stream:
            event = item.event
            if event.HasField("turn_started"):
                await self._act(event.turn_started.turn)
            elif event.HasField("hand_ended"):
                self.hands += 1

    async def _act(self, turn: Turn) -> None:
        legal = {each.kind for each in turn.legal.actions}
        kind = next(each for each in CHEAPEST if each in legal)
        self.actions += 1
        await self._house.tables.Act(
            pb.ActRequest(
                request_id=fresh(),
                table_id=self._table_id,
                player_id=turn.player_id,
                turn_id=turn.turn_id,
                kind=kind,
            )
        )


@asynccontextmanager
async def _played(house: House, name: str, tables: int, players: int) -> AsyncGenerator[list[PlayedTable]]:
    """So many tables of so many players, playing for the length of the block."""
    opened = [PlayedTable(house, f"{name}-{number}", players) for number in range(tables)]
    for table in opened:
        await table.open()
    tasks = [asyncio.create_task(table.play()) for table in opened]
    await asyncio.sleep(1.0)
    yield opened
    failed = [task.exception() for task in tasks if task.done() and not task.cancelled()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    if failed:
        raise AssertionError(f"a table stopped: {failed[0]}")


async def bench_hands(findings: Findings, options: Options, house: House, where: str = "") -> None:
    """Hands a second, and the actions in them; ``where`` says on what they are kept."""
    hands: list[float] = []
    actions: list[float] = []
    async with _played(house, "played", TABLES, 2) as tables:
        for _ in range(options.rounds):
            before, start = [(each.hands, each.actions) for each in tables], time.perf_counter()
            await asyncio.sleep(2 * options.seconds)
            seconds = time.perf_counter() - start
            hands.append(sum(each.hands - was[0] for each, was in zip(tables, before, strict=True)) / seconds)
            actions.append(sum(each.actions - was[1] for each, was in zip(tables, before, strict=True)) / seconds)
    name = f"hands to the showdown, {TABLES} tables of two{where}"
    findings.add(Row(section=SECTION, name=name, unit="hands a second", ours=tuple(hands)))
    findings.add(Row(section=SECTION, name=f"actions in them{where}", unit="actions a second", ours=tuple(actions)))


async def bench_hand_costs(findings: Findings, options: Options, house: House) -> None:
    """What a hand costs all five services together as more players sit at the table."""
    costs = {
        players: [await _cost(house, options, players, number) for number in range(options.rounds)] for players in SIZES
    }
    least, most = SIZES[0], SIZES[-1]
    row = Row(
        section=SECTION,
        name=f"CPU a hand and player, {most} at the table",
        unit="ms",
        ours=tuple(each / most for each in costs[most]),
        beside=f"{least} at the table",
        floor=tuple(each / least for each in costs[least]),
        target=FLAT,
        at_most=True,
    )
    findings.add(row)
    points = [(float(players), median(found)) for players, found in costs.items()]
    findings.curves["CPU a hand, ms"] = {"to the right: players at the table": points}


async def _cost(house: House, options: Options, players: int, number: int) -> float:
    """Milliseconds of processor of a hand to the showdown."""
    pids = house.pids(*SERVICES)
    async with _played(house, f"sized-{players}-{number}", SIZED_TABLES, players) as tables:
        hands, spent = sum(each.hands for each in tables), cpu_seconds(pids)
        await asyncio.sleep(2 * options.seconds)
        hands, spent = sum(each.hands for each in tables) - hands, cpu_seconds(pids) - spent
    return spent / hands * 1000
