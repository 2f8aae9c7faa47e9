"""The dealer through its contract, as tests call it: the real assembly, fresh request ids, errors unpacked."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import grpc
import pytest
from sevenstud.common.v1.card_pb2 import Card as CardMessage
from sevenstud.common.v1.game_pb2 import Street
from sevenstud.dealer.v1 import dealer_service_pb2 as pb
from sevenstud.dealer.v1.dealer_service_pb2_grpc import DealerServiceStub

from services.dealer.__main__ import assemble
from services.dealer.adapters import migrations
from services.dealer.settings import Settings
from shared.kernel.cards import FACE_DOWN, parse_card
from shared.rpc.client import RemoteError, unpack_error
from shared.rpc.rules import preset_messages
from shared.rpc.server import RunningServer
from tests.support.servers import serving
from tests.support.stores import STORES

STREETS = (Street.STREET_THIRD, Street.STREET_FOURTH, Street.STREET_FIFTH, Street.STREET_SIXTH, Street.STREET_SEVENTH)
T = TypeVar("T")


def fresh() -> str:
    """A new request id."""
    return str(uuid.uuid4())


@asynccontextmanager
async def dealer(folder: Path, **changes: object) -> AsyncGenerator[RunningServer]:
    """The dealer over a database of this folder, in the test's own loop."""
    settings = Settings.from_env({"SEVENSTUD_DEALER_DATABASE": str(folder / "dealer.sqlite")})
    settings = replace(settings, **changes)  # type: ignore[arg-type]  # names are those of the settings
    store = await STORES.open(folder / "dealer.sqlite", "dealer", migrations)
    try:
        async with serving(await assemble(settings, store)) as server:
            yield server
    finally:
        await store.close()


async def refused(call: Awaitable[T]) -> RemoteError:
    """The refusal of a call."""
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await call
    return unpack_error(failure.value)


def wire_cards(text: str) -> list[CardMessage.ValueType]:
    """Cards as a script writes them, ``?`` for any."""
    return [CardMessage.ValueType(FACE_DOWN if word == "?" else parse_card(word)) for word in text.split()]


def a_script(common: str = "", **seats: str) -> pb.Script:
    """A script, seats as ``s1="As Ks ?"``."""
    scripted = [pb.ScriptedSeat(seat=int(name[1:]), cards=wire_cards(text)) for name, text in seats.items()]
    return pb.Script(seats=scripted, common_card=wire_cards(common or "?")[0])


def with_id(request: pb.OpenHandRequest, request_id: str) -> pb.OpenHandRequest:
    """The same request under another id."""
    copy = pb.OpenHandRequest()
    copy.CopyFrom(request)
    copy.request_id = request_id
    return copy


def counted(server_metrics: str, name: str) -> int:
    """The sum of a counter over its labels."""
    lines = (line for line in server_metrics.splitlines() if line.startswith(f"sevenstud_dealer_{name}_total"))
    return sum(int(float(line.rsplit(" ", 1)[1])) for line in lines)


async def metrics_of(metrics_address: str) -> str:
    """The page of the metrics."""
    host, port = metrics_address.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(b"GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n")
    text = (await asyncio.wait_for(reader.read(), 5)).decode()
    writer.close()
    return text


class Table:
    """One table at the dealer: hands with consecutive numbers."""

    def __init__(self, stub: DealerServiceStub, table_id: str = "table-1", preset: str = "card_room") -> None:
        """Start with hand number 1."""
        self.stub = stub
        self.table_id = table_id
        self.number = 0
        self.rules = preset_messages()[preset].hand

    def request(self, seats: Sequence[int], **fields: object) -> pb.OpenHandRequest:
        """The request that opens the next hand."""
        request = pb.OpenHandRequest(
            request_id=fresh(),
            hand_id=f"{self.table_id}-{self.number + 1}",
            table_id=self.table_id,
            hand_number=self.number + 1,
            seats=seats,
            rules=self.rules,
        )
        for name, value in fields.items():
            request.MergeFrom(pb.OpenHandRequest(**{name: value}))  # type: ignore[arg-type]  # names are those of the message
        return request

    async def open(self, seats: Sequence[int] | int = 8, **fields: object) -> "PlayedHand":
        """The next hand, opened."""
        numbers = range(1, seats + 1) if isinstance(seats, int) else seats
        request = self.request(tuple(numbers), **fields)
        opened = await self.stub.OpenHand(request)
        self.number += 1
        return PlayedHand(self.stub, request, opened.commitment)


class PlayedHand:
    """One hand at the dealer."""

    def __init__(self, stub: DealerServiceStub, opened: pb.OpenHandRequest, commitment: pb.Commitment) -> None:
        """Nothing is dealt yet."""
        self.stub = stub
        self.opened = opened
        self.hand_id = opened.hand_id
        self.commitment = commitment
        self.streets: list[pb.DealStreetResponse] = []
        self.asked: list[pb.DealStreetRequest] = []

    async def deal(self, live: int | Sequence[int], request_id: str = "") -> pb.DealStreetResponse:
        """The next street, to the first seats or to those named."""
        seats = self.opened.seats[:live] if isinstance(live, int) else live
        street = STREETS[len(self.streets)]
        request = pb.DealStreetRequest(
            request_id=request_id or fresh(), hand_id=self.hand_id, street=street, live_seats=seats
        )
        dealt = await self.stub.DealStreet(request)
        self.streets.append(dealt)
        self.asked.append(request)
        return dealt

    async def deal_all(self, *live: int) -> pb.DealStreetResponse:
        """Every street, to so many seats each; the river."""
        for count in (len(self.opened.seats), *live):
            await self.deal(count)
        return self.streets[-1]

    def cards(self, seat: int) -> list[CardMessage.ValueType]:
        """The own cards of a seat so far, in deal order."""
        own = [each for street in self.streets for each in street.dealt if each.seat == seat]
        return [card for each in own for card in (*each.down_cards, *each.up_cards)]

    async def reveal(self, *seats: int) -> pb.RevealForRankingResponse:
        """Hands for the ranking."""
        return await self.stub.RevealForRanking(
            pb.RevealForRankingRequest(request_id=fresh(), hand_id=self.hand_id, seats=seats)
        )

    async def show(self, *seats: int) -> pb.OpenCardsResponse:
        """Hands shown to everybody."""
        return await self.stub.OpenCards(pb.OpenCardsRequest(request_id=fresh(), hand_id=self.hand_id, seats=seats))

    async def close(self) -> pb.CloseHandResponse:
        """The end of the hand."""
        return await self.stub.CloseHand(pb.CloseHandRequest(request_id=fresh(), hand_id=self.hand_id))

    async def void(self, reason: str = "a test") -> pb.VoidHandResponse:
        """The end of a hand that cannot go on."""
        return await self.stub.VoidHand(pb.VoidHandRequest(request_id=fresh(), hand_id=self.hand_id, reason=reason))

    async def proof(self) -> pb.GetProofResponse:
        """The public record."""
        return await self.stub.GetProof(pb.GetProofRequest(hand_id=self.hand_id))


Call = Callable[[str], Awaitable[object]]
"""A call that takes its request id."""
