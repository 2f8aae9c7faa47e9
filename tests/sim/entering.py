"""Before a tournament begins: who registers, withdraws, comes back, chooses a seat, loses the line; and the start."""

import asyncio
from contextlib import suppress

from sevenstud.orchestrator.v1 import tournament_service_pb2 as tournament_pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb

from shared.kernel.caller import Role
from tests.sim.client import Client, Refused, Silent
from tests.sim.world import World


async def enter(world: World, lobby: Client, tournament_id: str, names: tuple[str, ...]) -> None:
    """Everybody registers, and then some are restless."""
    for name in names:
        await _register(world, lobby, tournament_id, name)
    if world.plan.traits.entering:
        ends = world.loop.time() + lobby.random.uniform(2.0, 40.0)
        for name in names:
            world.spawn(_dither(world, world.client(f"lobby-{name}", Role.BACKEND), tournament_id, name, ends))


async def _register(world: World, lobby: Client, tournament_id: str, name: str) -> None:
    """The moment may not allow it any more."""
    register = ledger_pb.RegisterRequest(tournament_id=tournament_id, player_id=name)
    with suppress(Refused):
        await world.firmly(lobby, lobby.ledger.Register, register)


async def _dither(world: World, lobby: Client, tournament_id: str, name: str, ends: float) -> None:
    """Until some moment this player does not know what to do; then registers, if that is still allowed."""
    world.asking.append(lobby)
    while world.loop.time() < ends and registering(world, tournament_id):
        await asyncio.sleep(lobby.random.uniform(0.05, 8.0))
        with suppress(Refused, Silent):
            await _change_mind(world, lobby, tournament_id, name)
    connected = tournament_pb.SetEntrantConnectionRequest(tournament_id=tournament_id, player_id=name, connected=True)
    await _register(world, lobby, tournament_id, name)
    with suppress(Refused):
        await world.firmly(lobby, lobby.tournaments.SetEntrantConnection, connected)


async def _change_mind(world: World, lobby: Client, tournament_id: str, name: str) -> None:
    random, who = lobby.random, {"tournament_id": tournament_id, "player_id": name}
    match random.randrange(5):
        case 0:
            await lobby.change(lobby.ledger.Unregister, ledger_pb.UnregisterRequest(**who))
        case 1:
            await lobby.change(lobby.ledger.Register, ledger_pb.RegisterRequest(**who))
        case 2:
            line = tournament_pb.SetEntrantConnectionRequest(**who, connected=random.random() < 0.5)
            await lobby.change(lobby.tournaments.SetEntrantConnection, line)
        case _:
            tables = -(-len(world.plan.players) // world.plan.seats_per_table)
            table, seat = random.choice(((0, 0), *((table, 0) for table in range(1, tables + 1))))
            seat = random.randint(1, world.plan.seats_per_table) if table else 0
            await lobby.change(lobby.ledger.ChooseSeat, ledger_pb.ChooseSeatRequest(**who, table=table, seat=seat))


async def begin(world: World, lobby: Client, tournament_id: str) -> None:
    """On command, where it neither begins by itself nor at a moment that was announced: as soon as enough are there."""
    if world.plan.sit_and_go or world.plan.traits.scheduled_seconds:
        return
    if world.plan.traits.entering:
        await asyncio.sleep(lobby.random.uniform(0.0, 45.0))
    while registering(world, tournament_id):
        start = tournament_pb.StartTournamentRequest(tournament_id=tournament_id)
        with suppress(Refused):
            await world.firmly(lobby, lobby.tournaments.StartTournament, start)
        await asyncio.sleep(2.0)


def registering(world: World, tournament_id: str) -> bool:
    """Play has not begun."""
    return world.judge.ledger.state_of(tournament_id) == "REGISTERING"
