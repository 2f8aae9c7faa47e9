"""Seats that players choose, late entries and hands shown unasked, through the contracts: real cards and money."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from sevenstud.common.v1 import rule_options_pb2 as option
from sevenstud.common.v1.betting_pb2 import ActionKind
from sevenstud.common.v1.card_pb2 import CARD_FACE_DOWN
from sevenstud.common.v1.game_pb2 import MODE_TOURNAMENT, STREET_FIFTH, STREET_THIRD
from sevenstud.common.v1.rule_selection_pb2 import RuleSelection
from sevenstud.common.v1.rules_pb2 import BonusPrize, Level, RuleSet, Stakes, TournamentRules
from sevenstud.orchestrator.v1 import table_service_pb2 as table_pb
from sevenstud.orchestrator.v1.table_event_pb2 import TableEvent
from sevenstud.orchestrator.v1.table_pb2 import TableView
from sevenstud.tournament_ledger.v1 import tournament_ledger_service_pb2 as pb
from sevenstud.tournament_ledger.v1.tournament_pb2 import START_KIND_ON_COMMAND, Announcement

from shared.kernel.errors import Reason
from tests.support.ledger_house import euro, fresh, refused
from tests.support.tournament_lobby import quick
from tests.support.tournament_suite import TournamentSuite

PLAYERS = [f"p{number}" for number in range(1, 6)]
PATIENCE_SECONDS = 60.0


@pytest.fixture
async def suite(tmp_path: Path) -> AsyncIterator[TournamentSuite]:
    async with TournamentSuite(tmp_path) as running:
        yield running


async def choose(suite: TournamentSuite, tournament_id: str, player_id: str, table: int, seat: int) -> None:
    request = pb.ChooseSeatRequest(
        request_id=fresh(), tournament_id=tournament_id, player_id=player_id, table=table, seat=seat
    )
    first, again = await suite.ledger.ChooseSeat(request), await suite.ledger.ChooseSeat(request)
    assert first == again
    assert (first.standing.chosen_table, first.standing.chosen_seat) == (table, seat)


async def test_who_chose_a_seat_sits_in_it_and_lots_place_the_others(suite: TournamentSuite) -> None:
    rules = quick(option.FORMULA_MULTI_TABLE)
    rules.overrides.tournament.start_seats = option.START_SEATS_CHOSEN
    tournament_id = await suite.announce(rules, PLAYERS, seats_per_table=3, entrants_max=6)
    await choose(suite, tournament_id, "p1", 2, 3)
    await choose(suite, tournament_id, "p2", 1, 2)
    taken = pb.ChooseSeatRequest(request_id=fresh(), tournament_id=tournament_id, player_id="p3", table=2, seat=3)
    await refused(suite.ledger.ChooseSeat(taken), Reason.SEAT_TAKEN)
    seats = {seat.player_id: (seat.table_id, seat.seat) for seat in (await suite.start(tournament_id)).seats}
    assert seats["p1"] == (f"{tournament_id}.2", 3)
    assert seats["p2"] == (f"{tournament_id}.1", 2)
    assert len(set(seats.values())) == len(PLAYERS)
    assert sorted(table for table, _ in seats.values()).count(f"{tournament_id}.1") in {2, 3}


async def test_the_card_rooms_rules_let_players_choose_their_seats(suite: TournamentSuite) -> None:
    levels = [
        Level(
            stakes=Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=5, upper_limit_chips=10),
            level_seconds=0,
            level_hands=5,
            decision_seconds=0,
        )
    ]
    own = TournamentRules(levels=levels, level_trigger=option.LEVEL_TRIGGER_HANDS, starting_stack_chips=200)
    overrides = RuleSet(tournament=own)
    overrides.hand.modes_allowed.append(MODE_TOURNAMENT)
    overrides.clock.sit_out_pays = option.SIT_OUT_PAYS_ANTE
    overrides.cash.ante_toggle = option.ANTE_TOGGLE_OFF
    announcement = Announcement(
        name="Room",
        rules=RuleSelection(preset="card_room", overrides=overrides),
        fee=euro(1000),
        entrants_min=2,
        entrants_max=8,
        seats_per_table=8,
        start=START_KIND_ON_COMMAND,
    )
    request = pb.AnnounceTournamentRequest(request_id=fresh(), announcement=announcement)
    tournament_id = (await suite.ledger.AnnounceTournament(request)).tournament.tournament_id
    for player in ("ann", "bob"):
        await suite.register(tournament_id, player)
    await choose(suite, tournament_id, "ann", 1, 7)
    seats = {seat.player_id: seat.seat for seat in (await suite.start(tournament_id)).seats}
    assert seats["ann"] == 7


async def test_an_uncontested_hand_is_booked_once_its_winner_has_shown_or_had_the_time_to(
    suite: TournamentSuite,
) -> None:
    table_id = await _bonus_table(suite)
    async with asyncio.timeout(PATIENCE_SECONDS):
        winner = await _fold_on_fifth_street(suite, table_id)
        happened = [item async for item in _until(suite, table_id, "hand_ended")]
        assert "hand_booked" not in {each.WhichOneof("event") for each in happened}
        show = table_pb.ShowOrMuckRequest(
            request_id=fresh(), table_id=table_id, player_id=winner, hand_id=f"{table_id}.1", show=True
        )
        await suite.tables.ShowOrMuck(show)
        happened = [item async for item in _until(suite, table_id, "hand_booked")]
    shown = next(each.hand_shown for each in happened if each.HasField("hand_shown"))
    assert (len(shown.cards), len(shown.best_five)) == (5, 5)
    assert shown.description_en


async def test_the_winner_of_an_uncontested_pot_who_will_not_show_is_as_hidden_as_who_folded(
    suite: TournamentSuite,
) -> None:
    """Where mucked hands are for the players of the hand: this one was compared with nobody's (rules 113, 114, 116)."""
    table_id = await _bonus_table(suite)
    async with asyncio.timeout(PATIENCE_SECONDS):
        winner = await _fold_on_fifth_street(suite, table_id)
        hand_id, loser = f"{table_id}.1", next(each for each in ("ann", "bob") if each != winner)
        hide = table_pb.ShowOrMuckRequest(
            request_id=fresh(), table_id=table_id, player_id=winner, hand_id=hand_id, show=False
        )
        await suite.tables.ShowOrMuck(hide)
        happened = [item async for item in _until(suite, table_id, "hand_booked")]
    (seat,) = (each.hand_mucked.seat for each in happened if each.HasField("hand_mucked"))
    seen = await suite.tables.GetHand(table_pb.GetHandRequest(hand_id=hand_id, player_id=loser, phh=True))
    (third,) = (each.street_dealt for each in seen.events if each.street_dealt.street == STREET_THIRD)
    assert {tuple(each.down_cards) for each in third.seats if each.seat == seat} == {(CARD_FACE_DOWN,) * 2}
    assert "????" in seen.phh
    ask = table_pb.AskToSeeRequest(hand_id=hand_id, player_id=loser, seat=seat)
    await refused(suite.tables.AskToSee(ask), Reason.NOT_FOUND)


