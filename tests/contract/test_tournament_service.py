"""Tournaments through the contract: five services, real cards, real money, players who only know what is legal."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from pathlib import Path

import grpc
import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rules_pb2 import Break, RebuyTerms
from sevenstud.dealer.v1 import dealer_service_pb2 as dealer_pb
from sevenstud.orchestrator.v1 import table_service_pb2 as table_pb
from sevenstud.orchestrator.v1 import tournament_service_pb2 as pb
from sevenstud.orchestrator.v1.tournament_service_pb2_grpc import TournamentServiceStub
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_pb2 import (
    ENTRANT_STATE_DECIDING,
    START_KIND_SIT_AND_GO,
    TOURNAMENT_STATE_FINISHED,
)

from services.orchestrator.adapters.remote import request_id
from services.orchestrator.domain.recording import hand_id_of
from shared.kernel.caller import Caller, Role
from shared.kernel.errors import Reason
from shared.rpc.client import unpack_error
from shared.rpc.rules import preset_messages
from tests.support.ledger_house import fresh
from tests.support.servers import calling
from tests.support.tournament_lobby import STACK_CHIPS, quick
from tests.support.tournament_suite import TournamentSuite


def players(count: int) -> list[str]:
    return [f"p{number}" for number in range(1, count + 1)]


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TournamentSuite]:
    async with TournamentSuite(tmp_path) as running:
        yield running


async def refused(call: Awaitable[object], reason: Reason) -> dict[str, str]:
    with pytest.raises(grpc.aio.AioRpcError) as failure:
        await call
    error = unpack_error(failure.value)
    assert error.reason is reason, error
    return dict(error.metadata)


async def finished(
    suite: TournamentSuite, tournament_id: str, count: int, stack_chips: int = STACK_CHIPS
) -> list[pb.TournamentEvent]:
    """What must be true of a tournament that is over; its events."""
    view = await suite.view(tournament_id)
    assert view.state == pb.PLAY_STATE_FINISHED
    standings = await suite.standings(tournament_id)
    assert standings[view.winner_player_id].place == 1
    assert standings[view.winner_player_id].chips == count * stack_chips
    request = ledger_pb.GetTournamentRequest(tournament_id=tournament_id)
    tournament = (await suite.ledger.GetTournament(request)).tournament
    assert tournament.state == TOURNAMENT_STATE_FINISHED
    assert sum(each.prize_minor for each in standings.values()) == tournament.prize_fund_minor == count * 800
    events = await suite.events(tournament_id)
    assert [event.version for event in events] == list(range(1, view.version + 1))
    outs = {event.player_out.player_id: event.player_out.place for event in events if event.HasField("player_out")}
    assert outs == {player_id: each.place for player_id, each in standings.items()}
    return events


async def test_a_tournament_is_played_to_the_last_chip_and_paid(suite: TournamentSuite) -> None:
    tournament_id = await suite.announce(quick(), players(4))
    began = await suite.start(tournament_id)
    assert (began.state, began.level, began.players_left) == (pb.PLAY_STATE_PLAYING, 1, 4)
    assert began.level_hands_left == 2
    await suite.play(tournament_id)
    events = await finished(suite, tournament_id, 4)
    kinds = [event.WhichOneof("event") for event in events]
    assert kinds[:2] == ["tournament_began", "level_began"]
    assert kinds[-1] == "tournament_ended"
    assert events[0].tournament_began.draw_id
    levels = [event.level_began.level for event in events if event.HasField("level_began")]
    assert levels == list(range(1, len(levels) + 1))
    middle = len(events) // 2
    assert await suite.events(tournament_id, middle) == events[middle:]
    assert set(await suite.eliminated(began.table_ids[0])) == set(players(4)) - {
        events[-1].tournament_ended.winner_player_id
    }


async def test_two_tables_become_one_and_the_moved_play_on(suite: TournamentSuite) -> None:
    rules = quick(option.FORMULA_MULTI_TABLE)
    tournament_id = await suite.announce(rules, players(6), seats_per_table=3, entrants_max=6)
    began = await suite.start(tournament_id)
    assert len(began.table_ids) == 2
    await suite.play(tournament_id)
    events = await finished(suite, tournament_id, 6)
    broken = [event.table_broken.table_id for event in events if event.HasField("table_broken")]
    assert sorted(broken) == sorted(began.table_ids)
    assert any(event.HasField("seat_changed") and event.seat_changed.draw_id for event in events)


async def test_a_sit_and_go_starts_by_itself(suite: TournamentSuite) -> None:
    tournament_id = await suite.announce(quick(), players(2), start=START_KIND_SIT_AND_GO, entrants_max=3)
    await suite.register(tournament_id, "p3")
    async with asyncio.timeout(10):
        while True:
            try:
                await suite.view(tournament_id)
                break
            except grpc.aio.AioRpcError:
                await asyncio.sleep(0.05)
    await suite.play(tournament_id)
    await finished(suite, tournament_id, 3)


async def test_a_busted_player_who_buys_back_is_dealt_in_at_once_and_one_who_does_not_is_out(
    suite: TournamentSuite,
) -> None:
    rules = quick(rebuy=RebuyTerms(max_count=1, last_level=4, window_seconds=3))
    tournament_id = await suite.announce(rules, players(2))
    await suite.start(tournament_id)
    playing = asyncio.create_task(suite.play(tournament_id))
    bought: list[str] = []
    async with asyncio.timeout(60):
        while not playing.done():
            for player_id, line in (await suite.standings(tournament_id)).items():
                if line.state == ENTRANT_STATE_DECIDING and not bought:
                    await suite.rebuy(tournament_id, player_id)
                    bought.append(player_id)
            await asyncio.sleep(0.05)
    await playing
    view, standings = await suite.view(tournament_id), await suite.standings(tournament_id)
    assert [standings[player_id].rebuys for player_id in bought] == [1]
    assert standings[view.winner_player_id].chips == 3 * STACK_CHIPS
    assert sorted(line.place for line in standings.values()) == [1, 2]
    (out,) = await suite.eliminated(f"{tournament_id}.1")
    assert standings[out].place == 2


async def test_all_tables_break_together_after_their_level(suite: TournamentSuite) -> None:
    rules = quick(option.FORMULA_MULTI_TABLE, breaks=[Break(after_level=1, length_seconds=2)], stack_chips=3000)
    tournament_id = await suite.announce(rules, players(6), seats_per_table=3, entrants_max=6)
    await suite.start(tournament_id)
    playing = asyncio.create_task(suite.play(tournament_id))
    events: list[pb.TournamentEvent] = []
    watch = pb.WatchTournamentRequest(tournament_id=tournament_id, after_version=0)
    async for item in suite.tournaments.WatchTournament(watch):
        events.append(item.event)
        if item.event.level_began.level == 2:
            break
    playing.cancel()
    kinds = [event.WhichOneof("event") for event in events]
    began, ended = kinds.index("tournament_break_began"), kinds.index("tournament_break_ended")
    assert "hand_played" not in kinds[began:ended]
    until = events[began].tournament_break_began.until.ToNanoseconds()
    assert events[ended].at.ToNanoseconds() >= until
    assert kinds.index("level_began", ended) > ended


async def test_an_orchestrator_that_was_stopped_goes_on_where_it_was(suite: TournamentSuite) -> None:
    tournament_id = await suite.announce(quick(), players(3))
    began = await suite.start(tournament_id)
    players_at_work = asyncio.create_task(suite.act_at(began.table_ids[0]))
    watch = pb.WatchTournamentRequest(tournament_id=tournament_id, after_version=0)
    before = 0
    async for item in suite.tournaments.WatchTournament(watch):
        before = item.event.version
        if item.event.HasField("hand_played"):
            break
    players_at_work.cancel()
    await suite.stop_orchestrator()
    await suite.start_orchestrator()
    assert (await suite.view(tournament_id)).version >= before
    await suite.play(tournament_id)
    await finished(suite, tournament_id, 3)


async def test_a_hand_prepared_for_other_seats_before_a_crash_is_void_and_the_next_one_is_played(
    suite: TournamentSuite,
) -> None:
    tournament_id = await suite.announce(quick(), players(3))
    table_id = f"{tournament_id}.1"
    hand_id = hand_id_of(table_id, 1)
    earlier = dealer_pb.OpenHandRequest(
        request_id=request_id("dealer", "open_hand", hand_id),
        hand_id=hand_id,
        table_id=table_id,
        hand_number=1,
        seats=[1, 2],
        rules=preset_messages()["regulated_tournament"].hand,
    )
    await suite.dealer.OpenHand(earlier)
    await suite.start(tournament_id)
    await suite.play(tournament_id)
    await finished(suite, tournament_id, 3)
    hands = (await suite.tables.ListHands(table_pb.ListHandsRequest(table_id=table_id))).hands
    assert [hand.hand_id for hand in hands if hand.voided] == [hand_id]
    assert (await suite.dealer.GetProof(dealer_pb.GetProofRequest(hand_id=hand_id))).void_reason


async def test_a_pause_stops_the_dealing_and_a_repeated_command_has_its_first_answer(suite: TournamentSuite) -> None:
    deep_chips = 4_000  # the hand that the pause finds in play must not end the tournament
    deep = quick(stack_chips=deep_chips)
    tournament_id = await suite.announce(deep, players(3))
    began = await suite.start(tournament_id)
    pause = pb.PauseTournamentRequest(request_id=fresh(), tournament_id=tournament_id)
    paused = await suite.tournaments.PauseTournament(pause)
    assert paused.tournament.state == pb.PLAY_STATE_PAUSED
    assert await suite.tournaments.PauseTournament(pause) == paused
    again = pb.PauseTournamentRequest(request_id=fresh(), tournament_id=tournament_id)
    keys = await refused(suite.tournaments.PauseTournament(again), Reason.TOURNAMENT_STATE)
    assert keys == {"state": "PAUSED", "needed": "PLAYING"}
    changed = pb.PauseTournamentRequest(request_id=pause.request_id, tournament_id=tournament_id, expected_version=1)
    await refused(suite.tournaments.PauseTournament(changed), Reason.REQUEST_ID_REUSED)
    stale = pb.ResumeTournamentRequest(request_id=fresh(), tournament_id=tournament_id, expected_version=1)
    await refused(suite.tournaments.ResumeTournament(stale), Reason.VERSION_CONFLICT)
    at_work = asyncio.create_task(suite.act_at(began.table_ids[0]))
    await asyncio.sleep(1.0)
    events = await suite.view(tournament_id)
    await asyncio.sleep(0.3)
    assert (await suite.view(tournament_id)).version == events.version
    at_work.cancel()
    resume = pb.ResumeTournamentRequest(request_id=fresh(), tournament_id=tournament_id)
    assert (await suite.tournaments.ResumeTournament(resume)).tournament.state == pb.PLAY_STATE_PLAYING
    await suite.play(tournament_id)
    await finished(suite, tournament_id, 3, deep_chips)


async def test_what_cannot_be_started_is_refused_with_the_reason(suite: TournamentSuite) -> None:
    nobody = pb.StartTournamentRequest(request_id=fresh(), tournament_id="nobody")
    await refused(suite.tournaments.StartTournament(nobody), Reason.NOT_FOUND)
    alone = await suite.announce(quick(), players(1))
    request = pb.StartTournamentRequest(request_id=fresh(), tournament_id=alone)
    keys = await refused(suite.tournaments.StartTournament(request), Reason.TOURNAMENT_STATE)
    assert keys == {"state": "1 entrants", "needed": "2 entrants"}
    await refused(suite.tournaments.GetTournament(pb.GetTournamentRequest(tournament_id=alone)), Reason.NOT_FOUND)
    bad = pb.StartTournamentRequest(request_id="no uuid", tournament_id=alone)
    await refused(suite.tournaments.StartTournament(bad), Reason.REQUEST_INVALID)


async def test_players_watch_and_do_not_command(suite: TournamentSuite) -> None:
    tournament_id = await suite.announce(quick(), players(2))
    async with calling(suite.address, Caller(Role.PLAYER, "p1")) as channel:
        stub = TournamentServiceStub(channel)
        request = pb.StartTournamentRequest(request_id=fresh(), tournament_id=tournament_id)
        await refused(stub.StartTournament(request), Reason.NOT_PERMITTED)
        await suite.start(tournament_id)
        watch = pb.WatchTournamentRequest(tournament_id=tournament_id)
        async for item in stub.WatchTournament(watch):
            assert item.tournament.tournament_id == tournament_id
            break
        beyond = pb.WatchTournamentRequest(tournament_id=tournament_id, after_version=10_000)
        with pytest.raises(grpc.aio.AioRpcError) as failure:
            async for _ in stub.WatchTournament(beyond):
                pass
        assert unpack_error(failure.value).reason is Reason.CURSOR_OUT_OF_RANGE
