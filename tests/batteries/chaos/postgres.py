"""PostgreSQL killed and started again while two of each service play on it: nothing is lost, all go on by themselves.

The server runs without fsync here: a kill of its process is tried, not a power cut.
"""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, suppress
from pathlib import Path
from random import Random
from typing import Final, cast

from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from tests.batteries.chaos.tournaments import AUDITOR, Evening, Peace
from tests.batteries.report import Row, judged
from tests.support.postgres_server import PostgresServer
from tests.support.replica_processes import ReplicaProcesses, either
from tests.support.tournament_lobby import BACKEND, STACK_CHIPS, TournamentLobby, quick
from tests.support.tournament_sound import all_is_sound

PLAYERS: Final = 6
START_SECONDS_MAX: Final = 60.0
PLAY_SECONDS_MAX: Final = 1200.0
AGAIN_SECONDS: Final = 0.2


class Killer:
    """Kills the server and starts it again."""

    def __init__(self, postgres: PostgresServer, kills: int, rng: Random) -> None:
        self._postgres, self._kills, self._rng = postgres, kills, rng
        self.done = 0
        self.away_seconds: list[float] = []
        self.peace = Peace()

    async def run(self) -> None:
        """All kills."""
        for _ in range(self._kills):
            await asyncio.sleep(self._rng.uniform(0.5, 5.0))
            async with self.peace.harm():
                began = time.monotonic()
                await asyncio.to_thread(self._postgres.crash)
                self.done += 1
                await asyncio.sleep(self._rng.choice((0.0, 0.5, 3.0)))
                await self._start()
                self.away_seconds.append(time.monotonic() - began)

    async def _start(self) -> None:
        """The dead server's children may hold its memory for a moment."""
        async with asyncio.timeout(START_SECONDS_MAX):
            while True:
                with suppress(RuntimeError):
                    await asyncio.to_thread(self._postgres.start)
                    return
                await asyncio.sleep(AGAIN_SECONDS)


async def lobby_of_both(stack: AsyncExitStack, processes: ReplicaProcesses) -> TournamentLobby:
    """A lobby that asks either replica, whichever answers."""
    found = TournamentLobby()
    money = await either(stack, processes, "tournament_ledger", BACKEND, TournamentLedgerServiceStub)
    tables = await either(stack, processes, "orchestrator", BACKEND, TableServiceStub)
    tournaments = await either(stack, processes, "orchestrator", BACKEND, TournamentServiceStub)
    found.ledger = cast("TournamentLedgerServiceStub", money)
    found.tables, found.tournaments = cast("TableServiceStub", tables), cast("TournamentServiceStub", tournaments)
    return found


async def _play(processes: ReplicaProcesses, killer: Killer) -> Evening:
    found = Evening()
    async with AsyncExitStack() as stack:
        lobby = await lobby_of_both(stack, processes)
        auditor = await either(stack, processes, "tournament_ledger", AUDITOR, TournamentLedgerServiceStub)
        killing = asyncio.create_task(killer.run())
        while not killing.done() or not found.tournaments:
            found.tournaments += 1
            players = [f"t{found.tournaments}p{number}" for number in range(1, PLAYERS + 1)]
            rules = quick(option.FORMULA_MULTI_TABLE, stack_chips=4 * STACK_CHIPS)
            tournament_id = await lobby.announce(rules, players, seats_per_table=3, entrants_max=PLAYERS)
            try:
                await lobby.start(tournament_id)
                await lobby.play(tournament_id, PLAY_SECONDS_MAX)
                async with killer.peace.kept():
                    found.hands += await all_is_sound(lobby, auditor, tournament_id, players, 4 * STACK_CHIPS)
            except (AssertionError, TimeoutError) as fault:
                found.faults.append(f"tournament {found.tournaments}: {type(fault).__name__} {fault}"[:600])
        await killing
    return found


async def _run(kills: int, seed: int) -> tuple[Killer, Evening]:
    postgres = PostgresServer()
    try:
        postgres.start()
        killer = Killer(postgres, kills, Random(seed))
        with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
            async with ReplicaProcesses(Path(folder), postgres) as processes:
                evening = await _play(processes, killer)
                dead = [name for name, each in processes.running.items() if each.process.poll() is not None]
                evening.faults += [f"{service} {name} has ended" for service, name in dead]
        return killer, evening
    finally:
        postgres.close()


def postgres_killed(kills: int) -> Iterator[Row]:
    """Row PG."""
    seed = Random().getrandbits(32)
    killer, evening = asyncio.run(_run(kills, seed))
    longest = max(killer.away_seconds, default=0.0)
    yield judged(
        "PG",
        f"PostgreSQL killed (kill -9) {kills} times in tournaments of two orchestrators, ledgers and dealers: nothing "
        "lost or doubled, services go on by themselves",
        f"{killer.done} kills, away for {longest:.1f} s at most, {evening.tournaments} tournaments, {evening.hands} "
        f"hands, {len(evening.faults)} faults"
        + (f": {evening.faults[0]}" if evening.faults else "")
        + f", seed {seed}",
        holds=not evening.faults and killer.done == kills and evening.hands > 0,
    )
