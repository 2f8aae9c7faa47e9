"""A lobby and its players: announces, registers, starts, and acts for everybody at every table of a tournament."""

import asyncio
import random
from collections.abc import Sequence
from contextlib import suppress

import grpc
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.betting_pb2 import ActionKind, LegalAction
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import Break, ClockRules, Level, RebuyTerms, RuleSet, Stakes, TournamentRules
from sevenstud.orchestrator.v1 import table_service_pb2 as table_pb
from sevenstud.orchestrator.v1 import tournament_service_pb2 as play_pb
from sevenstud.orchestrator.v1.table_pb2 import TABLE_STATE_CLOSED, Turn
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1 import tournament_pb2
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from shared.kernel.caller import Caller, Role
from tests.support.ledger_house import euro, fresh

BACKEND = Caller(Role.BACKEND, "lobby")
FOLDING_SHARE = 0.4
STACK_CHIPS = 400
_SIZED = {ActionKind.ACTION_KIND_COMPLETE, ActionKind.ACTION_KIND_BET, ActionKind.ACTION_KIND_RAISE}


def quick(
    formula: option.Formula.ValueType = option.FORMULA_SINGLE_MATCH,
    rebuy: RebuyTerms | None = None,
    breaks: Sequence[Break] = (),
    stack_chips: int = STACK_CHIPS,
) -> RuleSelection:
    """Shallow stacks and a level every other hand."""
    levels = [
        Level(
            stakes=Stakes(
                ante_chips=5 * step, bring_in_chips=10 * step, lower_limit_chips=25 * step, upper_limit_chips=50 * step
            ),
            level_seconds=0,
            level_hands=2,
            decision_seconds=0,
        )
        for step in (1, 2, 4, 8)
    ]
    terms = TournamentRules(
        formula=formula,
        starting_stack_chips=stack_chips,
        levels=levels,
        level_trigger=option.LEVEL_TRIGGER_HANDS,
        rebuy=rebuy,
        breaks=breaks,
    )
    overrides = RuleSet(tournament=terms, clock=ClockRules(showdown_seconds=0, all_away_seconds=0))
    return RuleSelection(preset="regulated_tournament", overrides=overrides)


class TournamentLobby:
    """What a customer's lobby does, over the public contract."""

    ledger: TournamentLedgerServiceStub
    tables: TableServiceStub
    tournaments: TournamentServiceStub

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

    async def rebuy(self, tournament_id: str, player_id: str) -> None:
        deposit = ledger_pb.DepositRequest(request_id=fresh(), player_id=player_id, amount=euro(1000))
        await self.ledger.Deposit(deposit)
        request = ledger_pb.RebuyRequest(request_id=fresh(), tournament_id=tournament_id, player_id=player_id)
        await self.ledger.Rebuy(request)

    async def start(self, tournament_id: str) -> play_pb.TournamentView:
        request = play_pb.StartTournamentRequest(request_id=fresh(), tournament_id=tournament_id)
        return (await self.tournaments.StartTournament(request)).tournament

    async def view(self, tournament_id: str) -> play_pb.TournamentView:
        request = play_pb.GetTournamentRequest(tournament_id=tournament_id)
        return (await self.tournaments.GetTournament(request)).tournament

    async def events(self, tournament_id: str, after_version: int = 0) -> list[play_pb.TournamentEvent]:
        """Every event until the stream ends by itself."""
        request = play_pb.WatchTournamentRequest(tournament_id=tournament_id, after_version=after_version)
        return [item.event async for item in self.tournaments.WatchTournament(request)]

    async def eliminated(self, table_id: str) -> list[str]:
        """Players of whom a table said that they are out, once it is closed."""
        found: list[str] = []
        request = table_pb.WatchRequest(table_id=table_id, after_version=0)
        async for item in self.tables.Watch(request):
            if item.event.HasField("player_eliminated"):
                found.append(item.event.player_eliminated.player_id)
            if item.event.HasField("table_closed"):
                break
        return found

    async def standings(self, tournament_id: str) -> dict[str, tournament_pb2.Standing]:
        request = ledger_pb.GetStandingsRequest(tournament_id=tournament_id)
        return {each.player_id: each for each in (await self.ledger.GetStandings(request)).standings}

    async def play(self, tournament_id: str, seconds: float = 60.0) -> None:
        """Everybody plays until one player has all chips."""
        async with asyncio.timeout(seconds), asyncio.TaskGroup() as group:
            playing: set[str] = set()
            while not await self.is_over(tournament_id):
                with suppress(grpc.aio.AioRpcError):
                    for table_id in set((await self.view(tournament_id)).table_ids) - playing:
                        playing.add(table_id)
                        group.create_task(self.act_at(table_id))
                await asyncio.sleep(0.05)

    async def is_over(self, tournament_id: str) -> bool:
        """Has the tournament ended, as far as can be known now?"""
        with suppress(grpc.aio.AioRpcError):
            return (await self.view(tournament_id)).state == play_pb.PLAY_STATE_FINISHED
        return False

    async def act_at(self, table_id: str) -> None:
        """Act for everybody at one table until it is closed; watch again whenever the stream breaks off."""
        chance = random.Random(table_id)
        while True:
            with suppress(grpc.aio.AioRpcError):
                if await self._watch(table_id, chance):
                    return
            await asyncio.sleep(0.1)

    async def _watch(self, table_id: str, chance: random.Random) -> bool:
        """Was the table closed?"""
        async for item in self.tables.Watch(table_pb.WatchRequest(table_id=table_id)):
            kind = item.WhichOneof("item")
            event = item.event.WhichOneof("event")
            if kind == "table" and item.table.state == TABLE_STATE_CLOSED:
                return True
            if kind == "table" and item.table.HasField("turn"):
                await self._act(table_id, item.table.turn, chance)
            elif event == "turn_started":
                await self._act(table_id, item.event.turn_started.turn, chance)
            elif event == "table_closed":
                return True
        return False

    async def _act(self, table_id: str, turn: Turn, chance: random.Random) -> None:
        request = table_pb.ActRequest(
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
