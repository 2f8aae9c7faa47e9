"""Plays the great tournament: wallets, the announcement, robots in processes of their own, the start, to the end."""

import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any, Final

from sevenstud.orchestrator.v1 import tournament_service_pb2 as play_pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_pb2 import Standing

from services.console.adapters.robots_process import RobotsProcess, start_robots
from services.console.adapters.suite import Suite
from services.console.domain.results import RobotFigures
from tests.batteries.great.seats_walk import Seats
from tests.batteries.great.terms import WALLET_MINOR, announcement
from tests.batteries.tournaments.real_hands import processes
from tests.support.ledger_house import euro, fresh
from tests.support.tournament_lobby import TournamentLobby

TROUPES: Final = 4
AT_ONCE: Final = 16
BUYS: Final = "0.5"
PATIENCE: Final = "600"
"""A machine that is busy with other things makes nobody give up."""
FILL_SECONDS: Final = 900.0
SAY_SECONDS: Final = 5.0


class Great:
    """What its lobby sees."""

    def __init__(self, entrants: int, lobby: TournamentLobby, auditor: Any, suite: Suite, folder: Path) -> None:
        self.entrants, self.lobby, self.auditor, self.suite, self.folder = entrants, lobby, auditor, suite, folder
        self.players = [f"p{number:05d}" for number in range(1, entrants + 1)]
        self.tournament_id = ""
        self.events: Counter[str] = Counter()
        self.level = 1
        self.fill_seconds = self.play_seconds = 0.0
        self.seats = Seats()
        self._said = 0.0

    async def fill(self) -> None:
        """Wallets with money, and the announcement."""
        began, gate = time.monotonic(), asyncio.Semaphore(AT_ONCE)

        async def wallet(player: str) -> None:
            async with gate:
                opened = pb.OpenAccountRequest(request_id=fresh(), player_id=player, currency="EUR")
                await self.lobby.ledger.OpenAccount(opened)
                filled = pb.DepositRequest(request_id=fresh(), player_id=player, amount=euro(WALLET_MINOR))
                await self.lobby.ledger.Deposit(filled)

        await asyncio.gather(*(wallet(player) for player in self.players))
        request = pb.AnnounceTournamentRequest(request_id=fresh(), announcement=announcement(self.entrants))
        self.tournament_id = (await self.lobby.ledger.AnnounceTournament(request)).tournament.tournament_id
        self.fill_seconds = time.monotonic() - began

    async def run(self, seconds: float) -> list[RobotFigures]:
        """Robots register and play to the end; what each of their processes reports."""
        began = time.monotonic()
        async with AsyncExitStack() as stack:
            troupes = [await self._troupe(stack, number) for number in range(TROUPES)]
            await self._filled()
            self.fill_seconds += time.monotonic() - began
            began = time.monotonic()
            await self.lobby.start(self.tournament_id)
            async with asyncio.timeout(seconds):
                await self._watch(began)
            self.play_seconds = time.monotonic() - began
            return [await self._figures(troupe) for troupe in troupes]

    async def _troupe(self, stack: AsyncExitStack, number: int) -> RobotsProcess:
        folder = self.folder / f"robots{number}"
        for name in ("logs", "run"):
            (folder / name).mkdir(parents=True)
        players = ",".join(self.players[number::TROUPES])
        arguments = ["--tournament", self.tournament_id, "--players", players, "--buys", BUYS, "--patience", PATIENCE]
        arguments += ["--orchestrator", self.suite.address("orchestrator")]
        arguments += ["--ledger", self.suite.address("tournament_ledger")]
        troupe = await start_robots(arguments, os.environ, folder)
        stack.push_async_callback(troupe.stop)
        return troupe

    async def _filled(self) -> None:
        """Until every robot has registered."""
        request = pb.GetTournamentRequest(tournament_id=self.tournament_id)
        async with asyncio.timeout(FILL_SECONDS):
            while True:
                told = (await self.lobby.ledger.GetTournament(request)).tournament.entrants
                self._say(f"{told} of {self.entrants} robots have registered")
                if told == self.entrants:
                    return
                await asyncio.sleep(0.5)

    async def _watch(self, began: float) -> None:
        """Every event, numbered without a gap, to the last one."""
        seen = 0
        request = play_pb.WatchTournamentRequest(tournament_id=self.tournament_id, after_version=0)
        async for item in self.lobby.tournaments.WatchTournament(request):
            event = item.event
            assert event.version == seen + 1, f"event {event.version} after {seen}"
            seen = event.version
            self._count(event)
            self._say(
                f"{len(self.seats.tables)} of {self.entrants} players left at {len(self.seats.counts)} tables, "
                f"level {self.level}, {self.events['hand_played']} hands, {time.monotonic() - began:.0f} s"
            )
        assert self.events["tournament_ended"] == 1, "the stream ended before the tournament"

    def _count(self, event: play_pb.TournamentEvent) -> None:
        kind = event.WhichOneof("event") or ""
        self.events[kind] += 1
        self.seats.take(event)
        if kind == "level_began":
            self.level = event.level_began.level

    def _say(self, text: str) -> None:
        if time.monotonic() - self._said >= SAY_SECONDS:
            self._said = time.monotonic()
            print(text, file=sys.stderr, flush=True)

    async def _figures(self, robots: RobotsProcess) -> RobotFigures:
        async with asyncio.timeout(60.0):
            code = await robots.process.wait()
        if code:
            raise AssertionError(f"robots ended with code {code}: {robots.log.read_text(encoding='utf-8')[-800:]}")
        return await robots.figures(1.0)

    async def standings(self) -> dict[str, Standing]:
        """Everybody, page by page."""
        request = pb.GetStandingsRequest(tournament_id=self.tournament_id, page_size=200)
        found: dict[str, Standing] = {}
        while True:
            page = await self.lobby.ledger.GetStandings(request)
            found |= {each.player_id: each for each in page.standings}
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token


@asynccontextmanager
async def great(entrants: int, folder: Path) -> AsyncGenerator[Great]:
    """Five services as processes, their data in the folder, and the lobby."""
    crowd = str(10 * entrants + 2_000)  # every robot has a stream open, and all may act at once
    async with processes(folder, SEVENSTUD_ORCHESTRATOR_CONCURRENT_CALLS_MAX=crowd) as (lobby, auditor, suite):
        yield Great(entrants, lobby, auditor, suite, folder)


def summed(figures: Sequence[RobotFigures]) -> tuple[int, int, int, float]:
    """Actions, refused ones, late ones, and the slowest process's 99th of 100 action."""
    return (
        sum(each.actions_count for each in figures),
        sum(each.refused_count for each in figures),
        sum(each.late_count for each in figures),
        max(each.act_p99_seconds for each in figures),
    )
