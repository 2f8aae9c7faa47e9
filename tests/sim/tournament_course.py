"""A small tournament: announced, entered, started, rebought, entered late or again, played to its end."""

import asyncio
from contextlib import suppress
from datetime import UTC, datetime, timedelta

from sevenstud.orchestrator.v1 import tournament_service_pb2 as tournament_pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_pb2 import (
    ENTRANT_STATE_WITHDRAWN,
    TOURNAMENT_STATE_CANCELLED,
    TOURNAMENT_STATE_FINISHED,
    Tournament,
)

from shared.kernel.caller import Role
from tests.batteries.tournaments.verdicts import check_places
from tests.sim.client import Client, Refused, Silent
from tests.sim.entering import begin, enter
from tests.sim.event_truth import check_paid
from tests.sim.reckoning import follow, settle_all
from tests.sim.world import World
from tests.support.ledger_house import euro

MONEY = 2_000
"""Of each player in minor units, before the evening."""


async def tournament(world: World, lobby: Client) -> None:
    announced = await world.firmly(
        lobby,
        lobby.ledger.AnnounceTournament,
        ledger_pb.AnnounceTournamentRequest(announcement=world.plan.announcement()),
    )
    tournament_id = announced.tournament.tournament_id
    late = _latecomers(world)
    in_time = tuple(player.name for player in world.players if player.name not in late)
    await enter(world, lobby, tournament_id, in_time)
    for player in world.players:
        world.spawn(player.play())
    for name in late:
        world.spawn(_come_late(world, lobby, tournament_id, name))
    world.spawn(begin(world, lobby, tournament_id))
    world.spawn(_seat_players(world, lobby, tournament_id))
    _spawn_the_rest(world, lobby, tournament_id)
    await world.until(lambda: _finished(world, tournament_id), "the end of the tournament", 3.5 * 3600)
    await settle_all(world, [lobby, *world.asking, *(player.client for player in world.players)])
    tables = world.judge.tables
    await world.until(lambda: all(each.table is None or each.table.closed for each in tables.values()), "closed tables")
    await _check_tournament(world, lobby, tournament_id)


def _spawn_the_rest(world: World, lobby: Client, tournament_id: str) -> None:
    """Whatever else people do meanwhile."""
    traits = world.plan.traits
    world.spawn(_rebuy(world, lobby, tournament_id))
    if traits.late:
        world.spawn(_enter_again(world, lobby, tournament_id))
    if traits.extras:
        world.spawn(_buy_extras(world, lobby, tournament_id))
    if traits.cancelled:
        world.spawn(_cancel(world, world.client("canceller", Role.OPERATOR), tournament_id))
    if traits.paused:
        world.spawn(_pause(world, world.client("director", Role.OPERATOR), tournament_id))


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
                follow(world, table_id)
        await asyncio.sleep(2.0)


async def _rebuy(world: World, lobby: Client, tournament_id: str) -> None:
    """Now and then somebody wants chips; mostly the rules say no."""
    while world.plan.rules.tournament.rebuy.max_count and not world.calm:
        await asyncio.sleep(lobby.random.uniform(5.0, 30.0))
        name = lobby.random.choice(world.plan.players)
        with suppress(Refused, Silent):
            await lobby.change(lobby.ledger.Rebuy, ledger_pb.RebuyRequest(tournament_id=tournament_id, player_id=name))


def _latecomers(world: World) -> tuple[str, ...]:
    """Who registers when play may have begun: some, where the rules let them, but two are there in time."""
    return world.plan.players[2:][:2] if world.plan.traits.late else ()


async def _come_late(world: World, lobby: Client, tournament_id: str, name: str) -> None:
    """Register some time after the others, more than once where there was no answer."""
    await asyncio.sleep(lobby.random.choice((0.0, 0.1, 0.5, 2.0, 10.0, 30.0)))
    while not world.calm:
        request = ledger_pb.RegisterRequest(tournament_id=tournament_id, player_id=name)
        with suppress(Silent):
            try:
                await lobby.change(lobby.ledger.Register, request)
            except Refused:
                return
            return


async def _enter_again(world: World, lobby: Client, tournament_id: str) -> None:
    """Whoever is out enters again, where the rules let them: at once, or a while later."""
    while not world.calm:
        await asyncio.sleep(lobby.random.uniform(0.2, 4.0))
        request = ledger_pb.ReEnterRequest(
            tournament_id=tournament_id, player_id=lobby.random.choice(world.plan.players)
        )
        with suppress(Refused, Silent):
            await lobby.change(lobby.ledger.ReEnter, request)


async def _buy_extras(world: World, lobby: Client, tournament_id: str) -> None:
    """Add-ons and second halves; mostly the rules say no."""
    while not world.calm:
        await asyncio.sleep(lobby.random.uniform(1.0, 15.0))
        who = {"tournament_id": tournament_id, "player_id": lobby.random.choice(world.plan.players)}
        with suppress(Refused, Silent):
            if lobby.random.random() < 0.5:
                await lobby.change(lobby.ledger.BuyAddOn, ledger_pb.BuyAddOnRequest(**who, price=euro(500)))
            else:
                await lobby.change(lobby.ledger.ReleaseSecondChance, ledger_pb.ReleaseSecondChanceRequest(**who))


