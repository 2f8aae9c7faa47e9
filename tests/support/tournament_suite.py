"""Five services in one loop over loopback gRPC, and players who sit at every table of a tournament."""

import asyncio
import random
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Self

import grpc
from sevenstud.common.v1.betting_pb2 import ActionKind, LegalAction
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.orchestrator.v1 import table_service_pb2 as tables
from sevenstud.orchestrator.v1 import tournament_service_pb2 as tournaments
from sevenstud.orchestrator.v1.table_pb2 import Turn
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1 import tournament_pb2
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.betting.rpc.assembly import betting_assembly
from services.evaluator.adapters.plain_engine import PlainEngine
from services.evaluator.adapters.seeded_draws import SeededDraws
from services.evaluator.application.batch import ValueBatch
from services.evaluator.application.equity import EstimateEquity
from services.evaluator.application.slots import Slots
from services.evaluator.rpc.assembly import evaluator_assembly
from services.orchestrator.__main__ import Orchestrator, assemble, in_play, remote_services
from services.orchestrator.adapters import migrations as orchestrator_migrations
from services.orchestrator.settings import Settings
from services.tournament_ledger.__main__ import assemble as assemble_ledger
from services.tournament_ledger.adapters import migrations as ledger_migrations
from services.tournament_ledger.settings import Settings as LedgerSettings
from shared.kernel.caller import Caller, Role
from shared.rpc.drain import Drain
from shared.rpc.server import RunningServer
from shared.storage.sqlite import open_store
from tests.support.dealer_calls import dealer
from tests.support.ledger_house import euro, fresh
from tests.support.servers import calling, server_settings, serving

BACKEND = Caller(Role.BACKEND, "lobby")
FOLDING_SHARE = 0.4
_SIZED = {ActionKind.ACTION_KIND_COMPLETE, ActionKind.ACTION_KIND_BET, ActionKind.ACTION_KIND_RAISE}


@asynccontextmanager
async def _ledger(folder: Path) -> AsyncGenerator[RunningServer]:
    settings = LedgerSettings.from_env({"SEVENSTUD_TOURNAMENT_LEDGER_DATABASE": str(folder / "ledger.sqlite")})
    store = await open_store(str(settings.database), "tournament_ledger", ledger_migrations)
    try:
        drain = Drain()
        async with serving(assemble_ledger(settings, store, drain).assembly, drain=drain) as server:
            yield server
    finally:
        await store.close()


@asynccontextmanager
async def _evaluator() -> AsyncGenerator[RunningServer]:
    batch = ValueBatch(PlainEngine(), Slots("batches_max", 2))
    equity = EstimateEquity(SeededDraws(), Slots("equity_streams_max", 2))
    async with serving(evaluator_assembly(batch, equity, Drain())) as server:
        yield server


