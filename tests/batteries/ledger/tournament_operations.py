"""Random requests about tournaments, from the announcement to the end, and what is wrong with each."""

from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb

from shared.kernel.caller import Caller, Role
from tests.batteries.ledger.announcements import random_announcement
from tests.batteries.ledger.results import random_results
from tests.batteries.ledger.wallet_operations import money
from tests.batteries.ledger.world import Event, World

EVENTS_MAX = 6
FINISHED = 3
CANCELLED = 4


def _event(world: World) -> Event | None:
    if not world.events or world.rng.random() < 0.02:
        return None
    return world.rng.choice(world.events)


def _id(event: Event | None) -> str:
    return event.tournament_id if event else "no-such-tournament"


async def announce(world: World) -> None:
    """A tournament; once in a while under an id that is taken."""
    while len(world.events) >= EVENTS_MAX:
        over = [event for event in world.events if event.over]
        if not over:
            return
        world.events.remove(over[0])
    taken = world.events and world.rng.random() < 0.1
    tournament_id = world.rng.choice(world.events).tournament_id if taken else world.name("t")
    announcement = random_announcement(world.rng)
    request = pb.AnnounceTournamentRequest(
        request_id=world.fresh(), tournament_id=tournament_id, announcement=announcement
    )
    if await world.send("AnnounceTournament", request) is not None:
        world.events.append(Event(tournament_id, announcement.seats_per_table, announcement.fee.amount_minor))


async def register(world: World) -> None:
    """Somebody enters, who may be in already, or poor, or late."""
    event, player = _event(world), world.player()
    request = pb.RegisterRequest(request_id=world.fresh(), tournament_id=_id(event), player_id=player)
    caller = Caller(Role.PLAYER, "p0") if world.rng.random() < 0.02 else Caller(Role.BACKEND, "lobby")
    if await world.send("Register", request, caller) is not None and event is not None:
        event.players = [*(each for each in event.players if each != player), player]


async def unregister(world: World) -> None:
    """Somebody withdraws, who may not be in."""
    event, player = _event(world), world.player()
    request = pb.UnregisterRequest(request_id=world.fresh(), tournament_id=_id(event), player_id=player)
    if await world.send("Unregister", request) is not None and event is not None:
        event.players = [each for each in event.players if each != player]


