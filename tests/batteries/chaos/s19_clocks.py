"""S19: the wall clock of every service jumps by an hour, back and forth, while clocks run at tables and over holds."""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import aclosing
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, Final

from google.protobuf.timestamp_pb2 import Timestamp
from sevenstud.common.v1.betting_pb2 import ACTION_CAUSE_CLOCK
from sevenstud.common.v1.rule_options_pb2 import TIME_BANK_ACTIVATION_AUTO
from sevenstud.common.v1.rules_pb2 import RuleSet
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from services.console.domain.suite_plan import SERVICES
from tests.batteries.chaos.hand import act, events_of
from tests.batteries.chaos.hurting import CannotHurt, Control, library
from tests.batteries.report import Row, judged, skipped
from tests.support.ledger_house import euro, fresh
from tests.support.suite_processes import Processes
from tests.support.table_suite import PlayedTable, card_room, open_table

HOUR: Final = 3600.0
DECISION_SECONDS: Final = 3
BANK_SECONDS: Final = 4
HOLD_SECONDS: Final = 4
EXACT_SECONDS: Final = 0.05
SLACK_SECONDS: Final = 2.0
"""What a busy machine may add before a call that was to be in time is made; never what the server may be late."""
AT_ONCE: Final = 4
CHORES: Final = {"SEVENSTUD_TOURNAMENT_LEDGER_CHORES_SECONDS": "0.05"}
_DEMANDED: Final = (
    "wall clocks of all services jump by an hour back and forth: 0 turns ended wrongly, 0 holds, the time bank exact "
    "to 50 ms; an orchestrator that starts an hour earlier or later ends no turn wrongly"
)


@dataclass(slots=True)
class Clocks:
    """What was seen."""

    jumps: int = 0
    in_time: int = 0
    holds: int = 0
    restarts: int = 0
    inexact: float = 0.0
    """Farthest that the end of a time bank was set from the end of the decision time and the bank's seconds."""
    short: float = 0.0
    """Most that a decision time lacked when the turn was announced: what the announcing took."""
    late: list[float] = field(default_factory=list[float])
    """How long after that moment the clock did end the turn, which on a busy machine takes its time."""
    seen_off: float = 0.0
    """Farthest from decision time and bank together on the watch of who sees the events."""
    faults: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class Watched:
    """A table whose first turn is open."""

    table: PlayedTable
    events: Any
    started: TableEvent
    seen_at: float


def _rules(rules: RuleSet) -> None:
    rules.clock.decision_seconds = DECISION_SECONDS
    rules.clock.time_bank_seconds = BANK_SECONDS
    rules.clock.time_bank_activation = TIME_BANK_ACTIVATION_AUTO


