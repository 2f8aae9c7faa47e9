"""One tournament on the checked floor: announced, filled, played with purchases and troubles, and judged."""

from collections import defaultdict
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import grpc
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub
from sevenstud.tournament_ledger.v1.tournament_pb2 import DealShare, Standing

from services.orchestrator.adapters import migrations as orchestrator_migrations
from services.orchestrator.adapters.ledger_client import LedgerClient
from services.orchestrator.adapters.tournament_log import StoredTournamentLog
from services.orchestrator.domain.booking import (
    ChipsPurchased,
    LateRegistrationClosed,
    NumberedFact,
    PlayerEnteredLate,
)
from services.tournament_ledger.__main__ import assemble
from services.tournament_ledger.adapters import migrations as ledger_migrations
from services.tournament_ledger.settings import Settings
from shared.kernel.caller import Caller, Role
from shared.rpc.drain import Drain
from shared.storage.requests import RequestKey
from shared.storage.sqlite import SqliteStore, open_store
from tests.batteries.tournaments.floor import CheckedFloor
from tests.batteries.tournaments.plans import Formula, Plan
from tests.support.faults import Faulty, away
from tests.support.ledger_house import euro, fresh
from tests.support.lots_double import LotsDouble
from tests.support.servers import calling, server_settings, serving
from tests.support.tournament_floor import FloorTable

WALLET = 30_000
PURCHASES = 0.12
_CHIPS = (
    "SELECT COALESCE(SUM(balance), 0) FROM ledger_accounts WHERE unit = ? "
    "AND kind IN ('PLAYER_CHIPS', 'SECOND_CHANCE_RESERVE')"
)
_LATE_CLOSED = "SELECT 1 FROM ledger_journal WHERE book = ? AND kind = 'LATE_REGISTRATION_CLOSED'"
_RETURNED = "SELECT COUNT(*) FROM ledger_journal WHERE book = ? AND kind = 'PURCHASE_RETURNED'"


