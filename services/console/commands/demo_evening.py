"""One evening of the demo: money in, tournament announced, robots registered, played to the last chip, checked."""

import asyncio
import time
from contextlib import AsyncExitStack, aclosing
from dataclasses import dataclass

from services.console.adapters.calls import connect, until
from services.console.adapters.ledger import Ledger
from services.console.adapters.metrics_page import save_metrics
from services.console.adapters.robots_process import RobotsProcess, start_robots
from services.console.adapters.screen import Screen
from services.console.adapters.suite import Suite
from services.console.adapters.tables import Tables
from services.console.adapters.tournaments import Tournaments
from services.console.commands.running import CommandFailed, Environ, guarded
from services.console.domain.contest import Contest
from services.console.domain.results import JournalCheck, RobotFigures, Standing, contest_faults
from services.console.domain.suite_plan import LEDGER, ORCHESTRATOR, SERVICES
from services.console.domain.tournament import PlayState, TournamentEnded, TournamentView
from shared.kernel.caller import Role

_STALL_SECONDS = 25.0
_LAST_WORDS_SECONDS = 5.0
_LAST_EVENTS_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class EveningResult:
    """What the demo has to show at its end."""

    standings: tuple[Standing, ...]
    check: JournalCheck
    robots: RobotFigures
    hands_count: int
    voided_count: int
    play_seconds: float
    faults: tuple[str, ...]
    """What does not add up; empty after a good evening."""


@dataclass(slots=True)
class _House:
    """The lines of the people who run the evening."""

    operator: Ledger
    auditor: Ledger
    cashier: Ledger
    director: Tournaments
    spectator: Tournaments
    tables: Tables


