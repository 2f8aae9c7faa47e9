"""PostgreSQL killed and started again while two of each service play on it: nothing is lost, all go on by themselves.

The server runs without fsync here: a kill of its process is tried, not a power cut.
"""

import asyncio
import tempfile
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack
from pathlib import Path
from random import Random
from typing import Final, Protocol, cast

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
PLAY_SECONDS_MAX: Final = 1200.0


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
                await self._postgres.start_again()
                self.away_seconds.append(time.monotonic() - began)


async def lobby_of_both(stack: AsyncExitStack, processes: ReplicaProcesses) -> TournamentLobby:
    """A lobby that asks either replica, whichever answers."""
    found = TournamentLobby()
    money = await either(stack, processes, "tournament_ledger", BACKEND, TournamentLedgerServiceStub)
    tables = await either(stack, processes, "orchestrator", BACKEND, TableServiceStub)
    tournaments = await either(stack, processes, "orchestrator", BACKEND, TournamentServiceStub)
    found.ledger = cast("TournamentLedgerServiceStub", money)
    found.tables, found.tournaments = cast("TableServiceStub", tables), cast("TournamentServiceStub", tournaments)
    return found


class Hurting(Protocol):
    """Whoever does harm for a while."""

    peace: Peace

    async def run(self) -> None:
        """All of it."""


async def played_while(processes: ReplicaProcesses, hurting: Hurting) -> Evening:
    """Tournament after tournament, each judged at its end; the last one ends after the hurting has.

    Where the hurting itself fails, nothing is mended any more, and all ends with it.
    """
    found = Evening()
    async with AsyncExitStack() as stack, asyncio.TaskGroup() as group:
        lobby = await lobby_of_both(stack, processes)
        auditor = await either(stack, processes, "tournament_ledger", AUDITOR, TournamentLedgerServiceStub)
        harm = group.create_task(hurting.run())
        while not harm.done() or not found.tournaments:
            found.tournaments += 1
            players = [f"t{found.tournaments}p{number}" for number in range(1, PLAYERS + 1)]
            rules = quick(option.FORMULA_MULTI_TABLE, stack_chips=4 * STACK_CHIPS)
            tournament_id = await lobby.announce(rules, players, seats_per_table=3, entrants_max=PLAYERS)
            try:
                await lobby.start(tournament_id)
                await lobby.play(tournament_id, PLAY_SECONDS_MAX)
                async with hurting.peace.kept():
                    found.hands += await all_is_sound(lobby, auditor, tournament_id, players, 4 * STACK_CHIPS)
            except (AssertionError, TimeoutError) as fault:
                found.faults.append(f"tournament {found.tournaments}: {type(fault).__name__} {fault}"[:600])
    dead = [name for name, each in processes.running.items() if each.process.poll() is not None]
    found.faults += [f"{service} {name} has ended" for service, name in dead]
    return found


async def _run(kills: int, seed: int) -> tuple[Killer, Evening]:
    postgres = PostgresServer()
    try:
        postgres.start()
        killer = Killer(postgres, kills, Random(seed))
        with tempfile.TemporaryDirectory(prefix="chaos-") as folder:
            async with ReplicaProcesses(Path(folder), postgres) as processes:
                evening = await played_while(processes, killer)
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
