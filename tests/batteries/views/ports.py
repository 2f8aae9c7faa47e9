"""The world of one table in one process: the services' own servicers without a network, a deck that is given."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

import grpc

from services.betting.rpc.servicer import BettingServicer
from services.dealer.domain.streets import COMMON_SEAT, undealt
from services.evaluator.adapters.plain_engine import PlainEngine
from services.evaluator.adapters.plain_equity import PlainEquity
from services.evaluator.application.batch import ValueBatch
from services.evaluator.application.equity import EstimateEquity
from services.evaluator.application.slots import Slots
from services.evaluator.rpc.servicer import EvaluatorServicer
from services.orchestrator.adapters.betting_client import BettingClient
from services.orchestrator.adapters.evaluator_client import EvaluatorClient
from services.orchestrator.domain.dealing import (
    CardSource,
    Commitment,
    DealtCards,
    HandToDeal,
    OpenedCards,
    Opening,
    SeatHandCards,
    StreetDeal,
)
from services.orchestrator.domain.events import Recorded
from services.orchestrator.domain.sheet import HandBooked, HandBooking, Sheet
from services.orchestrator.domain.table import Table
from shared.kernel.cards import Card
from shared.kernel.game import Street
from shared.rpc.drain import Drain
from tests.support.in_process_cards import TableCards

START = datetime(2026, 1, 1, 20, tzinfo=UTC)
_COMMITMENT = Commitment(
    shuffle_version="given", seed_commitment=b"", deck_root=b"", scripted=False, scripted_decks_allowed=False
)


class _Direct:
    """A channel that calls a servicer."""

    def __init__(self, servicer: object) -> None:
        self._servicer = servicer

    def unary_unary(self, method: str, *_: object, **__: object) -> Any:
        rpc = getattr(self._servicer, method.rpartition("/")[2])

        async def call(request: object) -> object:
            return await rpc(request, None)

        return call

    def unary_stream(self, *_: object, **__: object) -> None:
        """Not called."""

    stream_unary = stream_stream = unary_stream


def _channel(servicer: object) -> grpc.aio.Channel:
    return _Direct(servicer)  # type: ignore[return-value]  # as much of a channel as the stubs use


def betting() -> BettingClient:
    """The orchestrator's client of the betting service's own servicer."""
    return BettingClient(_channel(BettingServicer(None)))  # type: ignore[arg-type]  # nobody asks who it is


def evaluator() -> EvaluatorClient:
    """The orchestrator's client of the evaluator's own servicer."""
    batch = ValueBatch(PlainEngine(), Slots("batches_max", 1))
    equity = EstimateEquity(PlainEquity(), Slots("equity_streams_max", 1))
    servicer = EvaluatorServicer(batch, equity, None, Drain())  # type: ignore[arg-type]  # nobody asks who it is
    return EvaluatorClient(_channel(servicer))


class StillClock:
    """Implements ports.Clock: time goes on when it is told to."""

    def __init__(self) -> None:
        self._now = START

    def now(self) -> datetime:
        """This moment."""
        return self._now

    def move_to(self, moment: datetime) -> None:
        """It is that late now, if it was not later."""
        self._now = max(self._now, moment)

    def move(self, seconds: float) -> None:
        """So much later."""
        self._now += timedelta(seconds=seconds)

    async def sleep_until(self, moment: datetime) -> None:
        """Nobody sleeps here."""
        self.move_to(moment)


class GivenDeck:
    """Implements what a hand needs of ports.Dealer: the dealer's own deal over a deck that is given."""

    def __init__(self, deck: tuple[Card, ...], river_key: bytes) -> None:
        self._deck = deck
        self._river_key = river_key
        self.cards: TableCards

    async def open_hand(self, hand: HandToDeal) -> Commitment:
        """The commitments say nothing here, for they are meant to differ."""
        self.cards = TableCards(
            rules=hand.rules, deck=self._deck, river_key=self._river_key, dealing=undealt(hand.seats)
        )
        return _COMMITMENT

    async def has_dealt(self, hand_id: str) -> bool:
        """The deck is new."""
        del hand_id
        return False

    async def was_asked_for(self, hand_id: str) -> bool:
        """There is one hand."""
        del hand_id
        return False

    async def fix_deck(self, hand_id: str) -> Commitment:
        """Nobody adds entropy here, and the deck is given."""
        del hand_id
        return _COMMITMENT

    async def deal_street(self, hand_id: str, street: Street, live_seats: Sequence[int]) -> StreetDeal:
        """Burn and deal."""
        del hand_id
        deal = self.cards.deal(street, tuple(live_seats))
        found: dict[int, tuple[list[Card], list[Card]]] = {}
        for each in deal.given:
            down, up = found.setdefault(each.seat, ([], []))
            (up if each.face_up else down).append(self.cards.deck[each.position])
        common = found.pop(COMMON_SEAT, ([], []))
        return StreetDeal(
            dealt=tuple(
                DealtCards(seat=seat, down_cards=tuple(down), up_cards=tuple(up)) for seat, (down, up) in found.items()
            ),
            common_card=next(iter((*common[1], *common[0])), None),
            burned_count=deal.burned_count,
            source=CardSource(deal.source.value),
            stub_count=deal.stub_count,
        )

    async def reveal_for_ranking(self, hand_id: str, seats: Sequence[int]) -> tuple[SeatHandCards, ...]:
        """The hands that are compared."""
        del hand_id
        return tuple(SeatHandCards(seat=seat, cards=self.cards.of(seat)) for seat in seats)

    async def open_cards(self, hand_id: str, seats: Sequence[int]) -> OpenedCards:
        """Hands that were shown."""
        del hand_id, seats
        return OpenedCards(hands=(), openings=())

    async def close_hand(self, hand_id: str) -> tuple[Opening, ...]:
        """What lay open, without proofs: salts are meant to differ."""
        del hand_id
        return tuple(
            Opening(
                position=each.position,
                card=self.cards.deck[each.position],
                salt=b"",
                path=(),
                seat=each.seat,
                street=None,
                face_up=True,
            )
            for each in self.cards.dealing.given
            if each.face_up or each.seat == COMMON_SEAT
        )


class OneSheet:
    """Implements BetweenHands: the same sheet for ever."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet

    async def open_sheet(self, table_id: str, hand_number: int, table_version: int) -> Sheet:
        """The sheet."""
        del table_id, hand_number, table_version
        return self._sheet

    async def record_hand(self, table_id: str, booking: HandBooking) -> HandBooked:
        """Booked."""
        del table_id, booking
        return HandBooked()


class Kept:
    """Implements what a table needs of TableLog: nothing is read back."""

    async def write(self, write: object) -> None:
        """Written."""


class Strict:
    """Implements Witness: a step that fails is the end of the test."""

    def recorded(self, before: Table | None, after: Table, events: tuple[Recorded, ...]) -> None:
        """Seen."""

    def let_go(self, table: Table) -> None:
        """Never."""
        raise AssertionError(f"{table.table_id} is of this process")

    def step_failed(self, step: str, table_id: str, fault: BaseException) -> None:
        """Never."""
        raise AssertionError(f"{step} failed at {table_id}") from fault

    def disclosed(self, hand_id: str, player_id: str, seat: int) -> None:
        """Seen."""

    def watchers_changed(self, by: int) -> None:
        """Seen."""

    def watcher_told(self, events: int) -> None:
        """Seen."""

    def watcher_lost(self) -> None:
        """Seen."""
