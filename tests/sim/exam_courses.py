"""Worlds in which every RPC that changes something is called: what games alone do not come to."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final, cast

import grpc
from google.protobuf.message import Message
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import RuleSet, Stakes
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1 import tournament_service_pb2 as tournament_pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.caller import Caller, Role
from tests.batteries.ledger.everything import ask_for_everything
from tests.sim.courses import play
from tests.sim.exam import Exam, Marks, Way
from tests.sim.lines import open_line
from tests.sim.nodes import DEALER, LEDGER, ORCHESTRATOR
from tests.sim.world import World
from tests.support import dealer_calls
from tests.support.ledger_house import LedgerHouse, euro, fresh

TABLE: Final = "exam"
LONG_AFTER_DAYS: Final = 80
_TRIES: Final = 30
_SEEN: Final = ("nina", "otto", "paul")
_PASSIVE: Final = ("CHECK", "BRING_IN", "CALL", "FOLD")


class Insistent:
    """A stub whose calls are asked again, the same request, until there is an answer."""

    def __init__(self, stub: Any) -> None:
        self._stub = stub

    def __getattr__(self, method: str) -> Callable[[Message], Awaitable[Any]]:
        call = getattr(self._stub, method)

        async def ask(request: Message, **_: Any) -> Any:
            for _try in range(_TRIES):
                with suppress(_Away):
                    return await _once(call, request)
                await asyncio.sleep(0.2)
            raise AssertionError(f"{method} was never answered")

        return ask


class _Refused(AssertionError):  # noqa: N818  # read as a sentence: it is refused
    """The suite said no."""


class _Away(Exception):  # noqa: N818  # read as a sentence: it is away
    """No answer this time."""


async def _once(call: Callable[..., Awaitable[Any]], request: Message) -> Any:
    try:
        return await call(request)
    except grpc.aio.AioRpcError as error:
        if error.code() in {
            grpc.StatusCode.CANCELLED,
            grpc.StatusCode.UNAVAILABLE,
            grpc.StatusCode.DEADLINE_EXCEEDED,
        }:
            raise _Away from error
        raise _Refused(f"{type(request).__name__}: {error.details()}") from error


def _stub(world: World, name: str, kind: Callable[[Any], Any], role: Role) -> Any:
    channel = open_line(world.network, f"exam-{role.value}", name, Caller(role, f"exam-{role.value}"))
    return Insistent(kind(channel))


def examined(way: Way, marks: Marks, cut_at: int = 0, *, everything: bool) -> Callable[[World], Any]:
    """The course of a world whose every new request is tried in this way."""

    async def course(world: World) -> None:
        exam = Exam(world, way, marks, cut_at, late_every=2 if everything else 4)
        await world.until(lambda: all(node.up for node in world.nodes.values()), "the first start")
        if everything:
            await ask_all(world)
        else:
            if world.plan.tournament:
                world.spawn(_hold_up(world))
            await play(world)
        await exam.long_after(LONG_AFTER_DAYS)

    return course


async def ask_all(world: World) -> None:
    """Every RPC of ledger and dealer that changes something, and those of a table at which a hand is played."""

    def ledger(role: Role) -> TournamentLedgerServiceStub:
        return cast("TournamentLedgerServiceStub", _stub(world, LEDGER, TournamentLedgerServiceStub, role))

    world.directed = False
    house = LedgerHouse(ledger(Role.BACKEND), ledger(Role.OPERATOR), ledger(Role.AUDITOR), ledger(Role.SERVICE))
    await ask_for_everything(house)
    await house.sound()
    await _dealer(cast("DealerServiceStub", _stub(world, DEALER, DealerServiceStub, Role.SERVICE)))
    await _table(world, house)
    await _entrant(world, house)
    await house.sound()


async def _dealer(stub: DealerServiceStub) -> None:
    table = dealer_calls.Table(stub, "exam-dealer")
    hand = await table.open(3, entropy_seats=[1, 2])
    for seat in (1, 2):
        entropy = dealer_pb.ContributeEntropyRequest(request_id=fresh(), hand_id=hand.hand_id, seat=seat)
        entropy.entropy = bytes([seat] * 8)
        await stub.ContributeEntropy(entropy)
    await hand.deal(3)
    await hand.void()
    hand = await table.open(3, entropy_seats=[1])
    await stub.FixDeck(dealer_pb.FixDeckRequest(request_id=fresh(), hand_id=hand.hand_id))
    await hand.deal_all(3, 2, 2, 2)
    await hand.reveal(1, 2)
    await hand.show(1)
    await hand.close()
    lots = dealer_pb.DrawLotsRequest(request_id=fresh(), purpose="seats", subject_id="exam", entries=["a", "b"])
    await stub.DrawLots(lots)


# --- a table ----------------------------------------------------------------------------------


def _rules() -> RuleSelection:
    rules = RuleSet()
    rules.clock.decision_seconds = 60
    rules.clock.time_bank_seconds = 30
    rules.clock.time_bank_activation = option.TIME_BANK_ACTIVATION_MANUAL
    rules.clock.showdown_seconds = 20
    rules.clock.between_hands_seconds = 5
    rules.clock.entropy_seconds = 5
    rules.cash.ante_toggle = option.ANTE_TOGGLE_PER_PLAYER
    rules.cash.buy_in = option.BUY_IN_RANGE
    rules.cash.cash_add = option.CASH_ADD_BELOW_BUY_IN
    rules.cash.buy_in_min_chips = 50
    rules.cash.buy_in_max_chips = 200
    return RuleSelection(preset="card_room", overrides=rules)


class _Game:
    """Three players at a table, who check and call to the end; whatever else can be asked is asked once."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.tables = _stub(world, ORCHESTRATOR, TableServiceStub, Role.BACKEND)
        self._bank_used = False
        self._entropy_for = ""

    async def ask(self, method: str, player_id: str = "", **fields: Any) -> Any:
        """A request of a player, or of the house."""
        if player_id:
            fields["player_id"] = player_id
        request = getattr(pb, f"{method}Request")(request_id=fresh(), table_id=TABLE, **fields)
        return await getattr(self.tables, method)(request)

    async def view(self, player_id: str = "") -> Any:
        """The table as this player sees it."""
        return (await self.tables.GetTable(pb.GetTableRequest(table_id=TABLE, player_id=player_id))).table

    async def play(self, hands: int) -> None:
        """So many hands to their end."""
        truth = self.world.judge.tables[TABLE]
        while truth.table is None or truth.table.hand_number < hands or not truth.quiet:
            hand = truth.table.hand if truth.table is not None else None
            view = await self.view()
            if view.turn.player_id:
                await self._act((await self.view(view.turn.player_id)).turn)
            elif view.entropy_asked.hand_id not in {"", self._entropy_for}:
                await self._add_entropy(view)
            elif hand is not None and hand.undecided_seats:
                await self._show(hand.hand_id, hand.seat(hand.undecided_seats[0]).player_id)
            else:
                await asyncio.sleep(0.5)

    async def _add_entropy(self, view: Any) -> None:
        """One of the players adds something to each deck; the others let the time pass."""
        self._entropy_for = view.entropy_asked.hand_id
        number = view.entropy_asked.asked_seats[0]
        player_id = next(seat.player_id for seat in view.seats if seat.seat == number)
        with suppress(_Refused):
            await self.ask("AddEntropy", player_id, hand_id=view.entropy_asked.hand_id, entropy=b"dice")

    async def _show(self, hand_id: str, player_id: str) -> None:
        with suppress(_Refused):
            await self.ask("ShowOrMuck", player_id, hand_id=hand_id, show=True)

    async def _act(self, turn: Any) -> None:
        """Nobody folds who may stay for nothing more than a call."""
        if not turn.player_id:
            return
        with suppress(_Refused):
            if not self._bank_used:
                await self.ask("UseTimeBank", turn.player_id, turn_id=turn.turn_id)
                self._bank_used = True
            kinds = [ActionKind.Name(each.kind).removeprefix("ACTION_KIND_") for each in turn.legal.actions]
            kind = next(each for each in _PASSIVE if each in kinds)
            number = ActionKind.Value(f"ACTION_KIND_{kind}")
            await self.ask("Act", turn.player_id, turn_id=turn.turn_id, kind=number)