async def start(world: World) -> None:
    """Play begins, at times with somebody left out or two in a seat."""
    event = _event(world)
    if event is None or event.started or len(event.players) < 2:
        return
    players = list(event.players)
    world.rng.shuffle(players)
    count = -(-len(players) // event.seats_per_table)
    seats = [
        pb.SeatAssignment(player_id=player, table_id=f"{event.tournament_id}.{at % count + 1}", seat=at // count + 1)
        for at, player in enumerate(players)
    ]
    if world.rng.random() < 0.1:
        seats[-1].seat, seats[-1].table_id = seats[0].seat, seats[0].table_id
    request = pb.StartPlayRequest(request_id=world.fresh(), tournament_id=event.tournament_id, seats=seats)
    answer = await world.send("StartPlay", request)
    if answer is not None:
        event.started, event.level = True, answer.tournament.level
        event.tables = dict.fromkeys((each.table_id for each in seats), 0)
        event.over = answer.tournament.state >= FINISHED


async def play_hand(world: World) -> None:
    """A sheet and a hand on it; at times out of step, or with chips that nobody had."""
    event = _event(world)
    if event is None or not event.tables:
        return
    table_id = world.rng.choice(sorted(event.tables))
    number = event.tables[table_id] + (1 if world.rng.random() < 0.97 else 2)
    sheet = await world.send(
        "OpenSheet",
        pb.OpenSheetRequest(
            request_id=world.fresh(), tournament_id=event.tournament_id, table_id=table_id, hand_number=number
        ),
    )
    if sheet is None or len(results := random_results(world.rng, sheet.seats)) < 2:
        return
    request = pb.RecordHandRequest(
        request_id=world.fresh(),
        hand_id=world.name("hand"),
        tournament_id=event.tournament_id,
        table_id=table_id,
        hand_number=number,
        results=results,
    )
    if world.rng.random() < 0.15:
        request.hand_for_hand_round = event.hand_for_hand + 1
    _decorate(world, request)
    answer = await world.send("RecordHand", request)
    if answer is not None:
        event.tables[table_id] = number
        event.over = answer.state >= FINISHED


def _decorate(world: World, request: pb.RecordHandRequest) -> None:
    chance = world.rng.random()
    if chance < 0.05:
        request.results[0].after_chips += world.rng.choice((1, 1000))
    elif chance < 0.1:
        request.feats.add(
            player_id=request.results[0].player_id,
            feat=world.rng.choice((option.FEAT_ROYAL_FLUSH, option.FEAT_FOUR_OF_A_KIND)),
            uncontested=world.rng.random() < 0.3,
        )
    elif chance < 0.12:
        for result in request.results:
            result.after_chips = result.before_chips
        request.voided = True


async def rebuy(world: World) -> None:
    """Somebody buys the starting stack again, mostly somebody who plays."""
    event = _event(world)
    player = world.rng.choice(event.players) if event and event.players and world.rng.random() < 0.9 else world.player()
    await world.send("Rebuy", pb.RebuyRequest(request_id=world.fresh(), tournament_id=_id(event), player_id=player))


async def add_on(world: World) -> None:
    """Somebody buys the add-on, at a price that may be too high or uneven."""
    event = _event(world)
    player = world.rng.choice(event.players) if event and event.players else world.player()
    fee = event.fee_minor if event else 0
    price = money(world, world.rng.choice((fee, fee, fee // 2, 50, 1_000, 20_050, 75)))
    request = pb.BuyAddOnRequest(request_id=world.fresh(), tournament_id=_id(event), player_id=player, price=price)
    await world.send("BuyAddOn", request)


async def next_level(world: World) -> None:
    """The next level begins, or one that is not the next."""
    event = _event(world)
    if event is None or not event.started:
        return
    level = event.level + (1 if world.rng.random() < 0.8 else 2)
    request = pb.RecordLevelRequest(request_id=world.fresh(), tournament_id=event.tournament_id, level=level)
    answer = await world.send("RecordLevel", request)
    if answer is not None:
        event.level, event.over = level, answer.tournament.state >= FINISHED


async def move(world: World) -> None:
    """Somebody changes seats, to one that may be taken or not exist."""
    event = _event(world)
    if event is None or not event.tables:
        return
    to = pb.SeatAssignment(
        player_id=world.rng.choice(event.players),
        table_id=world.rng.choice(sorted(event.tables)),
        seat=world.rng.randint(1, 8),
    )
    request = pb.RecordMoveRequest(request_id=world.fresh(), tournament_id=event.tournament_id, to=to)
    await world.send("RecordMove", request)


async def cancel(world: World) -> None:
    """A tournament is called off, or would be if the caller knew its version."""
    event = _event(world)
    version = world.rng.choice((0, 1, 10**6))
    request = pb.CancelTournamentRequest(
        request_id=world.fresh(), tournament_id=_id(event), cause="rain", expected_version=version
    )
    if await world.send("CancelTournament", request) is not None and event is not None:
        event.over = True


async def read_an_event(world: World) -> None:
    """Standings or the tournament itself, at times with a token of another list."""
    event = _event(world)
    if world.rng.random() < 0.5:
        await world.send("GetTournament", pb.GetTournamentRequest(tournament_id=_id(event)))
        return
    token = "nonsense" if world.rng.random() < 0.2 else ""
    request = pb.GetStandingsRequest(tournament_id=_id(event), page_size=5, page_token=token)
    await world.send("GetStandings", request)
