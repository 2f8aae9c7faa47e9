"""Whole hands through all five processes: heads-up tables that check and call to the showdown as fast as they can."""

import asyncio
import time
from typing import Final

from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_pb2 import Turn

from tests.bench.action import STAKES, deep_rules
from tests.bench.house import House
from tests.bench.measuring import Findings, Options, Row
from tests.support.ledger_house import euro, fresh

SECTION: Final = "whole hands"
TABLES: Final = 8
STACK_CHIPS: Final = 10**9
CHEAPEST: Final = (ActionKind.ACTION_KIND_CHECK, ActionKind.ACTION_KIND_CALL, ActionKind.ACTION_KIND_BRING_IN)


class PlayedTable:
    """A table whose players answer every turn at once with what costs least."""

    def __init__(self, house: House, name: str) -> None:
        self._house, self._name = house, name
        self.hands = 0
        self.actions = 0

    async def open(self) -> None:
        """Two players with money, about to begin."""
        rules = deep_rules()
        rules.overrides.clock.showdown_seconds = 0
        opening = pb.OpenTableRequest(
            request_id=fresh(), name=self._name, rules=rules, stakes=STAKES, chip_value=euro(1), start_paused=True
        )
        self._table_id = (await self._house.tables.OpenTable(opening)).table.table_id
        await self._house.seat(self._table_id, [f"{self._name}-a", f"{self._name}-b"], STACK_CHIPS)

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


async def bench_hands(findings: Findings, options: Options, house: House, where: str = "") -> None:
    """Hands a second, and the actions in them; ``where`` says on what they are kept."""
    tables = [PlayedTable(house, f"played-{number}") for number in range(TABLES)]
    for table in tables:
        await table.open()
    tasks = [asyncio.create_task(table.play()) for table in tables]
    await asyncio.sleep(1.0)
    hands: list[float] = []
    actions: list[float] = []
    for _ in range(options.rounds):
        before, start = [(each.hands, each.actions) for each in tables], time.perf_counter()
        await asyncio.sleep(2 * options.seconds)
        seconds = time.perf_counter() - start
        hands.append(sum(each.hands - was[0] for each, was in zip(tables, before, strict=True)) / seconds)
        actions.append(sum(each.actions - was[1] for each, was in zip(tables, before, strict=True)) / seconds)
    failed = [task.exception() for task in tasks if task.done() and not task.cancelled()]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    if failed:
        raise AssertionError(f"a table stopped: {failed[0]}")
    name = f"hands to the showdown, {TABLES} tables of two{where}"
    findings.add(Row(section=SECTION, name=name, unit="hands a second", ours=tuple(hands)))
    findings.add(Row(section=SECTION, name=f"actions in them{where}", unit="actions a second", ours=tuple(actions)))
