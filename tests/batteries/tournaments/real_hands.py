"""Whole tournaments with real cards: through gRPC, all services in one loop or each a process of its own."""

import asyncio
import os
import random
import tempfile
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rules_pb2 import Break, ClockRules, RebuyTerms
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.console.adapters.robots_process import RobotsProcess, start_robots
from services.console.adapters.suite import Suite
from services.console.domain.results import RobotFigures
from shared.kernel.caller import Caller, Role
from tests.batteries.tournaments.play import Played
from tests.batteries.tournaments.verdicts import check_audit, check_places
from tests.support.ledger_house import euro, fresh
from tests.support.servers import calling
from tests.support.tournament_lobby import BACKEND, TournamentLobby, quick
from tests.support.tournament_suite import TournamentSuite

PLAY_SECONDS = 180.0
FEE = 1_000
AUDITOR = Caller(Role.AUDITOR, "auditor")
Play = Callable[[TournamentLobby, int], Awaitable[tuple[str, int, int]]]


class Table:
    """Size and rules of a small tournament."""

    def __init__(self, number: int) -> None:
        rng = random.Random(f"real {number}")
        self.number = number
        self.entrants = rng.choice((2, 4, 5, 6, 8, 9))
        self.seats = rng.choice((3, 4, 8))
        many = self.entrants > self.seats
        formula = option.FORMULA_MULTI_TABLE if many else option.FORMULA_SINGLE_MATCH
        rebuy = RebuyTerms(max_count=1, last_level=1, window_seconds=1) if rng.random() < 0.4 else None
        breaks = [Break(after_level=1, length_seconds=1)] if rng.random() < 0.3 else []
        self.rules = quick(formula, rebuy, breaks, rng.choice((200, 400)))
        self.rules.overrides.clock.MergeFrom(ClockRules(decision_seconds=1, time_bank_seconds=0))
        self.rng = rng

    @property
    def players(self) -> list[str]:
        """Names of their own, so that tournaments share no wallets."""
        return [f"t{self.number}p{at}" for at in range(self.entrants)]


async def by_the_lobby(lobby: TournamentLobby, number: int) -> tuple[str, int, int]:
    """The lobby acts for everybody."""
    table = Table(number)
    tournament_id = await lobby.announce(
        table.rules, table.players, seats_per_table=table.seats, entrants_max=table.entrants
    )
    await lobby.start(tournament_id)
    await lobby.play(tournament_id, PLAY_SECONDS)
    return tournament_id, table.entrants, 0


async def judge(lobby: TournamentLobby, auditor: Any, tournament_id: str) -> None:
    """Places, books, and the auditor's walk."""
    standings = await lobby.standings(tournament_id)
    check_places(standings)
    view = await lobby.view(tournament_id)
    assert standings[view.winner_player_id].place == 1
    with tempfile.TemporaryDirectory() as folder:
        await check_audit(auditor, Path(folder), tournament_id, standings)
    events = await lobby.events(tournament_id)
    assert [event.version for event in events] == list(range(1, view.version + 1))


async def _each(lobby: TournamentLobby, auditor: Any, numbers: range, play: Play, formula: str) -> list[Played]:
    found: list[Played] = []
    for number in numbers:
        try:
            tournament_id, entrants, refused = await play(lobby, number)
            await judge(lobby, auditor, tournament_id)
            hands = await _hands(auditor, tournament_id)
            found.append(Played(number, formula, entrants, hands=hands, refusals=refused))
        except Exception as fault:  # noqa: BLE001  # the others are to be played all the same
            found.append(
                Played(number, formula, Table(number).entrants, fault=f"{type(fault).__name__}: {fault}"[:600])
            )
        print(f"  {formula} {number}: {found[-1].entrants} entrants, {found[-1].hands} hands {found[-1].fault}")
    return found


async def _hands(auditor: Any, tournament_id: str) -> int:
    request, hands = pb.ExportJournalRequest(book=f"tournament:{tournament_id}", page_size=500), 0
    while True:
        page = await auditor.ExportJournal(request)
        hands += sum("fact=HandRecorded" in entry.subject for entry in page.entries)
        if not page.next_page_token:
            return hands
        request.page_token = page.next_page_token


