"""What happens in a world: an evening at a cash table, or a small tournament, and the reckoning at its end."""

import asyncio
from collections import Counter
from contextlib import suppress
from typing import Any

from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.orchestrator.v1 import table_service_pb2 as pb
from sevenstud.orchestrator.v1 import tournament_service_pb2 as tournament_pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_pb2 import TOURNAMENT_STATE_FINISHED

from services.orchestrator.domain.fold import fold
from services.orchestrator.domain.hand_facts import ActionTaken
from services.orchestrator.domain.wagering import ActionCause
from shared.kernel.caller import Role
from tests.batteries.tournaments.verdicts import check_places
from tests.sim.client import Client, Refused, Sent, Silent
from tests.sim.players import Follower, Player
from tests.sim.table_truth import TableTruth
from tests.sim.world import World
from tests.support.ledger_house import euro

MONEY = 2_000
TABLE = "table-1"


async def play(world: World) -> None:
    """The whole life of a world."""
    house = world.client("house", Role.OPERATOR)
    lobby = world.client("lobby", Role.BACKEND)
    await world.until(lambda: all(node.up for node in world.nodes.values()), "the first start")
    for name in world.plan.players:
        client = world.client(name, Role.PLAYER)
        world.players.append(Player(client, world.judge, world.loop, cash=not world.plan.tournament))
    for name in world.plan.players:
        await world.firmly(
            lobby, lobby.ledger.OpenAccount, ledger_pb.OpenAccountRequest(player_id=name, currency="EUR")
        )
        deposit = ledger_pb.DepositRequest(player_id=name, amount=euro(MONEY), reference="evening money")
        await world.firmly(lobby, lobby.ledger.Deposit, deposit)
    if world.plan.tournament:
        await _tournament(world, lobby)
    else:
        await _cash(world, house, lobby)
    await _reckoning(world, [house, lobby, *(player.client for player in world.players)])


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
    _follow(world, TABLE)
    for player in world.players:
        player.table_id = TABLE
        world.spawn(_sit(world, player))
    truth = world.judge.tables[TABLE]
    await world.until(lambda: _evening_over(world, truth), f"the end of hand {plan.hands_max}")
    await _close(world, house, truth)


async def _sit(world: World, player: Player) -> None:
    """Sit down, then play."""
    await asyncio.sleep(player.client.random.uniform(0.0, 10.0))
    request = pb.SitRequest(table_id=TABLE, player_id=player.name, buy_in_chips=world.plan.buy_in_chips)
    with suppress(Refused, Silent):
        await player.client.change(player.client.tables.Sit, request)
    await player.play()


def _evening_over(world: World, truth: TableTruth) -> bool:
    """All hands were played; or nobody is there to play another, for a long time."""
    table = truth.table
    assert table is not None
    if table.hand_number >= world.plan.hands_max and truth.quiet:
        return True
    idle = (world.loop.moment() - truth.events[-1].at).total_seconds()
    return idle > 300 and truth.quiet and len(table.ready_seats) < 2


async def _close(world: World, house: Client, truth: TableTruth) -> None:
    """Nothing breaks any more; every open question is asked again; then the house closes the table."""
    await _settle_all(world, [player.client for player in world.players])
    while truth.table is not None and not truth.table.closed:
        with suppress(Refused, Silent):
            await house.change(house.tables.PauseTable, pb.PauseTableRequest(table_id=TABLE, cause="closing time"))
        await world.until(lambda: truth.quiet, "the end of the last hand")
        with suppress(Refused, Silent):
            await house.change(house.tables.CloseTable, pb.CloseTableRequest(table_id=TABLE))
        await asyncio.sleep(1.0)
    ledger = world.judge.ledger
    await world.until(lambda: not any(ledger.chips(truth.table).values()), "the cash-out of everybody", 120)  # type: ignore[arg-type]  # it is there
    assert ledger.money("PLAYER_WALLET") == MONEY * len(world.players) - truth.rake_chips, "money is missing"