class TournamentSuite:
    """The suite; its orchestrator may be stopped and started again on its own database."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._services = AsyncExitStack()
        self._orchestrator = AsyncExitStack()
        self._environ: dict[str, str] = {}

    async def __aenter__(self) -> Self:
        opened = self._services.enter_async_context
        targets = {
            "DEALER": await opened(dealer(self._folder)),
            "BETTING": await opened(serving(betting_assembly())),
            "EVALUATOR": await opened(_evaluator()),
            "TOURNAMENT_LEDGER": await opened(_ledger(self._folder)),
        }
        self._environ = {f"SEVENSTUD_ORCHESTRATOR_{name}_TARGET": server.address for name, server in targets.items()}
        channel = await opened(calling(targets["TOURNAMENT_LEDGER"].address, BACKEND))
        self.ledger = TournamentLedgerServiceStub(channel)
        await self.start_orchestrator()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop_orchestrator()
        await self._services.aclose()

    async def start_orchestrator(self) -> None:
        """Start it over its database, which may tell of tournaments in play."""
        database = str(self._folder / "orchestrator.sqlite")
        settings = Settings.from_env({**self._environ, "SEVENSTUD_ORCHESTRATOR_DATABASE": database})
        settings = replace(settings, server=server_settings())
        opened = self._orchestrator.enter_async_context
        store = await open_store(database, "orchestrator", orchestrator_migrations)
        self._orchestrator.push_async_callback(store.close)
        services, drain = await opened(remote_services(settings)), Drain()
        self.orchestrator: Orchestrator = assemble(settings, store, services, drain)
        await opened(in_play(self.orchestrator, drain))
        server = await opened(serving(self.orchestrator.assembly, settings.server, drain))
        self.address = server.address
        channel = await opened(calling(server.address, BACKEND))
        self.tables, self.tournaments = TableServiceStub(channel), TournamentServiceStub(channel)

    async def stop_orchestrator(self) -> None:
        await self._orchestrator.aclose()
        self._orchestrator = AsyncExitStack()

    # --- the lobby --------------------------------------------------------------------------

    async def announce(self, rules: RuleSelection, players: list[str], **terms: int) -> str:
        """A tournament with these players registered."""
        announcement = tournament_pb2.Announcement(
            name="Club night",
            rules=rules,
            fee=euro(1000),
            entrants_min=2,
            entrants_max=terms.get("entrants_max", 8),
            seats_per_table=terms.get("seats_per_table", 8),
            start=tournament_pb2.StartKind.ValueType(terms.get("start", tournament_pb2.START_KIND_ON_COMMAND)),
        )
        request = ledger_pb.AnnounceTournamentRequest(request_id=fresh(), announcement=announcement)
        tournament_id = (await self.ledger.AnnounceTournament(request)).tournament.tournament_id
        for player_id in players:
            await self.register(tournament_id, player_id)
        return tournament_id

    async def register(self, tournament_id: str, player_id: str) -> None:
        account = ledger_pb.OpenAccountRequest(request_id=fresh(), player_id=player_id, currency="EUR")
        await self.ledger.OpenAccount(account)
        deposit = ledger_pb.DepositRequest(request_id=fresh(), player_id=player_id, amount=euro(1000))
        await self.ledger.Deposit(deposit)
        request = ledger_pb.RegisterRequest(request_id=fresh(), tournament_id=tournament_id, player_id=player_id)
        await self.ledger.Register(request)

    async def start(self, tournament_id: str) -> tournaments.TournamentView:
        request = tournaments.StartTournamentRequest(request_id=fresh(), tournament_id=tournament_id)
        return (await self.tournaments.StartTournament(request)).tournament

    async def view(self, tournament_id: str) -> tournaments.TournamentView:
        request = tournaments.GetTournamentRequest(tournament_id=tournament_id)
        return (await self.tournaments.GetTournament(request)).tournament

    async def events(self, tournament_id: str, after_version: int = 0) -> list[tournaments.TournamentEvent]:
        """Every event until the stream ends by itself."""
        request = tournaments.WatchTournamentRequest(tournament_id=tournament_id, after_version=after_version)
        return [item.event async for item in self.tournaments.WatchTournament(request)]

    async def standings(self, tournament_id: str) -> dict[str, tournament_pb2.Standing]:
        request = ledger_pb.GetStandingsRequest(tournament_id=tournament_id)
        return {each.player_id: each for each in (await self.ledger.GetStandings(request)).standings}

    async def play(self, tournament_id: str, seconds: float = 60.0) -> None:
        """Everybody plays until one player has all chips."""
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            playing: set[str] = set()
            while (view := await self.view(tournament_id)).state != tournaments.PLAY_STATE_FINISHED:
                for table_id in set(view.table_ids) - playing:
                    playing.add(table_id)
                    group.create_task(self.act_at(table_id))
                await asyncio.sleep(0.05)

    async def act_at(self, table_id: str) -> None:
        """Act for everybody at one table until it is closed or the stream breaks off."""
        chance = random.Random(table_id)
        with suppress(grpc.aio.AioRpcError):
            async for item in self.tables.Watch(tables.WatchRequest(table_id=table_id)):
                kind = item.WhichOneof("item")
                if kind == "table" and item.table.HasField("turn"):
                    await self._act(table_id, item.table.turn, chance)
                elif kind == "event" and item.event.WhichOneof("event") == "turn_started":
                    await self._act(table_id, item.event.turn_started.turn, chance)
                elif kind == "event" and item.event.WhichOneof("event") == "table_closed":
                    return

    async def _act(self, table_id: str, turn: Turn, chance: random.Random) -> None:
        request = tables.ActRequest(
            request_id=fresh(), table_id=table_id, player_id=turn.player_id, turn_id=turn.turn_id
        )
        choice = _choice(list(turn.legal.actions), chance)
        request.kind = choice.kind
        if choice.kind in _SIZED:
            request.to_chips = choice.to_chips_choices[0] if choice.to_chips_choices else choice.to_chips_min
        with suppress(grpc.aio.AioRpcError):
            await self.tables.Act(request)


def _choice(legal: list[LegalAction], chance: random.Random) -> LegalAction:
    """Rather stay in than fold: short tournaments want callers."""
    staying = [action for action in legal if action.kind != ActionKind.ACTION_KIND_FOLD]
    return chance.choice(legal if not staying or chance.random() < FOLDING_SHARE else staying)
