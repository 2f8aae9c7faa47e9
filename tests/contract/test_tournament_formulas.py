"""Rounds, hand for hand, late entries and deals through the contracts: five services, real cards and money."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.orchestrator.v1 import tournament_service_pb2 as pb
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as ledger_pb
from sevenstud.tournament_ledger.v1.tournament_pb2 import TOURNAMENT_STATE_FINISHED, Deal

from shared.kernel.errors import Reason
from shared.rpc.client import unpack_error
from tests.support.ledger_house import euro, fresh, refused
from tests.support.tournament_lobby import STACK_CHIPS, quick
from tests.support.tournament_suite import TournamentSuite


def players(count: int) -> list[str]:
    return [f"p{number}" for number in range(1, count + 1)]


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TournamentSuite]:
    async with TournamentSuite(tmp_path) as running:
        yield running


def with_rules(selection: RuleSelection, **changes: object) -> RuleSelection:
    for name, value in changes.items():
        setattr(selection.overrides.tournament, name, value)
    return selection


async def all_paid(suite: TournamentSuite, tournament_id: str) -> list[pb.TournamentEvent]:
    """It is over, every prize is paid, and the places of the log are those of the ledger; its events."""
    assert (await suite.view(tournament_id)).state == pb.PLAY_STATE_FINISHED
    standings = await suite.standings(tournament_id)
    request = ledger_pb.GetTournamentRequest(tournament_id=tournament_id)
    tournament = (await suite.ledger.GetTournament(request)).tournament
    assert tournament.state == TOURNAMENT_STATE_FINISHED
    assert sum(each.prize_minor for each in standings.values()) == tournament.prize_fund_minor
    events = await suite.events(tournament_id)
    assert [event.version for event in events] == list(range(1, len(events) + 1))
    outs = {each.player_out.player_id: each.player_out.place for each in events if each.HasField("player_out")}
    assert outs == {player_id: each.place for player_id, each in standings.items()}
    return events


def kinds(events: list[pb.TournamentEvent]) -> list[str]:
    return [str(event.WhichOneof("event")) for event in events]


async def test_the_winners_of_two_tables_meet_again_with_equal_stacks(suite: TournamentSuite) -> None:
    rules = quick(option.FORMULA_ROUNDS)
    tournament_id = await suite.announce(rules, players(6), seats_per_table=3, entrants_max=6)
    began = await suite.start(tournament_id)
    assert (len(began.table_ids), began.round) == (2, 1)
    await suite.play(tournament_id)
    events = await all_paid(suite, tournament_id)
    assert kinds(events).count("match_ended") == 2
    second = next(event.round_began for event in events if event.HasField("round_began"))
    assert (second.round, len(second.seats)) == (2, 2)
    assert second.draw_id
    assert {seat.table_id for seat in second.seats}.isdisjoint(began.table_ids)
    levels = [event.level_began.level for event in events if event.HasField("level_began")]
    assert levels.count(1) == 2
    view = await suite.view(tournament_id)
    assert (await suite.standings(tournament_id))[view.winner_player_id].chips == 2 * STACK_CHIPS


async def test_tables_play_hand_for_hand_near_the_prizes(suite: TournamentSuite) -> None:
    rules = with_rules(quick(option.FORMULA_MULTI_TABLE), hand_for_hand_margin=5, prize_mode=option.PRIZE_MODE_WINNER)
    tournament_id = await suite.announce(rules, players(6), seats_per_table=3, entrants_max=6)
    await suite.start(tournament_id)
    await suite.play(tournament_id)
    events = await all_paid(suite, tournament_id)
    began = [event.hand_for_hand_round_began.round for event in events if event.HasField("hand_for_hand_round_began")]
    ended = [event.hand_for_hand_round_ended.round for event in events if event.HasField("hand_for_hand_round_ended")]
    assert began == ended == list(range(1, len(began) + 1))
    assert began
    for number in began:
        hands = [each.hand_played for each in events if each.hand_played.hand_for_hand_round == number]
        assert len({hand.table_id for hand in hands}) == len(hands)


async def test_who_comes_late_is_dealt_in_and_who_is_out_comes_again(suite: TournamentSuite) -> None:
    rules = with_rules(quick(), late_registration_last_level=4, re_entry_max_count=1)
    names, again, tournament_id = list[str](), "", ""
    for number in range(8):  # until the first exclusion is not the end at once
        names = [f"{name}-{number}" for name in ("ann", "bob", "late")]
        tournament_id = await suite.announce(rules, names[:2], entrants_max=4)
        await suite.start(tournament_id)
        await suite.register(tournament_id, names[2])
        playing = asyncio.create_task(suite.play(tournament_id))
        again = await first_excluded_enters_again(suite, tournament_id)
        await playing
        assert sorted(each.place for each in (await suite.standings(tournament_id)).values()) == [1, 2, 3]
        if again:
            break
    standings = await suite.standings(tournament_id)
    assert standings[again].re_entries == 1
    winner = (await suite.view(tournament_id)).winner_player_id
    assert standings[winner].chips == 4 * STACK_CHIPS
    events = await suite.events(tournament_id)
    seated = [event.seat_changed.player_id for event in events if event.HasField("seat_changed")]
    assert seated == [names[2], again]


async def first_excluded_enters_again(suite: TournamentSuite, tournament_id: str) -> str:
    """Who was excluded first and let in again; nobody where the event was over by then."""
    watch = pb.WatchTournamentRequest(tournament_id=tournament_id, after_version=0)
    async for item in suite.tournaments.WatchTournament(watch):
        if not item.event.HasField("player_out"):
            continue
        player_id = item.event.player_out.player_id
        deposit = ledger_pb.DepositRequest(request_id=fresh(), player_id=player_id, amount=euro(1000))
        await suite.ledger.Deposit(deposit)
        entry = ledger_pb.ReEnterRequest(request_id=fresh(), tournament_id=tournament_id, player_id=player_id)
        try:
            await suite.ledger.ReEnter(entry)
        except grpc.aio.AioRpcError as refusal:
            return "" if unpack_error(refusal).reason is Reason.TOURNAMENT_STATE else "refused for another reason"
        return player_id
    return ""


async def test_a_paused_event_ends_with_a_deal_of_all_who_are_left(suite: TournamentSuite) -> None:
    rules = with_rules(quick(), deal=option.DEAL_KIND_CHIP_COUNT, top_prize_above_fee=False)
    tournament_id = await suite.announce(rules, players(3))
    await suite.start(tournament_id)
    playing = asyncio.create_task(suite.play(tournament_id))
    await suite.tournaments.PauseTournament(pb.PauseTournamentRequest(request_id=fresh(), tournament_id=tournament_id))
    proposal = ledger_pb.ProposeDealRequest(request_id=fresh(), tournament_id=tournament_id, player_id="p1")
    async with asyncio.timeout(30):
        deal = await between_hands(suite, proposal)
    for share in deal.shares:
        if share.player_id in deal.accepted_player_ids:  # who proposes has accepted
            continue
        accept = ledger_pb.AcceptDealRequest(
            request_id=fresh(), tournament_id=tournament_id, player_id=share.player_id, deal_number=deal.number
        )
        await suite.ledger.AcceptDeal(accept)
    async with asyncio.timeout(20):
        await playing
    events = await all_paid(suite, tournament_id)
    assert kinds(events)[-1] == "tournament_ended"
    standings = await suite.standings(tournament_id)
    assert {each.player_id: each.amount_minor for each in deal.shares} == {
        name: standings[name].prize_minor for name in standings if standings[name].prize_minor
    }
    await refused(suite.ledger.ProposeDeal(_again(proposal)), Reason.TOURNAMENT_STATE)


async def between_hands(suite: TournamentSuite, proposal: ledger_pb.ProposeDealRequest) -> Deal:
    """The deal, once the hand in progress has been played to its end."""
    while True:
        try:
            return (await suite.ledger.ProposeDeal(proposal)).deal
        except grpc.aio.AioRpcError:
            standings = await suite.standings(proposal.tournament_id)
            proposal.request_id = fresh()
            proposal.player_id = next(name for name, each in standings.items() if not each.place)
            await asyncio.sleep(0.05)


def _again(proposal: ledger_pb.ProposeDealRequest) -> ledger_pb.ProposeDealRequest:
    """The same with an id of its own."""
    return ledger_pb.ProposeDealRequest(
        request_id=fresh(), tournament_id=proposal.tournament_id, player_id=proposal.player_id
    )