# --- a tournament -----------------------------------------------------------------------------


async def _tournament(world: World, lobby: Client) -> None:
    announced = await world.firmly(
        lobby,
        lobby.ledger.AnnounceTournament,
        ledger_pb.AnnounceTournamentRequest(announcement=world.plan.announcement()),
    )
    tournament_id = announced.tournament.tournament_id
    for player in world.players:
        register = ledger_pb.RegisterRequest(tournament_id=tournament_id, player_id=player.name)
        await world.firmly(lobby, lobby.ledger.Register, register)
        world.spawn(player.play())
    if not world.plan.sit_and_go:
        start = tournament_pb.StartTournamentRequest(tournament_id=tournament_id)
        with suppress(Refused):
            await world.firmly(lobby, lobby.tournaments.StartTournament, start)
    world.spawn(_seat_players(world, lobby, tournament_id))
    world.spawn(_rebuy(world, lobby, tournament_id))
    await world.until(lambda: _finished(world, tournament_id), "the end of the tournament", 3.5 * 3600)
    await _settle_all(world, [lobby, *(player.client for player in world.players)])
    tables = world.judge.tables
    await world.until(lambda: all(each.table is None or each.table.closed for each in tables.values()), "closed tables")
    await _check_tournament(lobby, tournament_id)


async def _seat_players(world: World, lobby: Client, tournament_id: str) -> None:
    """Each player looks at the table where the tournament says that the player sits."""
    followed = set[str]()
    while True:
        with suppress(Refused, Silent):
            request = tournament_pb.GetTournamentRequest(tournament_id=tournament_id)
            view = (await lobby.read(lobby.tournaments.GetTournament, request)).tournament
            seats = {seat.player_id: seat.table_id for seat in view.seats}
            for player in world.players:
                player.table_id = seats.get(player.name, "")
            for table_id in sorted(set(seats.values()) - followed):
                followed.add(table_id)
                _follow(world, table_id)
        await asyncio.sleep(2.0)


async def _rebuy(world: World, lobby: Client, tournament_id: str) -> None:
    """Now and then somebody wants chips; mostly the rules say no."""
    while world.plan.rules.tournament.rebuy.max_count and not world.calm:
        await asyncio.sleep(lobby.random.uniform(5.0, 30.0))
        name = lobby.random.choice(world.plan.players)
        with suppress(Refused, Silent):
            await lobby.change(lobby.ledger.Rebuy, ledger_pb.RebuyRequest(tournament_id=tournament_id, player_id=name))


def _finished(world: World, tournament_id: str) -> bool:
    rows = world.judge.ledger.disk.read(
        "SELECT state FROM ledger_tournaments WHERE tournament_id = ?", (tournament_id,)
    )
    return rows == [("FINISHED",)]


async def _check_tournament(lobby: Client, tournament_id: str) -> None:
    request = ledger_pb.GetTournamentRequest(tournament_id=tournament_id)
    tournament = (await lobby.read_firmly(lobby.ledger.GetTournament, request)).tournament
    assert tournament.state == TOURNAMENT_STATE_FINISHED
    standings_of = ledger_pb.GetStandingsRequest(tournament_id=tournament_id)
    page = await lobby.read_firmly(lobby.ledger.GetStandings, standings_of)
    standings = {each.player_id: each for each in page.standings}
    check_places(standings)
    prizes = sum(each.prize_minor for each in standings.values())
    assert prizes == tournament.prize_fund_minor, f"{prizes} of {tournament.prize_fund_minor} were paid"
    first = sum(each.chips + each.reserve_chips for each in standings.values() if each.place == 1)
    assert first == tournament.chips_total, "who is left has not all chips"


# --- the reckoning ----------------------------------------------------------------------------


