"""Cash tables through the contract: five services in one loop over loopback gRPC, scripted cards, time that moves."""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol, Self, TypeVar

from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import RuleSet, Stakes
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.betting.rpc.assembly import betting_assembly
from services.evaluator.adapters.plain_engine import PlainEngine
from services.evaluator.adapters.plain_equity import PlainEquity
from services.evaluator.application.batch import ValueBatch
from services.evaluator.application.equity import EstimateEquity
from services.evaluator.application.slots import Slots
from services.evaluator.rpc.assembly import evaluator_assembly
from services.orchestrator.__main__ import Orchestrator, assemble, in_play, remote_services
from services.orchestrator.adapters import migrations
from services.orchestrator.adapters.remote import request_id
from services.orchestrator.domain.recording import hand_id_of
from services.orchestrator.settings import Settings
from services.tournament_ledger.__main__ import assemble as assemble_ledger
from services.tournament_ledger.adapters import migrations as ledger_migrations
from services.tournament_ledger.settings import Settings as LedgerSettings
from shared.kernel.caller import Caller, Role
from shared.rpc.drain import Drain
from shared.rpc.rules import preset_messages
from shared.rpc.server import RunningServer
from shared.storage.database import Store
from shared.storage.requests import AnsweredRequests
from tests.support.dealer_calls import dealer, wire_cards
from tests.support.ledger_house import euro, fresh
from tests.support.moved_clock import MovedClock
from tests.support.servers import ANY_PORT, calling, server_settings, serving
from tests.support.stores import STORES

T = TypeVar("T")
BACKEND = Caller(Role.BACKEND, "lobby")
OPERATOR = Caller(Role.OPERATOR, "house")
PATIENCE_SECONDS = 10.0
STAKES = Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=5, upper_limit_chips=10)
KINGS_FULL = {1: "As Ad Kc Kd Kh 2c 3d", 2: "9s 9d 2h 7c 8d Jh Qs"}
TO_THE_RIVER = ("2 bring_in", "1 complete 5", "2 call", "1 bet 10", "2 call", "1 bet 10", "2 call")
CHECKED_DOWN = ("1 check", "2 check", "1 check", "2 check")


@asynccontextmanager
async def _ledger(folder: Path) -> AsyncGenerator[tuple[RunningServer, Store], None]:
    settings = LedgerSettings.from_env({"SEVENSTUD_TOURNAMENT_LEDGER_DATABASE": str(folder / "ledger.sqlite")})
    store = await STORES.open(folder / "ledger.sqlite", "tournament_ledger", ledger_migrations)
    try:
        drain = Drain()
        async with serving(assemble_ledger(settings, store, drain).assembly, drain=drain) as server:
            yield server, store
    finally:
        await store.close()


@asynccontextmanager
async def _evaluator() -> AsyncGenerator[RunningServer, None]:
    batch = ValueBatch(PlainEngine(), Slots("batches_max", 2))
    equity = EstimateEquity(PlainEquity(), Slots("equity_streams_max", 2))
    async with serving(evaluator_assembly(batch, equity, Drain())) as server:
        yield server


class Calls(Protocol):
    """A suite that is called, wherever it runs."""

    house: TableServiceStub
    """As an operator."""
    tables: TableServiceStub
    """As a back end."""
    ledger: TournamentLedgerServiceStub