class Evening:
    """What the lobby knows: who paid what and how many chips were sold; every check is made against it."""

    def __init__(self, plan: Plan, books: SqliteStore, log: SqliteStore, lobby: TournamentLedgerServiceStub) -> None:
        self.plan, self.lobby, self.books, self.log = plan, lobby, books, log
        self.rng = Random(f"evening {plan.number}")
        self.floor = CheckedFloor(plan.number)
        self.floor.on_sheet, self.floor.on_booked = self._sheet, self._booked
        self.lots = LotsDouble(plan.number)
        self.ledger: Any = None
        self.tournament_id = ""
        self.players = [f"p{number:03d}" for number in range(plan.entrants)]
        self.latecomers = [f"late{number:03d}" for number in range(plan.latecomers)]
        self.entered_late = 0
        self.deal = False
        self.round, self.began = 1, plan.entrants
        self.late_closed = False
        self.spent: dict[str, int] = defaultdict(int)
        self.chips_sold = 0
        self.purchases = self.refusals = self.restarts = 0

    # --- before play ------------------------------------------------------------------------

    async def announce(self) -> None:
        """The announcement and everybody's wallet and entry, one of them withdrawn and made again."""
        request = pb.AnnounceTournamentRequest(request_id=fresh(), announcement=self.plan.announcement())
        self.tournament_id = (await self.lobby.AnnounceTournament(request)).tournament.tournament_id
        for player in self.players:
            await self._open(player)
            await self._register(player)
        regretting = self.rng.choice(self.players)
        await self.lobby.Unregister(
            pb.UnregisterRequest(request_id=fresh(), tournament_id=self.tournament_id, player_id=regretting)
        )
        await self._register(regretting)
        for player in self.players:
            self._sold(player, self.plan.fee_minor, self.plan.own.starting_stack_chips)
        if self.plan.own.start_seats == option.START_SEATS_CHOSEN:
            await self._choose_seats()

    async def _choose_seats(self) -> None:
        """Some choose a seat each, the last tables among them, which may not be needed or not so full."""
        tables = -(-(self.plan.entrants + self.plan.latecomers) // self.plan.seats_per_table)
        seats = [(table, seat) for table in range(1, tables + 1) for seat in range(1, self.plan.seats_per_table + 1)]
        choosing = self.rng.sample(self.players, self.rng.randint(0, min(len(self.players), len(seats))))
        for player, (table, seat) in zip(choosing, self.rng.sample(seats, len(choosing)), strict=True):
            ids: dict[str, Any] = {"tournament_id": self.tournament_id, "player_id": player}
            await self.lobby.ChooseSeat(pb.ChooseSeatRequest(request_id=fresh(), table=table, seat=seat, **ids))

    async def _open(self, player: str) -> None:
        opened = pb.OpenAccountRequest(request_id=fresh(), player_id=player, currency="EUR")
        if not (await self.lobby.OpenAccount(opened)).balance.available.amount_minor:
            await self.lobby.Deposit(pb.DepositRequest(request_id=fresh(), player_id=player, amount=euro(WALLET)))

    async def _register(self, player: str) -> None:
        await self.lobby.Register(
            pb.RegisterRequest(request_id=fresh(), tournament_id=self.tournament_id, player_id=player)
        )

    def _sold(self, player: str, price: int, chips: int) -> None:
        self.spent[player] += price
        self.chips_sold += chips

    # --- play -------------------------------------------------------------------------------

    def restart(self) -> None:
        """A director that knows nothing but its log."""
        self.floor.open(StoredTournamentLog(self.log), self.lots, self.ledger)
        for table in self.floor.tables.values():
            table.waits = False
        self.restarts += 1

    async def play(self) -> None:
        """To the end."""
        self.restart()
        await self._start()
        for _ in range(3_000 + 400 * self.plan.entrants):
            if self.floor.tables and all(table.closed for table in self.floor.tables.values()):
                return
            if self.rng.random() < PURCHASES:
                await self._buy(self.rng.choice(self.players))
            if self.plan.own.deal and not self.deal and self.rng.random() < 0.5:
                self.deal = await self._agree()
            if self.rng.random() < self.plan.restarts:
                self.restart()
            await self.floor.step()
        raise AssertionError(f"it does not end: {self.floor.picture()[:500]}")

    async def _start(self) -> None:
        key = RequestKey("start", fresh(), b"d")
        for _ in range(20):
            with suppress(Exception):
                await self._house().commands.start(self.tournament_id, key)
                return
        await self._house().commands.start(self.tournament_id, key)

    def _house(self) -> Any:
        if self.floor.house is None:
            raise AssertionError("no director is there")
        return self.floor.house

    async def _buy(self, player: str) -> None:
        """Somebody asks for a rebuy, an add-on, the second chance, or to enter (again); the ledger may refuse."""
        what, own = self.rng.randrange(9), self.plan.own
        if what == 6 and self.latecomers:
            player = self.latecomers[-1]
            await self._open(player)
        ids: dict[str, Any] = {"request_id": fresh(), "tournament_id": self.tournament_id, "player_id": player}
        price, chips = 0, 0
        try:
            if what < 4:
                await self.lobby.Rebuy(pb.RebuyRequest(**ids))
                price, chips = self.plan.fee_minor, own.starting_stack_chips
            elif what < 6:
                price = self.rng.choice((self.plan.fee_minor, self.plan.fee_minor // 2, 50))
                await self.lobby.BuyAddOn(pb.BuyAddOnRequest(**ids, price=euro(price)))
                chips = own.starting_stack_chips * price // max(self.plan.fee_minor, 1)
            elif what < 8:
                await self._enter(ids, again=what == 7)
                price, chips = self.plan.fee_minor, own.starting_stack_chips
            else:
                await self._release(ids)
        except grpc.aio.AioRpcError as refusal:
            if refusal.code() not in {grpc.StatusCode.FAILED_PRECONDITION, grpc.StatusCode.ALREADY_EXISTS}:
                raise
            self.refusals += 1
            return
        self.purchases += 1
        self._sold(player, price, chips)
        entered = what in {6, 7}
        self.entered_late += entered
        fact = PlayerEnteredLate(player_id=player) if entered else ChipsPurchased(player_id=player, chips=chips)
        await self._house().follow.heard(NumberedFact(tournament_id=self.tournament_id, version=0, fact=fact))

    async def _enter(self, ids: dict[str, Any], *, again: bool) -> None:
        """After play began: for the first time, or after having been excluded."""
        if again:
            await self.lobby.ReEnter(pb.ReEnterRequest(**ids))
            return
        await self.lobby.Register(pb.RegisterRequest(**ids))
        self.latecomers.remove(ids["player_id"])
        self.players.append(ids["player_id"])

    async def _agree(self) -> bool:
        """Whoever is left agrees on a split, where the ledger lets them: between hands, prizes fixed (rule 203)."""
        left = [each.player_id for each in (await self.standings()).values() if not each.place]
        if len(left) < 2 or len(left) > 9:
            return False
        ids: dict[str, Any] = {"tournament_id": self.tournament_id, "player_id": left[0], "request_id": fresh()}
        try:
            shares = await self._free_shares(left) if self.plan.own.deal == option.DEAL_KIND_FREE else []
            deal = (await self.lobby.ProposeDeal(pb.ProposeDealRequest(**ids, shares=shares))).deal
            for player in left[1:]:
                ids |= {"player_id": player, "request_id": fresh()}
                await self.lobby.AcceptDeal(pb.AcceptDealRequest(**ids, deal_number=deal.number))
        except grpc.aio.AioRpcError as refusal:
            if refusal.code() is not grpc.StatusCode.FAILED_PRECONDITION:
                raise
            return False
        return True

    async def _free_shares(self, left: list[str]) -> list[DealShare]:
        """What is not paid yet, as the players like it: the first gets half and what does not divide."""
        request = pb.GetTournamentRequest(tournament_id=self.tournament_id)
        fund = (await self.lobby.GetTournament(request)).tournament.prize_fund_minor
        unpaid = fund - sum(each.prize_minor for each in (await self.standings()).values())
        each, most = unpaid // (2 * len(left)), unpaid - unpaid // (2 * len(left)) * (len(left) - 1)
        return [DealShare(player_id=name, amount_minor=each if at else most) for at, name in enumerate(left)]

    async def _release(self, ids: dict[str, Any]) -> None:
        await self.lobby.ReleaseSecondChance(pb.ReleaseSecondChanceRequest(**ids))

    async def _returned(self) -> int:
        """Rebuys that were dropped after a hand, so far."""
        rows = await self.books.read(_RETURNED, (f"tournament:{self.tournament_id}",))
        return int(str(rows[0][0]))

    # --- checks at every hand ---------------------------------------------------------------

    async def _booked(self, table: FloorTable) -> None:
        """No chip was made or lost: as many as were sold lie before players or in their reserves."""
        del table
        await self._hear_of_the_end_of_late_entries()
        there = int(str((await self.books.read(_CHIPS, (f"chips:{self.tournament_id}",)))[0][0]))
        sold = self.chips_sold - await self._returned() * self.plan.own.starting_stack_chips
        if self.plan.formula is Formula.ROUNDS and self.plan.own.round_stack != option.ROUND_STACK_CARRY:
            sold = self.plan.own.starting_stack_chips * self.began
        assert there == sold, f"{there} chips are there, {sold} were sold"

    async def _hear_of_the_end_of_late_entries(self) -> None:
        if self.plan.own.late_registration_prize_margin and not self.late_closed:
            book = f"tournament:{self.tournament_id}"
            self.late_closed = bool(await self.books.read(_LATE_CLOSED, (book,)))
            if self.late_closed:
                heard = NumberedFact(tournament_id=self.tournament_id, version=0, fact=LateRegistrationClosed())
                await self._house().follow.heard(heard)

    async def _sheet(self, table: FloorTable) -> None:
        """A table that begins a hand has at most one player more than any other; nobody sits twice.

        While all play one hand at a time, moves wait for the end of a round in which a table has played (rule 186).
        """
        state = await self._house().books.state(self.tournament_id)
        if state.round > self.round:  # its first sheet: everybody who plays it has the starting stack (rule 158)
            self.round, self.began = state.round, len(state.players)
        seats = [(each.table_id, each.seat) for each in state.players.values()]
        assert len(set(seats)) == len(seats), "two players have one seat"
        counts = state.counts()
        current = state.hand_for_hand_round
        held = current > 0 and any(each.hand_for_hand_round >= current for each in state.tables.values())
        if (
            not held
            and table.table_id in counts
            and len(counts) > 1
            and self.plan.own.formula == option.FORMULA_MULTI_TABLE
        ):
            uneven = counts[table.table_id] - min(counts.values())
            assert uneven <= 1, f"{table.table_id} deals with {uneven} players more than another: {counts}"
        assert table.sheet is not None
        dealt = [seat.player_id for seat in table.sheet.seats if seat.stack_chips]
        others = [
            seat.player_id
            for other in self.floor.tables.values()
            if other is not table and other.sheet is not None
            for seat in other.sheet.seats
            if seat.stack_chips
        ]
        assert not set(dealt) & set(others), "somebody is dealt in at two tables"

    async def standings(self) -> dict[str, Standing]:
        """Everybody's line."""
        found: dict[str, Standing] = {}
        request = pb.GetStandingsRequest(tournament_id=self.tournament_id, page_size=500)
        while True:
            page = await self.lobby.GetStandings(request)
            found |= {each.player_id: each for each in page.standings}
            if not page.next_page_token:
                return found
            request.page_token = page.next_page_token


@asynccontextmanager
async def evening_of(plan: Plan, folder: Path) -> AsyncGenerator[tuple[Evening, TournamentLedgerServiceStub]]:
    """The evening with its ledger on one virtual clock, and the auditor's stub."""
    environ = {"SEVENSTUD_TOURNAMENT_LEDGER_DATABASE": str(folder / "ledger.sqlite")}
    settings = replace(Settings.from_env(environ), server=server_settings())
    books = await open_store(str(settings.database), "tournament_ledger", ledger_migrations)
    log = await open_store(str(folder / "orchestrator.sqlite"), "orchestrator", orchestrator_migrations)
    try:
        drain, clock = Drain(), CheckedFloor(plan.number).clock
        async with (
            serving(assemble(settings, books, drain, clock).assembly, drain=drain) as server,
            calling(server.address, Caller(Role.SERVICE, "orchestrator")) as service,
            calling(server.address, Caller(Role.BACKEND, "lobby")) as backend,
            calling(server.address, Caller(Role.AUDITOR, "auditor")) as auditor,
        ):
            made = Evening(plan, books, log, TournamentLedgerServiceStub(backend))
            made.floor.clock = clock
            made.ledger = Faulty(LedgerClient(service), Random(plan.number), plan.trouble, away)
            yield made, TournamentLedgerServiceStub(auditor)
    finally:
        await books.close()
        await log.close()