async def _pause(world: World, house: Client, tournament_id: str) -> None:
    """Now and then play stops for a while, and whoever is left may agree on a split."""
    while not world.calm:
        await asyncio.sleep(house.random.uniform(5.0, 120.0))
        with suppress(Refused, Silent):
            stop = tournament_pb.PauseTournamentRequest(tournament_id=tournament_id)
            await house.change(house.tournaments.PauseTournament, stop)
        await asyncio.sleep(house.random.uniform(0.0, 20.0))
        if house.random.random() < 0.4:
            await _agree(world, house, tournament_id)
        with suppress(Refused):
            go_on = tournament_pb.ResumeTournamentRequest(tournament_id=tournament_id)
            await world.firmly(house, house.tournaments.ResumeTournament, go_on)


async def _agree(world: World, house: Client, tournament_id: str) -> None:
    """Somebody proposes a split; the others accept it, or not all of them do."""
    for player in world.players:
        lobby = player.client
        propose = ledger_pb.ProposeDealRequest(tournament_id=tournament_id, player_id=player.name)
        with suppress(Refused, Silent):
            deal = (await lobby.change(lobby.ledger.ProposeDeal, propose)).deal
            for other in world.players:
                accept = ledger_pb.AcceptDealRequest(
                    tournament_id=tournament_id, player_id=other.name, deal_number=deal.number
                )
                with suppress(Refused, Silent):
                    if house.random.random() < 0.9:
                        await other.client.change(other.client.ledger.AcceptDeal, accept)
            return


async def _cancel(world: World, house: Client, tournament_id: str) -> None:
    """The house calls the tournament off in the middle of it."""
    await asyncio.sleep(house.random.uniform(0.0, 150.0))
    if not world.calm:
        with suppress(Refused):
            request = ledger_pb.CancelTournamentRequest(tournament_id=tournament_id, cause="the lights went out")
            await world.firmly(house, house.ledger.CancelTournament, request)


def _finished(world: World, tournament_id: str) -> bool:
    return world.judge.ledger.state_of(tournament_id) in {"FINISHED", "CANCELLED"}


async def _check_tournament(world: World, lobby: Client, tournament_id: str) -> None:
    request = ledger_pb.GetTournamentRequest(tournament_id=tournament_id)
    tournament = (await lobby.read_firmly(lobby.ledger.GetTournament, request)).tournament
    _check_begun(world, tournament)
    if tournament.state == TOURNAMENT_STATE_CANCELLED:
        may_be = world.plan.traits.cancelled or _too_few(world, tournament)
        assert may_be, "the tournament was called off, and nobody knows why"
        wallets = world.judge.ledger.wallets()
        came_back = sum(wallets.values()) == len(wallets) * MONEY
        if not tournament.HasField("started_at"):  # else what is left is split by who has how many chips
            came_back = set(wallets.values()) == {MONEY}
        assert came_back, f"{wallets} came back of what was paid"
        return
    assert tournament.state == TOURNAMENT_STATE_FINISHED
    standings_of = ledger_pb.GetStandingsRequest(tournament_id=tournament_id)
    page = await lobby.read_firmly(lobby.ledger.GetStandings, standings_of)
    standings = {each.player_id: each for each in page.standings if each.state != ENTRANT_STATE_WITHDRAWN}
    check_places(standings, satellite=world.plan.traits.satellite)
    prizes = sum(each.prize_minor for each in standings.values())
    assert prizes == tournament.prize_fund_minor, f"{prizes} of {tournament.prize_fund_minor} were paid"
    first = sum(each.chips + each.reserve_chips for each in standings.values() if each.place == 1)
    assert first == tournament.chips_total or world.plan.rules.tournament.deal, "who is left has not all chips"
    check_paid(world.judge.ledger, tournament, standings, dict.fromkeys(world.plan.players, MONEY))


def _check_begun(world: World, tournament: Tournament) -> None:
    """A moment that was announced is kept."""
    starts_at = world.plan.starts_at
    if starts_at is not None and tournament.HasField("started_at"):
        early = starts_at - _by_our_clock(world, tournament.started_at.ToDatetime(UTC))
        assert early <= timedelta(0), f"play began {early} before the moment that was announced"


def _by_our_clock(world: World, by_the_ledgers: datetime) -> datetime:
    """The orchestrator's begins what was announced, the ledger's writes it down."""
    return by_the_ledgers - timedelta(seconds=world.plan.traits.ahead_seconds[0])


def _too_few(world: World, tournament: Tournament) -> bool:
    """The moment came, and not enough were there (rule 160)."""
    starts_at, ended = world.plan.starts_at, _by_our_clock(world, tournament.finished_at.ToDatetime(UTC))
    few = tournament.entrants < tournament.announcement.entrants_min
    return few and starts_at is not None and ended >= starts_at