async def in_one_loop(numbers: range) -> list[Played]:
    """All five services in this process, the calls between them over gRPC."""
    with tempfile.TemporaryDirectory() as folder:
        async with TournamentSuite(Path(folder)) as suite:
            target = suite._environ["SEVENSTUD_ORCHESTRATOR_TOURNAMENT_LEDGER_TARGET"]
            async with calling(target, AUDITOR) as channel:
                auditor = TournamentLedgerServiceStub(channel)
                return await _each(suite, auditor, numbers, by_the_lobby, "real hands, one process")


@asynccontextmanager
async def processes(folder: Path, **settings: str) -> AsyncGenerator[tuple[TournamentLobby, Any, Suite]]:
    """Five processes, a lobby and an auditor."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SEVENSTUD_")} | settings
    async with (
        Suite(folder, environ) as suite,
        calling(suite.address("orchestrator"), BACKEND) as play,
        calling(suite.address("tournament_ledger"), BACKEND) as money,
        calling(suite.address("tournament_ledger"), AUDITOR) as audit,
    ):
        lobby = TournamentLobby()
        lobby.ledger = TournamentLedgerServiceStub(money)
        lobby.tables, lobby.tournaments = TableServiceStub(play), TournamentServiceStub(play)
        yield lobby, TournamentLedgerServiceStub(audit), suite


async def apart(numbers: range) -> list[Played]:
    """Each service a process, the robots one more; every third tournament loses a robot process on the way."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with processes(folder) as (lobby, auditor, suite):

            async def by_robots(lobby: TournamentLobby, number: int) -> tuple[str, int, int]:
                return await _robots(lobby, suite, folder, Table(number))

            return await _each(lobby, auditor, numbers, by_robots, "robots, seven processes")


async def _robots(lobby: TournamentLobby, suite: Suite, folder: Path, table: Table) -> tuple[str, int, int]:
    for player in table.players:
        await lobby.ledger.OpenAccount(pb.OpenAccountRequest(request_id=fresh(), player_id=player, currency="EUR"))
        await lobby.ledger.Deposit(pb.DepositRequest(request_id=fresh(), player_id=player, amount=euro(3 * FEE)))
    tournament_id = await lobby.announce(table.rules, [], seats_per_table=table.seats, entrants_max=table.entrants)
    (folder / "logs").mkdir(exist_ok=True)
    (folder / "run").mkdir(exist_ok=True)
    lost = table.players[:1] if table.number % 3 == 0 and table.entrants > 2 else []
    staying = await _start_robots(suite, folder, tournament_id, [each for each in table.players if each not in lost])
    leaving = await _start_robots(suite, folder, tournament_id, lost) if lost else None
    try:
        await _filled(lobby, tournament_id, table.entrants)
        await lobby.start(tournament_id)
        if leaving is not None:
            await asyncio.sleep(table.rng.uniform(0.3, 2.0))
            await leaving.stop()
        async with asyncio.timeout(PLAY_SECONDS):
            await lobby.events(tournament_id)  # the stream ends by itself when the tournament does
        figures = await _figures(staying)
    finally:
        await staying.stop()
        if leaving is not None:
            await leaving.stop()
    assert figures.refused_count == 0, f"{figures.refused_count} actions of robots were refused"
    return tournament_id, table.entrants, figures.refused_count


async def _figures(robots: RobotsProcess) -> RobotFigures:
    """What the robots report; where they died, the end of their log."""
    async with asyncio.timeout(30.0):
        code = await robots.process.wait()
    assert code == 0, f"the robots ended with code {code}: {robots.log.read_text(encoding='utf-8')[-500:]}"
    return await robots.figures(1.0)


async def _start_robots(suite: Suite, folder: Path, tournament_id: str, players: list[str]) -> RobotsProcess:
    arguments = ["--tournament", tournament_id, "--players", ",".join(players)]
    arguments += ["--orchestrator", suite.address("orchestrator"), "--ledger", suite.address("tournament_ledger")]
    return await start_robots(arguments, os.environ, folder)


async def _filled(lobby: TournamentLobby, tournament_id: str, entrants: int) -> None:
    async with asyncio.timeout(60):
        while True:
            request = pb.GetTournamentRequest(tournament_id=tournament_id)
            if (await lobby.ledger.GetTournament(request)).tournament.entrants == entrants:
                return
            await asyncio.sleep(0.1)
