"""Plays recorded hands through the running services, over gRPC, and compares."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass

from sevenstud.common.v1.betting_pb2 import ActionKind, LegalAction
from sevenstud.common.v1.game_pb2 import Street
from sevenstud.common.v1.money_pb2 import Money
from sevenstud.orchestrator.v1 import table_event_pb2 as events
from sevenstud.orchestrator.v1 import table_pb2
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1.table_service_pb2_grpc import TableServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_ledger_service_pb2_grpc import TournamentLedgerServiceStub

from services.console.adapters.calls import Away, Refused, new_request_id
from services.console.adapters.replay_hidden import choose_hidden
from services.console.adapters.replay_requests import CURRENCY, open_table
from services.console.adapters.replay_suite import ReplayLines
from services.console.domain.recorded_hand import RecordedHand
from services.console.domain.replay_cards import CardsContradictError, known_cards
from services.console.domain.replay_report import ReplayReport
from services.console.domain.replay_script import Choice, DivergedError, ReplayScript
from services.console.domain.rule_overrides import Override
from shared.kernel.cards import Card

_HAND_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class Paid:
    """What a hand came to, in the order of the players."""

    stacks_chips: tuple[int, ...]
    winnings_chips: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Replayer:
    """Plays recorded hands under one choice of rules."""

    lines: ReplayLines
    preset: str
    overrides: Sequence[Override]

    async def replay(self, hand: RecordedHand) -> ReplayReport:
        """Play one hand to its end, or to where services and record part; never raises for what a service refuses."""
        try:
            paid = await self._play(hand)
        except CardsContradictError as error:
            return _report(hand, reason=str(error))
        except DivergedError as error:
            return _report(hand, diverged_at=error.at, reason=f"{error.reason}{self._hint(hand, error)}")
        except (Refused, Away) as error:
            return _report(hand, reason=str(error))
        if hand.finishing_stacks_chips not in {None, paid.stacks_chips}:
            return _report(hand, paid.stacks_chips, reason="the final stacks differ")
        if hand.winnings_chips not in {None, paid.winnings_chips}:
            reason = f"the pots differ: the services paid {list(paid.winnings_chips)}"
            return _report(
                hand, paid.stacks_chips, reason=f"{reason}, the record has {list(hand.winnings_chips or ())}"
            )
        return _report(hand, paid.stacks_chips, ok=True)

    def _hint(self, hand: RecordedHand, error: DivergedError) -> str:
        """That the rules may be others than the recorded ones, where that can be."""
        if hand.preset and hand.preset != self.preset:
            return f"; it was played under the preset {hand.preset}: try --preset {hand.preset}"
        return "; were other rules played? --preset and --set choose them" if error.by_rules else ""

    async def _play(self, hand: RecordedHand) -> Paid:
        cards = await choose_hidden(self.lines.evaluator, hand, known_cards(hand))
        request = open_table(hand, cards, self.preset, self.overrides)
        opened = await self.lines.operator.ask(TableServiceStub(self.lines.operator.channel).OpenTable, request)
        table_id = opened.table.table_id
        players = [f"{table_id}.p{number}" for number in range(1, hand.players_count + 1)]
        for seat, (player_id, chips) in enumerate(zip(players, hand.starting_stacks_chips, strict=True), start=1):
            await self._seat(table_id, player_id, seat, chips)
        try:
            return await self._follow(hand, table_id, players)
        finally:
            await self._close(table_id)

    async def _seat(self, table_id: str, player_id: str, seat: int, chips: int) -> None:
        """Give the player the recorded chips, from a wallet of his own."""
        ledger = TournamentLedgerServiceStub(self.lines.ledger.channel)
        wallet = ledger_pb.OpenAccountRequest(request_id=new_request_id(), player_id=player_id, currency=CURRENCY)
        await self.lines.ledger.ask(ledger.OpenAccount, wallet)
        money = Money(amount_minor=chips, currency=CURRENCY)
        deposit = ledger_pb.DepositRequest(request_id=new_request_id(), player_id=player_id, amount=money)
        await self.lines.ledger.ask(ledger.Deposit, deposit)
        sit = pb.SitRequest(
            request_id=new_request_id(), table_id=table_id, player_id=player_id, seat=seat, buy_in_chips=chips
        )
        await self.lines.backend.ask(TableServiceStub(self.lines.backend.channel).Sit, sit)

    async def _follow(self, hand: RecordedHand, table_id: str, players: Sequence[str]) -> Paid:
        """Answer every turn as recorded until the hand is over; what it came to, in the order of the players."""
        tables = TableServiceStub(self.lines.backend.channel)
        watch = tables.Watch(pb.WatchRequest(table_id=table_id), timeout=_HAND_SECONDS)
        script, won = ReplayScript(hand), [0] * len(players)
        try:
            items = aiter(watch)
            await anext(items)  # the table as it is
            resume = pb.ResumeTableRequest(request_id=new_request_id(), table_id=table_id)
            await self.lines.operator.ask(TableServiceStub(self.lines.operator.channel).ResumeTable, resume)
            async for item in items:
                await self._on_event(item, script, won)
                if item.event.WhichOneof("event") == "hand_ended":
                    script.check_end()
                    return Paid(_stacks(item.event.hand_ended, players), tuple(won))
        finally:
            watch.cancel()
        raise DivergedError(None, "the stream of the table ended before the hand did")

    async def _on_event(self, item: pb.WatchResponse, script: ReplayScript, won: list[int]) -> None:
        """One event: dealt, asked or paid as the record has it."""
        event = item.event
        kind = event.WhichOneof("event")
        if kind == "turn_started":
            await self._act(event.table_id, event.turn_started.turn, script)
        elif kind == "street_dealt":
            dealt = event.street_dealt
            counts = {each.seat: len(each.down_cards) + len(each.up_cards) for each in dealt.seats}
            script.deal(_street(dealt.street), counts, Card(dealt.common_card) or None)
        elif kind == "pot_awarded":
            for share in event.pot_awarded.award.shares:
                won[share.seat - 1] += share.chips
        elif kind == "hand_voided":
            raise DivergedError(None, f"the services voided the hand: {event.hand_voided.cause}")

    async def _act(self, table_id: str, turn: table_pb2.Turn, script: ReplayScript) -> None:
        choices = [_choice(action) for action in turn.legal.actions]
        kind, to_chips = script.answer(turn.seat, choices)
        request = pb.ActRequest(
            request_id=new_request_id(),
            table_id=table_id,
            player_id=turn.player_id,
            turn_id=turn.turn_id,
            kind=ActionKind.Value(f"ACTION_KIND_{kind}"),
            to_chips=to_chips,
        )
        await self.lines.backend.ask(TableServiceStub(self.lines.backend.channel).Act, request)

    async def _close(self, table_id: str) -> None:
        """Close the table where its hand is over; a table left in mid-hand stays paused after it."""
        request = pb.CloseTableRequest(request_id=new_request_id(), table_id=table_id)
        with suppress(Refused):
            await self.lines.operator.ask(TableServiceStub(self.lines.operator.channel).CloseTable, request)


def _street(street: Street.ValueType) -> str:
    return Street.Name(street).removeprefix("STREET_").lower()


def _choice(action: LegalAction) -> Choice:
    return Choice(
        kind=ActionKind.Name(action.kind).removeprefix("ACTION_KIND_"),
        to_chips_choices=tuple(action.to_chips_choices),
        to_chips_min=action.to_chips_min,
        to_chips_max=action.to_chips_max,
    )


def _stacks(ended: events.HandEnded, players: Sequence[str]) -> tuple[int, ...]:
    after = {result.player_id: result.after_chips for result in ended.results}
    return tuple(after[player_id] for player_id in players)


def _report(
    hand: RecordedHand,
    stacks: tuple[int, ...] | None = None,
    *,
    ok: bool = False,
    diverged_at: int | None = None,
    reason: str = "",
) -> ReplayReport:
    return ReplayReport(
        name=hand.name,
        ok=ok,
        final_stacks_chips=stacks,
        expected_stacks_chips=hand.finishing_stacks_chips,
        diverged_at=diverged_at,
        reason=reason,
    )