class Evening:
    """Runs the demo against a suite that is up."""

    def __init__(self, suite: Suite, contest: Contest, environ: Environ, seed: int, delay_seconds: float) -> None:
        """Plan it; nothing is announced yet."""
        self._suite = suite
        self._contest = contest
        self._environ = environ
        self._seed = seed
        self._delay_seconds = delay_seconds
        self._stage = "preparing"

    async def run(self, screen: Screen, seconds_max: float) -> EveningResult:
        """The whole evening; CommandFailed or SuiteFault with the reason when it cannot come to its end."""
        async with AsyncExitStack() as stack:
            house = await self._open_house(stack)
            tournament_id = await self._announce(house)
            robots = await self._start_robots(tournament_id)
            stack.push_async_callback(robots.stop)
            work = self._play_and_check(house, robots, tournament_id, screen)
            return await guarded(
                work,
                self._service_died(),
                self._robots_failed(robots),
                self._stalled(screen),
                self._too_long(seconds_max),
            )

    async def _open_house(self, stack: AsyncExitStack) -> _House:
        ledger, orchestrator = self._suite.address(LEDGER), self._suite.address(ORCHESTRATOR)
        enter = stack.enter_async_context
        observer = await enter(connect(orchestrator, Role.OBSERVER, "console"))
        return _House(
            operator=Ledger(await enter(connect(ledger, Role.OPERATOR, "console"))),
            auditor=Ledger(await enter(connect(ledger, Role.AUDITOR, "console"))),
            cashier=Ledger(await enter(connect(ledger, Role.BACKEND, "cashier"))),
            director=Tournaments(await enter(connect(orchestrator, Role.OPERATOR, "console"))),
            spectator=Tournaments(observer),
            tables=Tables(observer),
        )

    async def _announce(self, house: _House) -> str:
        contest = self._contest
        for player in contest.players:
            await house.cashier.fund(player, contest.deposit_minor, contest.currency)
        return await house.operator.announce(contest)

    async def _start_robots(self, tournament_id: str) -> RobotsProcess:
        suite = self._suite
        options = {
            "--tournament": tournament_id,
            "--players": ",".join(self._contest.players),
            "--orchestrator": suite.address(ORCHESTRATOR),
            "--ledger": suite.address(LEDGER),
            "--seed": str(self._seed),
            "--delay": str(self._delay_seconds),
        }
        arguments = [word for pair in options.items() for word in pair]
        return await start_robots(arguments, self._environ, suite.folder)

    async def _play_and_check(
        self, house: _House, robots: RobotsProcess, tournament_id: str, screen: Screen
    ) -> EveningResult:
        self._stage = "waiting for the robots to register"
        await until(lambda: self._complete(house, tournament_id))
        began = time.monotonic()
        view = await house.director.start(tournament_id)
        self._stage = "playing"
        await self._watch(house, view, screen)
        play_seconds = time.monotonic() - began
        self._stage = "waiting for the prizes to be paid"
        await until(lambda: house.operator.is_finished(tournament_id))
        self._stage = "waiting for the robots to end"
        figures = await robots.figures(_LAST_WORDS_SECONDS)
        self._stage = "checking the books"
        return await self._result(house, tournament_id, screen, figures, play_seconds)

    async def _complete(self, house: _House, tournament_id: str) -> bool:
        return await house.operator.entrants_count(tournament_id) == len(self._contest.players)

    async def _watch(self, house: _House, view: TournamentView, screen: Screen) -> None:
        """Show the table until the tournament is over."""
        async with asyncio.TaskGroup() as group:
            showing = group.create_task(self._show(house, view.table_ids[0], screen))
            await self._until_over(house, view.tournament_id)
            await asyncio.wait({showing}, timeout=_LAST_EVENTS_SECONDS)
            showing.cancel()

    @staticmethod
    async def _until_over(house: _House, tournament_id: str) -> None:
        async with aclosing(house.spectator.watch(tournament_id)) as items:
            async for item in items:
                if isinstance(item, TournamentView):
                    over = item.state is PlayState.FINISHED
                else:
                    over = isinstance(item.news, TournamentEnded)
                if over:
                    return

    @staticmethod
    async def _show(house: _House, table_id: str, screen: Screen) -> None:
        """Show one table until one player has all chips there."""
        async with aclosing(house.tables.watch(table_id)) as items:
            async for item in items:
                screen.take(item)
                table = screen.show.table
                if table is not None and table.hand_number > 0 and len(table.seats) == 1:
                    return

    async def _result(
        self, house: _House, tournament_id: str, screen: Screen, figures: RobotFigures, play_seconds: float
    ) -> EveningResult:
        standings = await house.operator.standings(tournament_id)
        check = await house.auditor.verify()
        for service in SERVICES:
            path = self._suite.folder / "metrics" / f"{service}.prom"
            await save_metrics(self._suite.metrics_address(service), path)
        faults = contest_faults(standings, len(self._contest.players), self._contest.chips_total)
        if not check.zero_sum:
            faults = (*faults, "the ledger's books are not sound")
        show = screen.show
        return EveningResult(standings, check, figures, show.hands_count, show.voided_count, play_seconds, faults)

    async def _service_died(self) -> Exception:
        what = await self._suite.fault()
        return CommandFailed(f"while {self._stage}: {what}")

    async def _robots_failed(self, robots: RobotsProcess) -> Exception:
        what = await robots.failure()
        return CommandFailed(f"while {self._stage}: {what}")

    async def _too_long(self, seconds: float) -> Exception:
        await asyncio.sleep(seconds)
        return CommandFailed(f"still {self._stage} after {seconds:g} s, giving up; {self._suspect(ORCHESTRATOR)}")

    async def _stalled(self, screen: Screen) -> Exception:
        """Nothing has happened at the table for long: say who is waited for."""
        seen, since = -1, time.monotonic()
        while time.monotonic() - since < _STALL_SECONDS:
            await asyncio.sleep(1.0)
            version = 0 if screen.show.table is None else screen.show.table.version
            if version != seen:
                seen, since = version, time.monotonic()
        table = screen.show.table
        waiting_for = ORCHESTRATOR if table is None or not table.waiting_for else table.waiting_for
        return CommandFailed(f"{self._stage}: nothing has moved for {_STALL_SECONDS:g} s; {self._suspect(waiting_for)}")

    def _suspect(self, service: str) -> str:
        if service not in SERVICES:
            return f"waiting for {service}"
        return f"{service}: {self._suite.log_end(service)}"
