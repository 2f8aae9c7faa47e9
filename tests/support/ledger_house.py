"""The ledger through its contract, as tests call it: the real assembly, fresh request ids, errors unpacked."""

import uuid
from collections.abc import AsyncGenerator, Awaitable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import grpc
import pytest
from sevenstud.common.v1.money_pb2 import Money
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import CashRules, RuleSet, TournamentRules
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub
from sevenstud.tournament_ledger.v1.tournament_pb2 import START_KIND_ON_COMMAND, Announcement, Tournament

from services.tournament_ledger.__main__ import assemble
from services.tournament_ledger.adapters import migrations
from services.tournament_ledger.application.chores import Chores
from services.tournament_ledger.application.quotas import Quotas
from services.tournament_ledger.settings import Settings
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.client import RemoteError, unpack_error
from shared.rpc.drain import Drain
from shared.rpc.rules import preset_messages
from shared.rpc.server import RunningServer
from shared.storage.database import Store
from tests.support.postgres_server import PostgresServer
from tests.support.servers import calling, serving
from tests.support.stores import STORES

T = TypeVar("T")
TABLE = "table-1"
BACKEND = Caller(Role.BACKEND, "lobby")
OPERATOR = Caller(Role.OPERATOR, "house")
AUDITOR = Caller(Role.AUDITOR, "auditor")
SERVICE = Caller(Role.SERVICE, "orchestrator")