class Trials:
    """Tables and holds under clocks that jump."""

    def __init__(self, processes: Processes, control: Control, rng: Random) -> None:
        self._processes, self._control, self._rng = processes, control, rng
        self._made = 0
        self.found = Clocks()

    async def jump(self) -> None:
        """An hour ahead, an hour back, and so on, two hours apart at most; until cancelled."""
        ahead = 0
        while True:
            await asyncio.sleep(self._rng.uniform(0.1, 0.8))
            step = self._rng.choice([each for each in (-1, 1) if abs(ahead + each) <= 1])
            ahead += step
            self._control.jump(step * HOUR)
            self.found.jumps += 1

    async def _open(self) -> Watched:
        self._made += 1
        table = await open_table(self._processes, card_room(clocks=_rules), hands_max=1)
        await table.sit(f"ann{self._made}", f"bob{self._made}")
        version = (await table.view()).version
        await table.resume()
        events = events_of(self._processes, table.table_id, version)
        async for event in events:
            if event.HasField("turn_started"):
                return Watched(table, events, event, time.monotonic())
        raise AssertionError("no turn")

    async def answer_in_time(self) -> None:
        """The action is taken, and by nobody but the player."""
        watched = await self._open()
        turn = watched.started.turn_started.turn
        await asyncio.sleep(self._rng.uniform(0, DECISION_SECONDS + BANK_SECONDS - SLACK_SECONDS))
        await act(self._processes, watched.table.action(turn, "bring_in"))
        event = await _ended(watched)
        if event.action_taken.cause == ACTION_CAUSE_CLOCK:
            self.found.faults.append("a turn was ended by the clock before its time")
        self.found.in_time += 1

    async def run_out(self) -> None:
        """Decision time and bank, and not a moment more or less."""
        watched = await self._open()
        wanted, until, event = DECISION_SECONDS + BANK_SECONDS, 0.0, watched.started
        async with aclosing(watched.events) as events:
            async for event in events:
                if event.HasField("time_bank_started"):
                    until = _seconds(event.time_bank_started.deadline)
                if event.HasField("action_taken"):
                    break
        decided = _seconds(watched.started.turn_started.turn.deadline)
        self.found.inexact = max(self.found.inexact, abs(until - decided - BANK_SECONDS))
        self.found.short = max(self.found.short, _seconds(watched.started.at) + DECISION_SECONDS - decided)
        self.found.seen_off = max(self.found.seen_off, abs(time.monotonic() - watched.seen_at - wanted))
        self.found.late.append(_seconds(event.at) - until)
        if self.found.late[-1] < 0:
            self.found.faults.append(f"a turn ended {-self.found.late[-1] * 1000:.0f} ms too early")
        if event.action_taken.cause != ACTION_CAUSE_CLOCK:
            self.found.faults.append("a turn that nobody answered was not ended by the clock")

    async def hold(self) -> None:
        """Money on hold stays so for as long as was asked, and no longer."""
        self._made += 1
        player, ledger = f"cid{self._made}", self._processes.ledger
        await ledger.OpenAccount(pb.OpenAccountRequest(request_id=fresh(), player_id=player, currency="EUR"))
        await ledger.Deposit(pb.DepositRequest(request_id=fresh(), player_id=player, amount=euro(100)))
        request = pb.PlaceHoldRequest(request_id=fresh(), player_id=player, amount=euro(60))
        request.lasts.FromSeconds(HOLD_SECONDS)
        placed_at = time.monotonic()
        await ledger.PlaceHold(request)
        while await self._available(player) == 40:
            await asyncio.sleep(0.05)
            if time.monotonic() - placed_at > HOLD_SECONDS + 10 * SLACK_SECONDS:
                self.found.faults.append("a hold does not end")
                return
        if time.monotonic() - placed_at < HOLD_SECONDS:
            self.found.faults.append(f"a hold ended after {time.monotonic() - placed_at:.2f} s")
        self.found.holds += 1

    async def _available(self, player: str) -> int:
        request = pb.GetBalanceRequest(player_id=player, currency="EUR")
        return int((await self._processes.ledger.GetBalance(request)).balance.available.amount_minor)

    async def restart(self, hours: float) -> None:
        """The orchestrator starts with another time of day: the turn ends when its player's time is over."""
        watched = await self._open()
        await watched.events.aclose()
        await self._processes.suite.kill("orchestrator")
        self._control.jump(hours * HOUR)
        began = time.monotonic()
        await self._processes.suite.start("orchestrator")
        await self._processes.call()
        view = await watched.table.view()
        watched.events = events_of(self._processes, watched.table.table_id, watched.started.version)
        event = await _ended(watched)
        taken = time.monotonic() - began
        longest = 2 * (DECISION_SECONDS + BANK_SECONDS) + view.rules.clock.resume_minimum_seconds + 10 * SLACK_SECONDS
        if event.action_taken.cause != ACTION_CAUSE_CLOCK or not 1.0 < taken < longest:
            self.found.faults.append(f"after a restart {hours:+g} h apart the turn ended after {taken:.1f} s")
        self.found.restarts += 1


async def _ended(watched: Watched) -> TableEvent:
    """What ended the first turn."""
    async with aclosing(watched.events) as events:
        async for event in events:
            if event.HasField("action_taken") or event.HasField("seat_frozen"):
                found: TableEvent = event
                return found
    raise AssertionError("the turn does not end")


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def _seconds(moment: Timestamp) -> float:
    return moment.ToNanoseconds() / 1e9


async def _run(trials: int, seed: int) -> Clocks:
    with tempfile.TemporaryDirectory(prefix="chaos-") as name:
        folder, rng = Path(name), Random(seed)
        control = Control(folder / "clock.control")
        variables = control.variables(library(folder))
        altered = dict.fromkeys(map(str, SERVICES), variables | CHORES)
        async with Processes(folder / "suite", altered) as processes:
            found = Trials(processes, control, rng)
            jumping = asyncio.create_task(found.jump())
            gate = asyncio.Semaphore(AT_ONCE)
            kinds = (found.run_out, found.answer_in_time, found.hold)

            async def one(at: int) -> None:
                async with gate:
                    await kinds[at % len(kinds)]()

            try:
                await asyncio.gather(*(one(at) for at in range(trials)))
            finally:
                jumping.cancel()
            for hours in (-1, 1):
                await found.restart(hours)
    return found.found


def jumping_clocks(trials: int) -> Iterator[Row]:
    """Row S19."""
    seed = Random().getrandbits(32)
    try:
        found = asyncio.run(_run(trials, seed))
    except CannotHurt as why:
        yield skipped("S19", _DEMANDED, str(why))
        return
    late = sorted(found.late) or [0.0]
    said = (
        f"{found.jumps} jumps, {found.in_time} turns answered in time, {len(found.late)} run out: the bank set to end "
        f"{_ms(found.inexact)} off at most, decision times {_ms(found.short)} short at most, turns ended "
        f"{_ms(late[len(late) // 2])} later than set (median; {_ms(late[-1])} at most), "
        f"{_ms(found.seen_off)} off at most on a watcher's watch; {found.holds} holds, "
        f"{found.restarts} restarts an hour apart, {len(found.faults)} wrong, seed {seed}"
    )
    said += f": {found.faults[0]}" if found.faults else ""
    holds = not found.faults and found.inexact <= EXACT_SECONDS and bool(found.late) and found.jumps > 0
    yield judged("S19", _DEMANDED, said, holds=holds)
