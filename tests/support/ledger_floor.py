"""Whole tournaments of the real director and the real ledger over gRPC, on one virtual clock: no cards."""

import random
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import grpc
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import Break, RuleSet, TournamentRules
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub
from sevenstud.tournament_ledger.v1.tournament_pb2 import START_KIND_ON_COMMAND, Announcement, Standing

from services.orchestrator.adapters import migrations as orchestrator_migrations
from services.orchestrator.adapters.ledger_client import LedgerClient
from services.orchestrator.adapters.tournament_log import StoredTournamentLog
from services.orchestrator.domain.booking import ChipsPurchased, NumberedFact
from services.tournament_ledger.__main__ import assemble
from services.tournament_ledger.adapters import migrations as ledger_migrations
from services.tournament_ledger.settings import Settings
from shared.kernel.caller import Caller, Role
from shared.rpc.drain import Drain
from shared.storage.requests import RequestKey
from shared.storage.sqlite import SqliteStore, open_store
from tests.support.ledger_house import euro, fresh
from tests.support.lots_double import LotsDouble
from tests.support.servers import calling, server_settings, serving
from tests.support.tournament_floor import Floor

FEE_MINOR = 1000
PURCHASE_SHARE = 0.1
_BACKEND = Caller(Role.BACKEND, "lobby")
_AUDITOR = Caller(Role.AUDITOR, "auditor")
_SERVICE = Caller(Role.SERVICE, "orchestrator")


def random_rules(chance: random.Random, *, many_tables: bool) -> RuleSet:
    """Shallow stacks, and any purchases, triggers and breaks."""
    own = TournamentRules(
        formula=option.FORMULA_MULTI_TABLE if many_tables else option.FORMULA_SINGLE_MATCH,
        starting_stack_chips=chance.choice([400, 600, 1000]),
        level_trigger=chance.choice(
            [
                option.LEVEL_TRIGGER_TIME,
                option.LEVEL_TRIGGER_HANDS,
                option.LEVEL_TRIGGER_FIRST_OF_BOTH,
                option.LEVEL_TRIGGER_LAST_OF_BOTH,
            ]
        ),
        stud_balance=chance.choice([option.STUD_BALANCE_FEWEST_MOVES, option.STUD_BALANCE_POSITION]),
        halt_short=chance.choice([0, 2, 3]),
        same_hand_rank=chance.choice([option.SAME_HAND_RANK_SHARE, option.SAME_HAND_RANK_START_STACK_THEN_SHARE]),
    )
    if chance.random() < 0.6:
        own.rebuy.max_count = chance.randint(1, 2)
        own.rebuy.last_level = chance.randint(1, 3)
        own.rebuy.window_seconds = chance.choice([0, 30, 90])
    if chance.random() < 0.5:
        own.add_on.offered = True
        own.add_on.price_max_minor = FEE_MINOR
        own.add_on.last_level = chance.randint(1, 3)
    if chance.random() < 0.4:
        own.double_chance.offered = True
        own.double_chance.last_level = chance.randint(1, 3)
    for level in (1, 2, 4):
        if chance.random() < 0.4:
            own.breaks.append(Break(after_level=level, length_seconds=chance.choice([60, 300])))
    return RuleSet(tournament=own)