async def _table(world: World, house: LedgerHouse) -> None:
    game = _Game(world)
    for name in _SEEN:
        await house.player(name, 100_000)
    stakes = Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=5, upper_limit_chips=10)
    terms: dict[str, Any] = {"name": "Exam", "rules": _rules(), "stakes": stakes, "chip_value": euro(1)}
    await game.ask("OpenTable", start_paused=True, hands_max=2, **terms)
    for name in _SEEN:
        await game.ask("Sit", name, buy_in_chips=100)
    await game.ask("RegisterSeatKey", "nina", public_key=bytes(range(32)))
    await game.ask("RegisterSeatKey", "nina", public_key=b"")
    await game.ask("SetAutoAnte", "nina", auto_ante=False)
    await game.ask("SetAutoAnte", "nina", auto_ante=True)
    await game.ask("SitOut", "nina")
    await game.ask("Return", "nina")
    await game.ask("SetConnection", "otto", connected=False)
    await game.ask("SetConnection", "otto", connected=True)
    await game.ask("AddChips", "otto", chips=20)
    await game.ask("ResumeTable")
    await game.play(1)
    await game.ask("PauseTable", clocks_too=True, cause="exam")
    await game.ask("ResumeTable")
    await game.play(2)
    await game.ask("PauseTable", cause="the end")
    for name in _SEEN:
        await game.ask("Leave", name)
    await game.ask("CloseTable")
    closed = world.judge.tables[TABLE]
    await world.until(lambda: not any(world.judge.ledger.chips(_known(closed.table)).values()), "the cash-out", 120)