def _follow(world: World, table_id: str) -> None:
    """Somebody watches the table's stream: one of the players, or an observer."""
    viewer = world.plan.players[0] if world.plan.seed % 3 else ""
    client = world.client(f"watcher-{len(world.followers)}", Role.BACKEND if viewer else Role.OBSERVER)
    follower = Follower(client, world.judge, viewer)
    world.followers.append(follower)
    world.spawn(follower.follow(table_id))


async def _settle_all(world: World, clients: list[Client]) -> None:
    """The weather is fine, everything is up; nobody plays on; whoever had no answer asks once more."""
    world.heal()
    for player in world.players:
        player.left = True
    await world.until(lambda: all(node.up for node in world.nodes.values()), "the last start", 120)
    for client in clients:
        for sent in client.sent:
            while not sent.known:
                with suppress(Refused, Silent):
                    await client.settle(sent)
    await asyncio.sleep(40.0)  # every message that is still on its way arrives


async def _reckoning(world: World, clients: list[Client]) -> None:
    """Every accepted command was applied once, every other not at all; the log tells the same from its beginning."""
    await _settle_all(world, clients)
    for truth in world.judge.tables.values():
        assert fold(None, tuple(truth.events)) == truth.table, "the log tells another story from its beginning"
        assert truth.table is not None
        world.judge.ledger.agree(truth.table, frozenset(), purchases=world.judge.purchases)
        for follower in world.followers:
            seen_all = follower.table_id != truth.table_id or follower.cursor == truth.table.version
            assert seen_all, f"a watcher saw {follower.cursor} of {truth.table.version} events"
    _acts_once(world, [sent for client in clients for sent in client.sent])
    _money_once(world, [sent for client in clients for sent in client.sent])


def _acts_once(world: World, sent: list[Sent]) -> None:
    """Every accepted action stands in the log once, as it was answered; no other action of a player does."""
    acted = {
        (truth.table_id, turn_id): recorded
        for truth in world.judge.tables.values()
        for turn_id, recorded in truth.acted.items()
        if isinstance(recorded.fact, ActionTaken) and recorded.fact.cause is ActionCause.PLAYER
    }
    acts = [each for each in sent if each.what == "Act"]
    for each in acts:
        if each.answer is not None:
            recorded = acted.pop((each.request.table_id, each.request.turn_id), None)
            assert recorded is not None, f"an accepted action in turn {each.request.turn_id} is not in the log"
            fact: Any = recorded.fact
            answered = (recorded.version, fact.paid_chips)
            assert answered == (each.answer.version, each.answer.paid_chips), "an action was answered otherwise"
            assert f"ACTION_KIND_{fact.kind.name}" == ActionKind.Name(each.request.kind), "another action was taken"
    for each in acts:
        if each.dropped:
            acted.pop((each.request.table_id, each.request.turn_id), None)
    assert not acted, f"turns {sorted(acted)} were answered for players who had no answer"


def _money_once(world: World, sent: list[Sent]) -> None:
    """Every accepted deposit is one entry, every accepted purchase one fact at the table; refused ones are none."""
    entries = world.judge.ledger.requests
    for each in sent:
        if each.what == "Deposit" and not each.dropped:
            wanted = int(each.answer is not None)
            found = sum(count for key, count in entries.items() if key.startswith(each.request.request_id))
            assert found == wanted, f"a deposit was booked {found} times, {wanted} is right"
    bought = Counter[tuple[str, int]]()
    for truth in world.judge.tables.values():
        if truth.cash:
            bought.update(truth.bought)
    accepted = Counter(_asked(each) for each in sent if each.what in _PURCHASES and each.answer is not None)
    perhaps = Counter(_asked(each) for each in sent if each.what in _PURCHASES and each.dropped)
    assert accepted <= bought <= accepted + perhaps, f"bought {dict(bought)}, accepted {dict(accepted)}"


_PURCHASES = {"Sit", "AddChips"}


def _asked(sent: Sent) -> tuple[str, int]:
    request = sent.request
    return str(request.player_id), int(request.buy_in_chips if sent.what == "Sit" else request.chips)
