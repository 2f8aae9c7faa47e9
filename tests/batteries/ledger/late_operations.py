"""Random requests about what comes later in a tournament: re-entry, second chance, deals, hand for hand, rounds."""

from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_pb2 import DealShare

from tests.batteries.ledger.world import Event, World


def _playing(world: World) -> tuple[Event, str] | None:
    """An event and one of its players, mostly."""
    events = [event for event in world.events if event.players]
    if not events:
        return None
    event = world.rng.choice(events)
    return event, world.player() if world.rng.random() < 0.1 else world.rng.choice(event.players)


async def re_enter(world: World) -> None:
    """Somebody wants to be in again, who may be in still."""
    found = _playing(world)
    if found is not None:
        ids = {"request_id": world.fresh(), "tournament_id": found[0].tournament_id, "player_id": found[1]}
        await world.send("ReEnter", pb.ReEnterRequest(**ids))


async def release_second_chance(world: World) -> None:
    """Somebody asks for the second half of the stack."""
    found = _playing(world)
    if found is not None:
        ids = {"request_id": world.fresh(), "tournament_id": found[0].tournament_id, "player_id": found[1]}
        await world.send("ReleaseSecondChance", pb.ReleaseSecondChanceRequest(**ids))


async def propose_deal(world: World) -> None:
    """Somebody proposes a split, at times of money that is not there."""
    found = _playing(world)
    if found is None:
        return
    event, player = found
    request = pb.ProposeDealRequest(request_id=world.fresh(), tournament_id=event.tournament_id, player_id=player)
    if world.rng.random() < 0.3:
        request.shares.extend(
            DealShare(player_id=each, amount_minor=world.rng.randint(0, 900)) for each in event.players
        )
        request.rest_minor = world.rng.choice((0, 100, 2**62))
    answer = await world.send("ProposeDeal", request)
    if answer is not None:
        event.deal = answer.deal.number


async def accept_deal(world: World) -> None:
    """Everybody accepts in turn, or somebody accepts a deal that is none."""
    found = _playing(world)
    if found is None:
        return
    event, player = found
    for each in event.players if event.deal and world.rng.random() < 0.3 else [player]:
        number = event.deal or world.rng.randint(1, 3)
        request = pb.AcceptDealRequest(
            request_id=world.fresh(), tournament_id=event.tournament_id, player_id=each, deal_number=number
        )
        await world.send("AcceptDeal", request)


async def end_hand_for_hand_round(world: World) -> None:
    """A round of hand for hand is over, or never was."""
    found = _playing(world)
    if found is None:
        return
    event = found[0]
    request = pb.EndHandForHandRoundRequest(
        request_id=world.fresh(), tournament_id=event.tournament_id, round=event.hand_for_hand + 1
    )
    if await world.send("EndHandForHandRound", request) is not None:
        event.hand_for_hand += 1


async def next_round(world: World) -> None:
    """Lots are drawn where players tie, and the next round begins with those who qualified."""
    found = _playing(world)
    if found is None or not found[0].started:
        return
    event = found[0]
    answer = await world.send("GetTournament", pb.GetTournamentRequest(tournament_id=event.tournament_id))
    if answer is None or not answer.tournament.matches:
        return
    tournament = answer.tournament
    for match in tournament.matches:
        if match.lots_count:
            drawn = world.rng.sample(list(match.lots_player_ids), match.lots_count)
            request = pb.RecordLotsRequest(
                request_id=world.fresh(), tournament_id=event.tournament_id, table_id=match.table_id, player_ids=drawn
            )
            await world.send("RecordLots", request)
    players = [each for match in tournament.matches for each in match.qualified_player_ids]
    count, number = -(-len(players) // event.seats_per_table) or 1, tournament.round + 1
    seats = [
        pb.SeatAssignment(
            player_id=each, table_id=f"{event.tournament_id}.r{number}.{at % count + 1}", seat=at // count + 1
        )
        for at, each in enumerate(players)
    ]
    if len(seats) < 2:
        return
    begin = pb.StartRoundRequest(request_id=world.fresh(), tournament_id=event.tournament_id, round=number, seats=seats)
    if await world.send("StartRound", begin) is not None:
        event.tables = dict.fromkeys((each.table_id for each in seats), 0)
        event.level = 0