class TableSuite:
    """The suite; its orchestrator may be stopped and started again on its own database."""

    def __init__(self, folder: Path) -> None:
        self.clock = MovedClock()
        self._folder = folder
        self._services = AsyncExitStack()
        self._orchestrator = AsyncExitStack()
        self._betting = AsyncExitStack()
        self.betting_address = ANY_PORT
        self._environ: dict[str, str] = {}

    async def __aenter__(self) -> Self:
        opened = self._services.enter_async_context
        ledger_server, self._ledger_store = await opened(_ledger(self._folder))
        servers = {
            "DEALER": await opened(dealer(self._folder, scripted_decks=True)),
            "BETTING": await self.start_betting(),
            "EVALUATOR": await opened(_evaluator()),
            "TOURNAMENT_LEDGER": ledger_server,
        }
        self._environ = {f"SEVENSTUD_ORCHESTRATOR_{name}_TARGET": each.address for name, each in servers.items()}
        self.dealer_address = servers["DEALER"].address
        self.ledger_address = servers["TOURNAMENT_LEDGER"].address
        channel = await opened(calling(servers["TOURNAMENT_LEDGER"].address, BACKEND))
        self.ledger = TournamentLedgerServiceStub(channel)
        await self.start_orchestrator()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop_orchestrator()
        await self.stop_betting()
        await self._services.aclose()

    async def start_betting(self) -> RunningServer:
        """Start betting, once more where it was before."""
        settings = server_settings(listen=self.betting_address)
        server = await self._betting.enter_async_context(serving(betting_assembly(), settings))
        self.betting_address = server.address
        return server

    async def stop_betting(self) -> None:
        """Betting does not answer any more."""
        await self._betting.aclose()
        self._betting = AsyncExitStack()

    async def start_orchestrator(self, **changes: str) -> None:
        """Start it over its database, which may tell of tables in play."""
        own = {"DATABASE": str(self._folder / "orchestrator.sqlite"), "SCRIPTED_TABLES": "allowed", **changes}
        settings = Settings.from_env(
            self._environ | {f"SEVENSTUD_ORCHESTRATOR_{name}": value for name, value in own.items()}
        )
        settings = replace(settings, server=server_settings())
        opened = self._orchestrator.enter_async_context
        store = await STORES.open(self._folder / "orchestrator.sqlite", "orchestrator", migrations)
        self._orchestrator.push_async_callback(store.close)
        services, drain = await opened(remote_services(settings)), Drain()
        services = replace(services, clock=self.clock)
        self.orchestrator: Orchestrator = assemble(settings, store, services, drain)
        await opened(in_play(self.orchestrator, drain))
        server = await opened(serving(self.orchestrator.assembly, settings.server, drain))
        self.address = server.address
        self.house = TableServiceStub(await opened(calling(server.address, OPERATOR)))
        self.tables = TableServiceStub(await opened(calling(server.address, BACKEND)))

    async def forget_ledger_answers(self) -> None:
        """As if months had passed at the ledger: what it answered is not kept any more."""
        await AnsweredRequests(self._ledger_store).forget(time.time_ns() // 1000 + 10**12, 2**61)

    async def stop_orchestrator(self) -> None:
        await self._orchestrator.aclose()
        self._orchestrator = AsyncExitStack()

    async def prepare_deck(self, table_id: str, hand_number: int, seats: tuple[int, ...]) -> None:
        """As an orchestrator that was killed right after it had asked the dealer, with these seats."""
        rules = preset_messages()["card_room"].hand
        hand_id = hand_id_of(table_id, hand_number)
        request = dealer_pb.OpenHandRequest(
            request_id=request_id("dealer", "open_hand", hand_id),
            hand_id=hand_id,
            table_id=table_id,
            hand_number=hand_number,
            seats=seats,
            rules=rules,
        )
        async with calling(self.dealer_address) as channel:
            await DealerServiceStub(channel).OpenHand(request)

    @asynccontextmanager
    async def as_player(self, player_id: str) -> AsyncGenerator[TableServiceStub, None]:
        """Calls of a player of its own."""
        async with calling(self.address, Caller(Role.PLAYER, player_id)) as channel:
            yield TableServiceStub(channel)


async def open_table(suite: Calls, rules: RuleSelection, **terms: object) -> "PlayedTable":
    """A paused cash table."""
    request = pb.OpenTableRequest(
        request_id=fresh(), name="Table", rules=rules, stakes=STAKES, chip_value=euro(1), start_paused=True
    )
    for name, value in terms.items():
        if name == "scripted_hands":
            request.scripted_hands.extend(value)  # type: ignore[arg-type]  # a list of them
        else:
            setattr(request, name, value)
    opened = await suite.tables.OpenTable(request)
    return PlayedTable(suite, opened.table.table_id)


def card_room(**changes: Callable[[RuleSet], None]) -> RuleSelection:
    """The card room with small buy-ins, and hands that are hidden or shown without waiting."""
    selection = RuleSelection(preset="card_room")
    selection.overrides.clock.showdown_seconds = 0
    selection.overrides.cash.buy_in_min_chips = 100
    selection.overrides.cash.buy_in_max_chips = 100
    for change in changes.values():
        change(selection.overrides)
    return selection


def scripted(cards: Mapping[int, str], common_card: str = "") -> pb.ScriptedHand:
    """Cards by seat in deal order, ``?`` for any."""
    hand = pb.ScriptedHand(seats=[pb.ScriptedSeat(seat=seat, cards=wire_cards(text)) for seat, text in cards.items()])
    if common_card:
        hand.common_card = wire_cards(common_card)[0]
    return hand


@dataclass
class PlayedTable:
    """A table and what is done at it, by a back end for its players."""

    suite: Calls
    table_id: str
    players: dict[int, str] = field(default_factory=dict[int, str])
    """By seat."""

    async def sit(self, *player_ids: str) -> None:
        """Players with money take the next seats."""
        for player_id in player_ids:
            request = ledger_pb.OpenAccountRequest(request_id=fresh(), player_id=player_id, currency="EUR")
            await self.suite.ledger.OpenAccount(request)
            deposit = ledger_pb.DepositRequest(request_id=fresh(), player_id=player_id, amount=euro(1000))
            await self.suite.ledger.Deposit(deposit)
            sit = pb.SitRequest(request_id=fresh(), table_id=self.table_id, player_id=player_id, buy_in_chips=100)
            self.players[(await self.suite.tables.Sit(sit)).seat] = player_id

    async def resume(self) -> None:
        """Hands may start."""
        await self.suite.house.ResumeTable(pb.ResumeTableRequest(request_id=fresh(), table_id=self.table_id))

    async def view(self, player_id: str = "") -> table_pb2.TableView:
        """The table as somebody sees it."""
        request = pb.GetTableRequest(table_id=self.table_id, player_id=player_id)
        return (await self.suite.tables.GetTable(request)).table

    async def turn(self) -> table_pb2.Turn:
        """Whoever is to act, as soon as somebody is."""
        view = await self.until(lambda table: table.HasField("turn"))
        return view.turn

    async def until(self, holds: Callable[[table_pb2.TableView], bool]) -> table_pb2.TableView:
        """The table as soon as something holds."""
        async with asyncio.timeout(PATIENCE_SECONDS):
            while not holds(view := await self.view()):  # noqa: ASYNC110  # as a client would look
                await asyncio.sleep(0.005)
        return view

    async def act(self, seat: int, kind: str, to_chips: int = 0) -> pb.ActResponse:
        """The seat does this as soon as it is to act."""
        view = await self.until(lambda table: table.turn.seat == seat)
        return await self.suite.tables.Act(self.action(view.turn, kind, to_chips))

    async def play(self, *actions: str) -> None:
        """Actions as in ``1 bring_in``, ``2 raise 10``."""
        for action in actions:
            seat, kind, *amount = action.split()
            await self.act(int(seat), kind, int(amount[0]) if amount else 0)

    def action(self, turn: table_pb2.Turn, kind: str, to_chips: int = 0) -> pb.ActRequest:
        """The request that answers a turn."""
        return pb.ActRequest(
            request_id=fresh(),
            table_id=self.table_id,
            player_id=turn.player_id,
            turn_id=turn.turn_id,
            kind=ActionKind.Value(f"ACTION_KIND_{kind.upper()}"),
            to_chips=to_chips,
        )

    async def hand(self, number: int, player_id: str = "", *, phh: bool = False) -> pb.GetHandResponse:
        """A finished hand, as soon as its openings are published."""
        hand_id = f"{self.table_id}.{number}"
        async with asyncio.timeout(PATIENCE_SECONDS):
            while True:
                lines = await self.suite.tables.ListHands(pb.ListHandsRequest(table_id=self.table_id))
                if any(line.hand_number == number for line in lines.hands):
                    request = pb.GetHandRequest(hand_id=hand_id, player_id=player_id, phh=phh)
                    found = await self.suite.tables.GetHand(request)
                    if found.events[-1].WhichOneof("event") == "openings_published":
                        return found
                await asyncio.sleep(0.01)


async def heads_up(suite: Calls, rules: RuleSelection | None = None, **terms: object) -> PlayedTable:
    """Ann in seat 1 and bob in seat 2, the first hand about to begin: kings full against a pair of nines."""
    terms = {"scripted_hands": [scripted(KINGS_FULL)], "hands_max": 1} | terms
    table = await open_table(suite, rules or card_room(), **terms)
    await table.sit("ann", "bob")
    await table.resume()
    return table


def stacks(view: table_pb2.TableView) -> dict[int, int]:
    """Chips behind by seat."""
    return {seat.seat: seat.stack_chips for seat in view.seats}


async def events_until(stream: AsyncIterator[pb.WatchResponse], kind: str) -> list[TableEvent]:
    """The events of a stream up to the first one of a kind."""
    found: list[TableEvent] = []
    async with asyncio.timeout(PATIENCE_SECONDS):
        async for item in stream:
            if item.WhichOneof("item") == "event":
                found.append(item.event)
                if item.event.WhichOneof("event") == kind:
                    return found
    raise AssertionError(f"the stream ended before {kind}")


def kinds(events: Sequence[TableEvent]) -> list[str | None]:
    """What happened, in words."""
    return [event.WhichOneof("event") for event in events]


async def within(work: Awaitable[T]) -> T:
    """Not for ever."""
    return await asyncio.wait_for(work, PATIENCE_SECONDS)
