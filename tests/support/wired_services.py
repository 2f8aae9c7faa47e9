"""What a table asks of dealer, betting and evaluator, over gRPC: their real servers in a loop of their own."""

import asyncio
import threading
import uuid
from collections.abc import Awaitable, Callable, Generator, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import grpc
from google.protobuf.message import Message
from sevenstud.betting.v1 import betting_service_pb2 as betting_pb
from sevenstud.betting.v1.betting_service_pb2_grpc import BettingServiceStub
from sevenstud.common.v1.rules_pb2 import HandRules as HandRulesMessage
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub
from sevenstud.evaluator.v1 import evaluator_service_pb2 as evaluator_pb
from sevenstud.evaluator.v1.evaluator_service_pb2_grpc import EvaluatorServiceStub

from services.betting.application.commands import Act, Answer, Expire, Expired, OpenHand, OpenStreet, Settle, Settled
from services.betting.domain.outcome import BettingOutcome
from services.betting.rpc.assembly import betting_assembly
from services.dealer.domain.answers import StreetDealt as DealtByDealer
from services.dealer.domain.opening import OpenHand as OpenDeck
from services.dealer.domain.streets import undealt
from services.dealer.rpc.requests import StreetAsked
from services.evaluator.adapters.plain_engine import PlainEngine
from services.evaluator.adapters.plain_equity import PlainEquity
from services.evaluator.application.batch import ValueBatch
from services.evaluator.application.equity import EstimateEquity
from services.evaluator.application.slots import Slots
from services.evaluator.domain.boards import BoardOrder, SeatBoard
from services.evaluator.domain.bring_in import SeatDoorCard
from services.evaluator.domain.show_order import River
from services.evaluator.domain.showdown import Showdown
from services.evaluator.domain.showdown_hand import PotToWin, SeatHand
from services.evaluator.rpc.assembly import evaluator_assembly
from services.evaluator.rpc.questions import BoardsQuestion, BringInAnswer, BringInQuestion, ShowdownQuestion
from shared.kernel.cards import Card
from shared.kernel.game import Street
from shared.kernel.rules import HandRules
from shared.rpc.client import refusal_from
from shared.rpc.drain import Drain
from shared.rpc.mirror import from_proto, to_proto
from tests.support.dealer_calls import dealer
from tests.support.in_process_cards import ScriptedCards, StreetDealt, TableCards
from tests.support.servers import calling, serving

T = TypeVar("T")
MessageT = TypeVar("MessageT", bound=Message)
CALL_SECONDS_MAX = 20.0


@dataclass(slots=True)
class Wire:
    """The loop in which the servers and the channels live."""

    loop: asyncio.AbstractEventLoop
    betting: BettingServiceStub
    evaluator: EvaluatorServiceStub
    dealer: DealerServiceStub

    def ask(self, call: Callable[[Any], Awaitable[T]], request: Message) -> T:
        """A call from outside of the loop; a refusal comes as the DomainError that it was."""

        async def asked() -> T:
            try:
                return await call(request)
            except grpc.aio.AioRpcError as error:
                raise refusal_from(error, "of the test") from error

        return asyncio.run_coroutine_threadsafe(asked(), self.loop).result(CALL_SECONDS_MAX)


@dataclass(slots=True, kw_only=True)
class WiredCards(TableCards):
    """The cards of a hand as the dealer service deals them."""

    wire: Wire
    hand_id: str
    hands: dict[int, list[Card]] = field(default_factory=dict[int, list[Card]])
    boards: dict[int, list[Card]] = field(default_factory=dict[int, list[Card]])
    shared: Card | None = None

    def deal(self, street: Street, live: tuple[int, ...]) -> StreetDealt:
        request = to_proto(StreetAsked(street=street, live_seats=live), dealer_pb.DealStreetRequest)
        request.request_id, request.hand_id = str(uuid.uuid4()), self.hand_id
        dealt = from_proto(self.wire.ask(self.wire.dealer.DealStreet, request), DealtByDealer)
        for each in dealt.dealt:
            self.hands.setdefault(each.seat, []).extend((*each.down_cards, *each.up_cards))
            self.boards.setdefault(each.seat, []).extend(each.up_cards)
        self.shared = dealt.common_card or self.shared
        return StreetDealt(
            street=street,
            source=dealt.source,
            burned_count=dealt.burned_count,
            stub_count=dealt.stub_count,
            given=(),
        )

    def of(self, seat: int) -> tuple[Card, ...]:
        return tuple(self.hands.get(seat, ()))

    def up_cards(self, seat: int) -> tuple[Card, ...]:
        return tuple(self.boards.get(seat, ()))

    @property
    def common_card(self) -> Card | None:
        return self.shared