@dataclass
class SetClock:
    """A clock that stands still until it is moved."""

    at: datetime = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)

    def now(self) -> datetime:
        return self.at

    def pass_seconds(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


def fresh() -> str:
    """A new request id."""
    return str(uuid.uuid4())


def euro(amount_minor: int) -> Money:
    return Money(amount_minor=amount_minor, currency="EUR")


async def refusal(call: Awaitable[object]) -> RemoteError:
    """What a call is refused with."""
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await call
    return unpack_error(refused.value)


async def refused(call: Awaitable[object], reason: Reason) -> Mapping[str, str]:
    """The metadata of a refusal for this reason."""
    error = await refusal(call)
    assert error.reason is reason, error
    return error.metadata


@dataclass
class LedgerHouse:
    """What a card room asks of its ledger, by a stub for each role."""

    backend: TournamentLedgerServiceStub
    operator: TournamentLedgerServiceStub
    auditor: TournamentLedgerServiceStub
    service: TournamentLedgerServiceStub
    hands: dict[str, int] = field(default_factory=dict[str, int], init=False)

    # --- money ------------------------------------------------------------------------------

    async def player(self, player_id: str, amount_minor: int = 0) -> None:
        await self.backend.OpenAccount(pb.OpenAccountRequest(request_id=fresh(), player_id=player_id, currency="EUR"))
        if amount_minor:
            await self.deposit(player_id, amount_minor)

    async def deposit(self, player_id: str, amount_minor: int, request_id: str = "") -> pb.DepositResponse:
        request = pb.DepositRequest(
            request_id=request_id or fresh(), player_id=player_id, amount=euro(amount_minor), reference="card"
        )
        return await self.backend.Deposit(request)

    async def wallet(self, player_id: str) -> int:
        answer = await self.backend.GetBalance(pb.GetBalanceRequest(player_id=player_id, currency="EUR"))
        return answer.balance.available.amount_minor

    # --- tournaments ------------------------------------------------------------------------

    async def announce(self, rules: RuleSet | None = None, **terms: Any) -> Tournament:
        request = pb.AnnounceTournamentRequest(request_id=fresh(), announcement=announcement(rules, **terms))
        return (await self.backend.AnnounceTournament(request)).tournament

    async def register(self, tournament_id: str, *player_ids: str) -> None:
        for player_id in player_ids:
            request = pb.RegisterRequest(request_id=fresh(), tournament_id=tournament_id, player_id=player_id)
            await self.backend.Register(request)

    async def tournament(self, tournament_id: str) -> Tournament:
        request = pb.GetTournamentRequest(tournament_id=tournament_id)
        return (await self.backend.GetTournament(request)).tournament

    async def standings(self, tournament_id: str) -> dict[str, Any]:
        request = pb.GetStandingsRequest(tournament_id=tournament_id, page_size=500)
        answer = await self.backend.GetStandings(request)
        return {each.player_id: each for each in answer.standings}

    async def event(self, players: Sequence[str], rules: RuleSet | None = None, **terms: Any) -> str:
        """A tournament with these players, each with a wallet of 1,000.00, in play at one table."""
        for player_id in players:
            await self.player(player_id, 100_000)
        terms.setdefault("entrants_max", 8)
        tournament = await self.announce(rules, **terms)
        await self.register(tournament.tournament_id, *players)
        await self.start(tournament.tournament_id, players)
        return tournament.tournament_id

    async def start(self, tournament_id: str, players: Sequence[str]) -> Tournament:
        seats = [
            pb.SeatAssignment(player_id=player_id, table_id=TABLE, seat=seat)
            for seat, player_id in enumerate(players, start=1)
        ]
        request = pb.StartPlayRequest(request_id=fresh(), tournament_id=tournament_id, seats=seats, draw_id="draw-1")
        return (await self.service.StartPlay(request)).tournament

    async def sheet(self, tournament_id: str, hand_number: int, table_id: str = TABLE) -> pb.OpenSheetResponse:
        request = pb.OpenSheetRequest(
            request_id=fresh(), tournament_id=tournament_id, table_id=table_id, hand_number=hand_number
        )
        return await self.service.OpenSheet(request)

    async def hand(self, tournament_id: str, changes: Mapping[str, int], **more: Any) -> pb.RecordHandResponse:
        """Play the next hand of the table: a sheet, then these changes of stacks."""
        number = self.hands.get(tournament_id, 0) + 1
        sheet = await self.sheet(tournament_id, number)
        answer = await self.record(tournament_id, number, sheet, changes, **more)
        self.hands[tournament_id] = number
        return answer

    async def record(
        self,
        tournament_id: str,
        hand_number: int,
        sheet: pb.OpenSheetResponse,
        changes: Mapping[str, int],
        **more: Any,
    ) -> pb.RecordHandResponse:
        results = [
            pb.HandResult(
                player_id=seat.player_id,
                before_chips=seat.chips,
                after_chips=seat.chips + changes.get(seat.player_id, 0),
            )
            for seat in sheet.seats
            if seat.chips
        ]
        request = pb.RecordHandRequest(
            request_id=fresh(),
            hand_id=f"hand-{tournament_id}-{hand_number}",
            tournament_id=tournament_id,
            table_id=TABLE,
            hand_number=hand_number,
            results=results,
            **more,
        )
        return await self.service.RecordHand(request)

    async def level(self, tournament_id: str, level: int) -> Tournament:
        request = pb.RecordLevelRequest(request_id=fresh(), tournament_id=tournament_id, level=level)
        return (await self.service.RecordLevel(request)).tournament

    async def rebuy(self, tournament_id: str, player_id: str) -> pb.RebuyResponse:
        request = pb.RebuyRequest(request_id=fresh(), tournament_id=tournament_id, player_id=player_id)
        return await self.backend.Rebuy(request)

    async def add_on(self, tournament_id: str, player_id: str, price_minor: int) -> pb.BuyAddOnResponse:
        request = pb.BuyAddOnRequest(
            request_id=fresh(), tournament_id=tournament_id, player_id=player_id, price=euro(price_minor)
        )
        return await self.backend.BuyAddOn(request)

    async def cancel(self, tournament_id: str, expected_version: int = 0) -> pb.CancelTournamentResponse:
        request = pb.CancelTournamentRequest(
            request_id=fresh(), tournament_id=tournament_id, cause="rain", expected_version=expected_version
        )
        return await self.operator.CancelTournament(request)

    # --- proof ------------------------------------------------------------------------------

    async def verify(self, book: str = "") -> pb.VerifyJournalResponse:
        return await self.auditor.VerifyJournal(pb.VerifyJournalRequest(book=book))

    async def sound(self) -> pb.VerifyJournalResponse:
        """The books, found sound: chains whole, balances right, every unit at zero."""
        verdict = await self.verify()
        assert verdict.sound, verdict.faults
        assert {each.sum for each in verdict.sums} <= {0}
        return verdict


@dataclass
class Ledger(LedgerHouse):
    """A ledger that runs, and what is behind it."""

    server: RunningServer
    store: Store
    clock: SetClock
    chores: Chores
    drain: Drain


def announcement(rules: RuleSet | None = None, **terms: Any) -> Announcement:
    """A tournament of the regulated preset for 10.00, at one table unless said otherwise."""
    values: dict[str, Any] = {
        "name": "Sunday stud",
        "fee": euro(1000),
        "entrants_min": 2,
        "entrants_max": 8,
        "seats_per_table": 8,
        "start": START_KIND_ON_COMMAND,
        "rules": RuleSelection(preset="regulated_tournament", overrides=rules),
    }
    return Announcement(**(values | terms))


def tournament_rules(**changes: Any) -> RuleSet:
    """Overrides of the tournament block."""
    return RuleSet(tournament=TournamentRules(**changes))


def card_room_cash() -> CashRules:
    """Cash rules of the card room: a fixed buy-in, additions when busted."""
    rules = CashRules()
    rules.CopyFrom(preset_messages()["card_room"].cash)
    return rules


@asynccontextmanager
async def ledger(folder: Path, quotas: Quotas | None = None) -> AsyncGenerator[Ledger, None]:
    """The ledger over a database in this folder, on a clock of its own."""
    settings = Settings.from_env({"SEVENSTUD_TOURNAMENT_LEDGER_DATABASE": str(folder / "ledger.sqlite")})
    settings = replace(settings, quotas=quotas or settings.quotas)
    store = await STORES.open(folder / "ledger.sqlite", "tournament_ledger", migrations)
    drain, clock = Drain(), SetClock()
    assembled = assemble(settings, store, drain, clock)
    try:
        async with (
            serving(assembled.assembly, drain=drain) as server,
            calling(server.address, BACKEND) as backend,
            calling(server.address, OPERATOR) as operator,
            calling(server.address, AUDITOR) as auditor,
            calling(server.address, SERVICE) as service,
        ):
            stubs = [TournamentLedgerServiceStub(each) for each in (backend, operator, auditor, service)]
            yield Ledger(stubs[0], stubs[1], stubs[2], stubs[3], server, store, clock, assembled.chores, drain)
    finally:
        await store.close()


@asynccontextmanager
async def two_ledgers(folder: Path, postgres: PostgresServer) -> AsyncGenerator[tuple[Ledger, Ledger], None]:
    """Two replicas on one database."""
    STORES.use(postgres)
    try:
        async with ledger(folder) as first, ledger(folder) as second:
            yield first, second
    finally:
        STORES.use(None)
