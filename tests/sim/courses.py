"""What happens in a world: an evening at a cash table or a small tournament, and the reckoning at its end."""

import asyncio
from contextlib import suppress

from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from services.orchestrator.domain.table_facts import TableResumed, TableStalled
from shared.kernel.caller import Role
from tests.sim.client import Client, Refused, Silent
from tests.sim.players import Player
from tests.sim.reckoning import follow, reckoning, settle_all
from tests.sim.table_truth import TableTruth
from tests.sim.tournament_course import tournament
from tests.sim.world import World
from tests.support.ledger_house import euro

MONEY = 2_000
TABLE = "table-1"
_LAST_HAND_SECONDS = 3600.0
_PAUSES_SECONDS = 600.0
"""So long does the house stop a table now and then: an evening is to come to its end."""


async def play(world: World) -> None:
    """The whole life of a world."""
    house = world.client("house", Role.OPERATOR)
    lobby = world.client("lobby", Role.BACKEND)
    await world.until(lambda: all(node.up for node in world.nodes.values()), "the first start")
    for name in world.plan.players:
        client = world.client(name, Role.PLAYER)
        fussy, cash = world.plan.traits.fussy, not world.plan.tournament
        world.players.append(Player(client, world.judge, world.loop, cash=cash, fussy=fussy))
    for name in world.plan.players:
        await world.firmly(
            lobby, lobby.ledger.OpenAccount, ledger_pb.OpenAccountRequest(player_id=name, currency="EUR")
        )
        deposit = ledger_pb.DepositRequest(player_id=name, amount=euro(MONEY), reference="evening money")
        await world.firmly(lobby, lobby.ledger.Deposit, deposit)
    if world.plan.tournament:
        await tournament(world, lobby)
    else:
        await _cash(world, house, lobby)
    await reckoning(world, [house, lobby, *world.asking, *(player.client for player in world.players)])


# --- a cash table -----------------------------------------------------------------------------


async def _cash(world: World, house: Client, lobby: Client) -> None:
    plan = world.plan
    request = pb.OpenTableRequest(
        table_id=TABLE,
        name="Table",
        rules=plan.selection,
        stakes=plan.stakes,
        chip_value=euro(1),
        hands_max=plan.hands_max,
    )
    await world.firmly(lobby, lobby.tables.OpenTable, request)
    follow(world, TABLE)
    for player in world.players:
        player.table_id = TABLE
        player.restless_rate, player.buy_in_chips = plan.traits.restless_rate, plan.buy_in_chips
        world.spawn(_sit(world, player))
    if plan.traits.paused:
        world.spawn(_pause(world, house))
    if plan.traits.closed_early:
        world.spawn(_close_early(world, house))
    truth = world.judge.tables[TABLE]
    await world.until(lambda: _evening_over(world, truth), f"the end of hand {plan.hands_max}")
    await close(world, house, truth)


async def _sit(world: World, player: Player) -> None:
    """Sit down, then play."""
    await asyncio.sleep(player.client.random.uniform(0.0, 10.0))
    request = pb.SitRequest(table_id=TABLE, player_id=player.name, buy_in_chips=world.plan.buy_in_chips)
    with suppress(Refused, Silent):
        await player.client.change(player.client.tables.Sit, request)
    await player.play()


async def _pause(world: World, house: Client) -> None:
    """Now and then no hand begins for a while, or the clocks stand still at once."""
    while not (world.calm or closed(world.judge.tables[TABLE])) and world.loop.time() < _PAUSES_SECONDS:
        await asyncio.sleep(house.random.uniform(2.0, 60.0))
        clocks_too = house.random.random() < 0.5
        with suppress(Refused, Silent):
            stop = pb.PauseTableRequest(table_id=TABLE, cause="a word with the players", clocks_too=clocks_too)
            await house.change(house.tables.PauseTable, stop)
        await asyncio.sleep(house.random.uniform(0.0, 20.0))
        with suppress(Refused):
            await world.firmly(house, house.tables.ResumeTable, pb.ResumeTableRequest(table_id=TABLE))


async def _close_early(world: World, house: Client) -> None:
    """The house wants to close, whatever is going on."""
    await asyncio.sleep(house.random.uniform(2.0, 90.0))
    while not world.calm and not closed(world.judge.tables[TABLE]):
        with suppress(Refused, Silent):
            await house.change(house.tables.CloseTable, pb.CloseTableRequest(table_id=TABLE))
        await asyncio.sleep(house.random.uniform(0.05, 2.0))


async def _stop(world: World, house: Client, truth: TableTruth) -> None:
    """No further hand begins: asked again, for a pause that began before may end meanwhile, and this one with it."""
    ends = world.loop.time() + _LAST_HAND_SECONDS
    while True:
        with suppress(Refused, Silent):
            await house.change(house.tables.PauseTable, pb.PauseTableRequest(table_id=TABLE, cause="closing time"))
        if truth.quiet:
            return
        assert world.loop.time() < ends, "the end of the last hand never came"
        await asyncio.sleep(10.0)


def closed(truth: TableTruth) -> bool:
    """The table is closed."""
    return truth.table is not None and truth.table.closed


def _evening_over(world: World, truth: TableTruth) -> bool:
    """All hands were played; or nobody is there to play another, for a long time."""
    table = truth.table
    assert table is not None
    if truth.quiet and (table.closed or table.hand_number >= world.plan.hands_max):
        return True
    waiting = (TableStalled, TableResumed)  # for a ledger that comes and goes, while nobody can play
    happened = next(each for each in reversed(truth.events) if not isinstance(each.fact, waiting))
    idle = (world.loop.moment() - happened.at).total_seconds()
    return idle > 300 and truth.quiet and len(table.ready_seats) < 2


async def close(world: World, house: Client, truth: TableTruth) -> None:
    """Nothing breaks any more; every open question is asked again; then the house closes the table."""
    await settle_all(world, [player.client for player in world.players])
    while truth.table is not None and not truth.table.closed:
        await _stop(world, house, truth)
        with suppress(Refused, Silent):
            await house.change(house.tables.CloseTable, pb.CloseTableRequest(table_id=TABLE))
        await asyncio.sleep(1.0)
    ledger = world.judge.ledger
    await world.until(lambda: not any(ledger.chips(truth.table).values()), "the cash-out of everybody", 120)  # type: ignore[arg-type]  # it is there
    assert ledger.money("PLAYER_WALLET") == MONEY * len(world.players) - truth.rake_chips, "money is missing"
