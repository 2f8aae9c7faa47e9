"""Tournaments that robots play, one after the other, for as long as something is being hurt."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

import grpc
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.console.adapters.robots_process import RobotsProcess, start_robots
from shared.kernel.caller import Caller, Role
from tests.support.ledger_house import euro, fresh
from tests.support.replica_processes import EitherStub
from tests.support.servers import calling
from tests.support.suite_processes import AlteredSuite, plain_environ
from tests.support.tournament_lobby import BACKEND, TournamentLobby, quick
from tests.support.tournament_sound import all_is_sound

PLAYERS: Final = 6
SEATS: Final = 3
STACK_CHIPS: Final = 1200
PATIENCE: Final = "900"
PLAY_SECONDS_MAX: Final = 2400.0
TRIES: Final = 600
"""Of a call of the lobby, one after the other, where services are killed faster than they start."""
LOOK_SECONDS: Final = 0.25
AUDITOR: Final = Caller(Role.AUDITOR, "auditor")


class Peace:
    """Harm is done, except while somebody asks for peace."""

    def __init__(self) -> None:
        self._allowed = asyncio.Event()
        self._allowed.set()
        self._harms = 0

    @asynccontextmanager
    async def harm(self) -> AsyncGenerator[None, None]:
        """From the blow until all is mended."""
        await self._allowed.wait()
        self._harms += 1
        try:
            yield
        finally:
            self._harms -= 1

    @asynccontextmanager
    async def kept(self) -> AsyncGenerator[None, None]:
        """Nothing is hurt, and all is mended."""
        self._allowed.clear()
        while self._harms:  # noqa: ASYNC110  # seldom and short
            await asyncio.sleep(0.05)
        try:
            yield
        finally:
            self._allowed.set()


@dataclass(slots=True)
class Evening:
    """What was played."""

    tournaments: int = 0
    hands: int = 0
    actions: int = 0
    refused: int = 0
    """Actions of robots that the rules refused: there must be none."""
    faults: list[str] = field(default_factory=list[str])


@dataclass(slots=True)
class House:
    """A suite and those who run tournaments in it; each call is made again, as it was, until it is answered."""

    suite: AlteredSuite
    lobby: TournamentLobby
    auditor: Any
    peace: Peace = field(default_factory=Peace)

    async def play_while(self, hurting: "asyncio.Task[Any]") -> Evening:
        """Tournament after tournament, each judged at its end; the last one ends after the hurting has."""
        found = Evening()
        while not hurting.done() or not found.tournaments:
            found.tournaments += 1
            try:
                async with asyncio.timeout(PLAY_SECONDS_MAX):
                    await self._one(found)
            except (AssertionError, TimeoutError, grpc.aio.AioRpcError) as fault:
                found.faults.append(f"tournament {found.tournaments}: {type(fault).__name__} {fault}"[:600])
        await hurting
        return found

    async def _one(self, found: Evening) -> None:
        players = [f"t{found.tournaments}p{number}" for number in range(1, PLAYERS + 1)]
        for player in players:
            account = pb.OpenAccountRequest(request_id=fresh(), player_id=player, currency="EUR")
            await self.lobby.ledger.OpenAccount(account)
            deposit = pb.DepositRequest(request_id=fresh(), player_id=player, amount=euro(1000))
            await self.lobby.ledger.Deposit(deposit)
        rules = quick(option.FORMULA_MULTI_TABLE, stack_chips=STACK_CHIPS)
        tournament_id = await self.lobby.announce(rules, [], seats_per_table=SEATS, entrants_max=PLAYERS)
        robots = await self._robots(tournament_id, players)
        try:
            request = pb.GetTournamentRequest(tournament_id=tournament_id)
            while (await self.lobby.ledger.GetTournament(request)).tournament.entrants < PLAYERS:
                await self._look(robots)
            await self.lobby.start(tournament_id)
            while not await self.lobby.is_over(tournament_id):
                await self._look(robots)
            async with asyncio.timeout(60):
                await robots.process.wait()
            figures = await robots.figures(1.0)
            found.actions, found.refused = (
                found.actions + figures.actions_count,
                found.refused + figures.refused_count,
            )
        finally:
            await robots.stop()
        async with self.peace.kept():
            found.hands += await all_is_sound(self.lobby, self.auditor, tournament_id, players, STACK_CHIPS)

    async def _robots(self, tournament_id: str, players: list[str]) -> RobotsProcess:
        arguments = ["--tournament", tournament_id, "--players", ",".join(players), "--patience", PATIENCE]
        arguments += ["--orchestrator", self.suite.address("orchestrator")]
        arguments += ["--ledger", self.suite.address("tournament_ledger")]
        return await start_robots(arguments, plain_environ(), self.suite.folder)

    async def _look(self, robots: RobotsProcess) -> None:
        """Again a moment later, unless the robots gave up."""
        code = robots.process.returncode
        assert code in {None, 0}, f"robots ended with {code}: {robots.log.read_text(encoding='utf-8')[-400:]}"
        await asyncio.sleep(LOOK_SECONDS)


@asynccontextmanager
async def house(folder: Path, altered: dict[str, dict[str, str]] | None = None) -> AsyncGenerator[House, None]:
    """Five processes, a lobby and an auditor."""
    async with (
        AlteredSuite(folder, altered) as suite,
        calling(suite.address("orchestrator"), BACKEND) as play,
        calling(suite.address("tournament_ledger"), BACKEND) as money,
        calling(suite.address("tournament_ledger"), AUDITOR) as audit,
    ):
        yield House(suite, patient_lobby(play, money), EitherStub([TournamentLedgerServiceStub(audit)], TRIES))


def patient_lobby(play: Any, money: Any) -> TournamentLobby:
    """A lobby that asks again until it is answered."""
    found = TournamentLobby()

    def patient(stub: Callable[[Any], Any], channel: Any) -> EitherStub:
        return EitherStub([stub(channel)], TRIES)

    found.ledger = cast("TournamentLedgerServiceStub", patient(TournamentLedgerServiceStub, money))
    found.tables = cast("TableServiceStub", patient(TableServiceStub, play))
    found.tournaments = cast("TournamentServiceStub", patient(TournamentServiceStub, play))
    return found
