"""What is asked of each service under load; every call is one that the game makes."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from itertools import count
from typing import Final

from sevenstud.betting.v1.betting_service_pb2_grpc import BettingServiceStub
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.evaluator.v1 import evaluator_service_pb2 as evaluator_pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from shared.rpc.rules import preset_messages
from tests.bench.action import RaisingTable, raising_table
from tests.bench.house import House
from tests.bench.messages import messages
from tests.load.offering import Ask
from tests.support.ledger_house import euro, fresh
from tests.support.servers import calling

PLAYERS: Final = 64
TABLES: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A service under load."""

    service: str
    what: str
    """The call, for the report."""
    prepare: Callable[[House], Awaitable[Ask]]
    rate: float
    """Calls a second that it must carry within the threshold unless said otherwise."""
    p99_ms: float


async def _dealer(house: House) -> Ask:
    rules, numbers = preset_messages()["card_room"].hand, count()

    async def ask(_: int) -> object:
        name = f"load-{next(numbers)}"
        request = dealer_pb.OpenHandRequest(
            request_id=fresh(), hand_id=name, table_id=name, hand_number=1, seats=[1, 2, 3, 4, 5, 6], rules=rules
        )
        return await house.dealer.OpenHand(request)

    return ask


async def _betting(house: House) -> Ask:
    request, _ = messages()
    channel = await house.keep(calling(house.suite.address("betting"), unary_seconds=30.0))
    stub = BettingServiceStub(channel)

    async def ask(_: int) -> object:
        return await stub.Act(request)

    return ask


async def _evaluator(house: House) -> Ask:
    request = evaluator_pb.EvaluateRequest(cards=[1, 5, 9, 13, 17, 22, 30])  # type: ignore[list-item]  # wire numbers

    async def ask(_: int) -> object:
        return await house.evaluator.Evaluate(request)

    return ask


async def _ledger(house: House) -> Ask:
    players = [f"load-payer-{number}" for number in range(PLAYERS)]
    for player in players:
        await house.fund(player, 1)

    async def ask(number: int) -> object:
        request = ledger_pb.DepositRequest(
            request_id=fresh(), player_id=players[number % PLAYERS], amount=euro(1), reference="load"
        )
        return await house.ledger.Deposit(request)

    return ask


async def _orchestrator(house: House) -> Ask:
    free: asyncio.Queue[RaisingTable] = asyncio.Queue()
    for number in range(TABLES):
        free.put_nowait(await raising_table(house, f"load-{number}"))

    async def ask(_: int) -> object:
        table = await free.get()
        request, before = table.next_request(), (table.turn_id - 1, table.place, table.to_chips)
        try:
            return await house.tables.Act(request)
        except BaseException:
            table.turn_id, table.to_chips = before[0], request.to_chips  # refused: the same turn again
            table.place = table.players.index(request.player_id)
            raise
        finally:
            free.put_nowait(table)

    return ask


SUBJECTS: Final = {
    each.service: each
    for each in (
        Subject(service="dealer", what="OpenHand: seal and commit to a deck", prepare=_dealer, rate=100, p99_ms=250),
        Subject(service="betting", what="Act: a raise at a table of six", prepare=_betting, rate=200, p99_ms=250),
        Subject(service="evaluator", what="Evaluate: one hand of seven", prepare=_evaluator, rate=200, p99_ms=250),
        Subject(
            service="tournament_ledger", what="Deposit: one posting, one book", prepare=_ledger, rate=100, p99_ms=250
        ),
        Subject(
            service="orchestrator", what=f"Act: raises at {TABLES} tables", prepare=_orchestrator, rate=100, p99_ms=250
        ),
    )
}
