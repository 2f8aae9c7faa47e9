"""A short evening without a hand: purchases, leaving and coming back, while one message in four is lost.

Players of the other courses seldom leave while an answer is on its way; here they do little else.
"""

import asyncio
from contextlib import suppress
from functools import partial
from typing import Final

from google.protobuf.message import Message
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from shared.kernel.caller import Role
from tests.sim.client import Client, Refused, Silent
from tests.sim.courses import MONEY, TABLE, close
from tests.sim.plans import BUY_IN_CHIPS
from tests.sim.players import Player, in_a_hurry
from tests.sim.reckoning import follow, reckoning
from tests.sim.world import World
from tests.support.ledger_house import euro

MOVES: Final = (
    ("buys", "leaves", "returns", "returns"),
    ("leaves", "returns", "buys", "returns"),
    ("leaves", "buys", "returns", "returns"),
    ("buys", "buys", "leaves"),
    ("buys", "leaves", "sits"),
)
CLOSED_EARLY: Final = 0.5
"""Share of evenings that the house ends in the middle of it."""


async def hesitate(world: World) -> None:
    """The whole life of such a world."""
    house, lobby = world.client("house", Role.OPERATOR), world.client("lobby", Role.BACKEND)
    await world.until(lambda: all(node.up for node in world.nodes.values()), "the first start")
    for name in world.plan.players:
        world.players.append(Player(world.client(name, Role.PLAYER), world.judge, world.loop))
        opened = ledger_pb.OpenAccountRequest(player_id=name, currency="EUR")
        await world.firmly(lobby, lobby.ledger.OpenAccount, opened)
        deposit = ledger_pb.DepositRequest(player_id=name, amount=euro(MONEY), reference="evening money")
        await world.firmly(lobby, lobby.ledger.Deposit, deposit)
    await _open(world, lobby, house)
    async with asyncio.TaskGroup() as group:
        for player in world.players:
            group.create_task(_come_and_go(player))
        group.create_task(_close_early(house))
    await close(world, house, world.judge.tables[TABLE])
    await reckoning(world, [house, lobby, *(player.client for player in world.players)])


async def _open(world: World, lobby: Client, house: Client) -> None:
    plan = world.plan
    request = pb.OpenTableRequest(
        table_id=TABLE, name="Table", rules=plan.selection, stakes=plan.stakes, chip_value=euro(1), hands_max=1
    )
    await world.firmly(lobby, lobby.tables.OpenTable, request)
    follow(world, TABLE)
    await world.firmly(house, house.tables.PauseTable, pb.PauseTableRequest(table_id=TABLE, cause="nobody plays"))


async def _come_and_go(player: Player) -> None:
    random = player.client.random
    for _ in range(random.randint(1, 4)):
        await _move(player.client, "sits")
        await asyncio.sleep(random.choice((0.0, 0.1, 1.0)))
        await in_a_hurry(player.client, [partial(_move, player.client, move) for move in random.choice(MOVES)])


async def _move(client: Client, move: str) -> None:
    match move:
        case "buys":
            chips = pb.AddChipsRequest(table_id=TABLE, chips=client.random.randint(1, 20))
            await _dare(client, client.tables.AddChips, chips)
        case "sits":
            await _dare(client, client.tables.Sit, pb.SitRequest(table_id=TABLE, buy_in_chips=BUY_IN_CHIPS))
        case "leaves":
            await _dare(client, client.tables.Leave, pb.LeaveRequest(table_id=TABLE))
        case _:
            await _dare(client, client.tables.Return, pb.ReturnRequest(table_id=TABLE))


async def _close_early(house: Client) -> None:
    if house.random.random() < CLOSED_EARLY:
        await asyncio.sleep(house.random.uniform(0.0, 15.0))
        with suppress(Refused, Silent):
            await house.change(house.tables.CloseTable, pb.CloseTableRequest(table_id=TABLE))


async def _dare(client: Client, call: object, request: Message) -> None:
    """A request that the moment may not allow."""
    request.player_id = client.name  # type: ignore[attr-defined]  # all of them have it
    with suppress(Refused, Silent):
        await client.change(call, request)  # type: ignore[arg-type]  # a stub's method