async def _bonus_table(suite: TournamentSuite) -> str:
    """Two players, deep stacks, a bonus prize for hands shown unasked, and minutes to show them."""
    rules = quick(option.FORMULA_SINGLE_MATCH, stack_chips=5000)
    rules.overrides.hand.mucked_in_history = option.MUCKED_IN_HISTORY_PLAYERS_OF_HAND
    rules.overrides.hand.ask_to_see = option.ASK_TO_SEE_HISTORY
    own = rules.overrides.tournament
    own.bonus_prizes.append(BonusPrize(feat=option.FEAT_FOUR_OF_A_KIND, amount_minor=100))
    own.bonus_when = option.BONUS_WHEN_ALSO_UNCONTESTED
    rules.overrides.clock.showdown_seconds = 300
    announcement = Announcement(
        name="Feats",
        rules=rules,
        fee=euro(1000),
        entrants_min=2,
        entrants_max=2,
        seats_per_table=8,
        start=START_KIND_ON_COMMAND,
        bonus_fund_minor=100,
    )
    request = pb.AnnounceTournamentRequest(request_id=fresh(), announcement=announcement)
    tournament_id = (await suite.ledger.AnnounceTournament(request)).tournament.tournament_id
    for player in ("ann", "bob"):
        await suite.register(tournament_id, player)
    return (await suite.start(tournament_id)).table_ids[0]


async def _fold_on_fifth_street(suite: TournamentSuite, table_id: str) -> str:
    """Everybody stays in as cheaply as possible until fifth street, where the first to act folds; who wins."""
    while True:
        view: TableView = (await suite.tables.GetTable(table_pb.GetTableRequest(table_id=table_id))).table
        if not view.HasField("turn"):
            await asyncio.sleep(0.02)
            continue
        legal = {action.kind for action in view.turn.legal.actions}
        folds = view.street == STREET_FIFTH
        wanted = (
            (ActionKind.ACTION_KIND_FOLD,)
            if folds
            else (ActionKind.ACTION_KIND_CHECK, ActionKind.ACTION_KIND_BRING_IN, ActionKind.ACTION_KIND_CALL)
        )
        kind = next(each for each in wanted if each in legal)
        request = table_pb.ActRequest(
            request_id=fresh(), table_id=table_id, player_id=view.turn.player_id, turn_id=view.turn.turn_id, kind=kind
        )
        await suite.tables.Act(request)
        if folds:
            return next(seat.player_id for seat in view.seats if seat.player_id != view.turn.player_id)


async def _until(suite: TournamentSuite, table_id: str, kind: str) -> AsyncIterator[TableEvent]:
    """The events of the table up to the first of a kind."""
    call = suite.tables.Watch(table_pb.WatchRequest(table_id=table_id, after_version=0))
    async for item in call:
        yield item.event
        if item.event.WhichOneof("event") == kind:
            break
    call.cancel()