class OverTheWire:
    """The services through their contracts."""

    def __init__(self, wire: Wire) -> None:
        self._wire = wire

    def open_hand(self, command: OpenHand) -> BettingOutcome:
        request = to_proto(command, betting_pb.OpenHandRequest)
        return from_proto(self._wire.ask(self._wire.betting.OpenHand, request), Answer).outcome

    def open_street(self, command: OpenStreet) -> BettingOutcome:
        request = to_proto(command, betting_pb.OpenStreetRequest)
        return from_proto(self._wire.ask(self._wire.betting.OpenStreet, request), Answer).outcome

    def act(self, command: Act) -> BettingOutcome:
        request = to_proto(command, betting_pb.ActRequest)
        return from_proto(self._wire.ask(self._wire.betting.Act, request), Answer).outcome

    def expire(self, command: Expire) -> Expired:
        request = to_proto(command, betting_pb.ExpireRequest)
        return from_proto(self._wire.ask(self._wire.betting.Expire, request), Expired)

    def settle(self, command: Settle) -> Settled:
        request = to_proto(command, betting_pb.SettleRequest)
        return from_proto(self._wire.ask(self._wire.betting.Settle, request), Settled)

    def order_bring_in(self, doors: Sequence[SeatDoorCard], rules: HandRules) -> tuple[int, ...]:
        request = to_proto(BringInQuestion(door_cards=tuple(doors)), evaluator_pb.OrderBringInRequest)
        request.rules.CopyFrom(to_proto(rules, HandRulesMessage))
        return from_proto(self._wire.ask(self._wire.evaluator.OrderBringIn, request), BringInAnswer).seats

    def order_boards(self, boards: Sequence[SeatBoard], common_card: Card | None, rules: HandRules) -> BoardOrder:
        question = BoardsQuestion(boards=tuple(boards), common_card=common_card)
        request = to_proto(question, evaluator_pb.OrderBoardsRequest)
        request.rules.CopyFrom(to_proto(rules, HandRulesMessage))
        return from_proto(self._wire.ask(self._wire.evaluator.OrderBoards, request), BoardOrder)

    def rank_showdown(
        self,
        hands: Sequence[SeatHand],
        common_card: Card | None,
        pots: Sequence[PotToWin],
        river: River,
        rules: HandRules,
    ) -> Showdown:
        question = ShowdownQuestion(
            hands=tuple(hands),
            common_card=common_card,
            pots=tuple(pots),
            last_aggressor_seat=river.last_aggressor_seat,
            first_to_act_seat=river.first_to_act_seat,
        )
        request = to_proto(question, evaluator_pb.RankShowdownRequest)
        request.rules.CopyFrom(to_proto(rules, HandRulesMessage))
        return from_proto(self._wire.ask(self._wire.evaluator.RankShowdown, request), Showdown)

    def cards(self, seats: tuple[int, ...], rules: HandRules, seed: bytes, script: ScriptedCards | None) -> TableCards:
        name = f"hand-{uuid.uuid4()}"
        command = OpenDeck(hand_id=name, table_id=name, hand_number=1, seats=seats, rules=rules, script=script)
        request = to_proto(command, dealer_pb.OpenHandRequest)
        request.request_id = str(uuid.uuid4())
        self._wire.ask(self._wire.dealer.OpenHand, request)
        return WiredCards(rules=rules, deck=(), river_key=b"", dealing=undealt(seats), wire=self._wire, hand_id=name)


@contextmanager
def wired_services(folder: Path) -> Generator[OverTheWire]:
    """Dealer (scripted decks allowed), betting and evaluator served on free ports for the length of a test."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, name="services under test", daemon=True)
    thread.start()
    stack = AsyncExitStack()
    try:
        opened = asyncio.run_coroutine_threadsafe(_opened(stack, folder, loop), loop)
        yield OverTheWire(opened.result(CALL_SECONDS_MAX))
    finally:
        asyncio.run_coroutine_threadsafe(stack.aclose(), loop).result(CALL_SECONDS_MAX)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(CALL_SECONDS_MAX)
        loop.close()


async def _opened(stack: AsyncExitStack, folder: Path, loop: asyncio.AbstractEventLoop) -> Wire:
    drain = Drain()
    batch = ValueBatch(PlainEngine(), Slots("batches_max", 2))
    equity = EstimateEquity(PlainEquity(), Slots("equity_streams_max", 2))
    evaluator = await stack.enter_async_context(serving(evaluator_assembly(batch, equity, drain), drain=drain))
    betting = await stack.enter_async_context(serving(betting_assembly()))
    dealing = await stack.enter_async_context(dealer(folder, scripted_decks=True))
    return Wire(
        loop,
        BettingServiceStub(await stack.enter_async_context(calling(betting.address))),
        EvaluatorServiceStub(await stack.enter_async_context(calling(evaluator.address))),
        DealerServiceStub(await stack.enter_async_context(calling(dealing.address))),
    )