class LedgerFloor:
    """A floor whose director asks a real ledger; players buy now and then, allowed or not."""

    def __init__(self, seed: int, store: SqliteStore, ledger: LedgerClient, lobby: TournamentLedgerServiceStub) -> None:
        self.chance = random.Random(seed)
        self.floor = Floor(seed)
        self.lobby = lobby
        self._store, self._ledger, self._lots = store, ledger, LotsDouble(seed)
        self.tournament_id = ""

    def restart(self) -> None:
        """A director that knows nothing but its log."""
        self.floor.open(StoredTournamentLog(self._store), self._lots, self._ledger)
        for table in self.floor.tables.values():
            table.waits = False

    async def announce(self, entrants: int, seats_per_table: int, rules: RuleSet | None = None) -> None:
        rules = rules or random_rules(self.chance, many_tables=entrants > seats_per_table)
        announcement = Announcement(
            name="Long night",
            rules=RuleSelection(preset="regulated_tournament", overrides=rules),
            fee=euro(FEE_MINOR),
            entrants_min=2,
            entrants_max=entrants,
            seats_per_table=seats_per_table,
            start=START_KIND_ON_COMMAND,
        )
        request = pb.AnnounceTournamentRequest(request_id=fresh(), announcement=announcement)
        self.tournament_id = (await self.lobby.AnnounceTournament(request)).tournament.tournament_id
        for number in range(entrants):
            await self._enter(f"p{number:03d}")

    async def _enter(self, player_id: str) -> None:
        await self.lobby.OpenAccount(pb.OpenAccountRequest(request_id=fresh(), player_id=player_id, currency="EUR"))
        await self.lobby.Deposit(pb.DepositRequest(request_id=fresh(), player_id=player_id, amount=euro(5 * FEE_MINOR)))
        request = pb.RegisterRequest(request_id=fresh(), tournament_id=self.tournament_id, player_id=player_id)
        await self.lobby.Register(request)

    async def play(self, steps_max: int = 20_000, restarts: float = 0.01) -> None:
        """To the end, with purchases, and with a director that is killed now and then."""
        self.restart()
        assert self.floor.house is not None
        await self.floor.house.commands.start(self.tournament_id, RequestKey("start", fresh(), b"d"))
        for _ in range(steps_max):
            if all(table.closed for table in self.floor.tables.values()):
                return
            if self.chance.random() < PURCHASE_SHARE:
                await self._buy(self.chance.choice(sorted(await self.standings())))
            if self.chance.random() < restarts:
                self.restart()
            await self.floor.step()
        raise AssertionError(self.floor.picture())

    async def _buy(self, player_id: str) -> None:
        """Ask for a rebuy or an add-on; the ledger refuses what is not allowed."""
        with suppress(grpc.aio.AioRpcError):
            if self.chance.random() < 0.5:
                rebuy = pb.RebuyRequest(request_id=fresh(), tournament_id=self.tournament_id, player_id=player_id)
                await self.lobby.Rebuy(rebuy)
            else:
                add_on = pb.BuyAddOnRequest(
                    request_id=fresh(), tournament_id=self.tournament_id, player_id=player_id, price=euro(FEE_MINOR)
                )
                await self.lobby.BuyAddOn(add_on)
            fact = ChipsPurchased(player_id=player_id, chips=0)
            heard = NumberedFact(tournament_id=self.tournament_id, version=0, fact=fact)
            assert self.floor.house is not None
            await self.floor.house.follow.heard(heard)

    async def standings(self) -> dict[str, Standing]:
        request = pb.GetStandingsRequest(tournament_id=self.tournament_id, page_size=500)
        return {each.player_id: each for each in (await self.lobby.GetStandings(request)).standings}


@asynccontextmanager
async def ledger_floor(folder: Path, seed: int) -> AsyncGenerator[tuple[LedgerFloor, TournamentLedgerServiceStub]]:
    """A floor with its ledger, and the auditor's stub."""
    settings = Settings.from_env({"SEVENSTUD_TOURNAMENT_LEDGER_DATABASE": str(folder / "ledger.sqlite")})
    settings = replace(settings, server=server_settings())
    books = await open_store(str(settings.database), "tournament_ledger", ledger_migrations)
    log = await open_store(str(folder / "orchestrator.sqlite"), "orchestrator", orchestrator_migrations)
    try:
        drain, floor = Drain(), Floor(seed)
        assembly = assemble(settings, books, drain, floor.clock).assembly
        async with (
            serving(assembly, drain=drain) as server,
            calling(server.address, _SERVICE) as service,
            calling(server.address, _BACKEND) as backend,
            calling(server.address, _AUDITOR) as auditor,
        ):
            made = LedgerFloor(seed, log, LedgerClient(service), TournamentLedgerServiceStub(backend))
            made.floor.clock = floor.clock
            yield made, TournamentLedgerServiceStub(auditor)
    finally:
        await books.close()
        await log.close()