def _known(table: Any) -> Any:
    assert table is not None
    return table


# --- a tournament -----------------------------------------------------------------------------


async def _entrant(world: World, house: LedgerHouse) -> None:
    """The line of somebody who is registered breaks, and comes back."""
    tournament_id = (await house.announce()).tournament_id
    await house.register(tournament_id, _SEEN[0])
    tournaments = _stub(world, ORCHESTRATOR, TournamentServiceStub, Role.BACKEND)
    for connected in (False, True):
        request = tournament_pb.SetEntrantConnectionRequest(
            request_id=fresh(), tournament_id=tournament_id, player_id=_SEEN[0], connected=connected
        )
        await tournaments.SetEntrantConnection(request)
    service = _stub(world, LEDGER, TournamentLedgerServiceStub, Role.SERVICE)
    directs = ledger_pb.RecordDirectorRequest(request_id=fresh(), tournament_id=tournament_id, director_id="exam")
    await service.RecordDirector(directs)


async def _hold_up(world: World) -> None:
    """The house pauses the tournament for a while."""
    tournaments = _stub(world, ORCHESTRATOR, TournamentServiceStub, Role.OPERATOR)
    disk = world.judge.ledger.disk
    running = "SELECT tournament_id FROM ledger_tournaments WHERE state = 'RUNNING'"
    await world.until(lambda: bool(disk.read(running)) or world.calm, "a tournament that runs")
    for (tournament_id,) in disk.read(running):
        ids: dict[str, Any] = {"tournament_id": str(tournament_id)}
        with suppress(_Refused):  # it may be over by now
            await tournaments.PauseTournament(tournament_pb.PauseTournamentRequest(request_id=fresh(), **ids))
            await asyncio.sleep(3.0)
            await tournaments.ResumeTournament(tournament_pb.ResumeTournamentRequest(request_id=fresh(), **ids))
