"""A table says itself what it needs next."""

from dataclasses import replace
from datetime import datetime

import pytest

from services.orchestrator.domain import hand_facts as hand
from services.orchestrator.domain import next_step as step
from services.orchestrator.domain.next_step import next_step
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.table_facts import Halt, LeaveCause, Presence, TableClosed, TablePaused, TableResumed
from services.orchestrator.domain.wagering import ActionKind
from shared.kernel.game import Mode, Street
from shared.kernel.rules import AllInExposure, RuleSet, SitOutPays, TimeBankActivation
from tests.support.table_facts import (
    CARD_ROOM,
    START,
    Facts,
    acted,
    closed,
    dealt,
    ended,
    opened,
    present,
    seated,
    seconds,
    showdown,
    shown,
    started,
    table_of,
    to_the_river,
    turn,
)

EXPOSED = replace(CARD_ROOM, hand=replace(CARD_ROOM.hand, all_in_exposure=AllInExposure.IMMEDIATE))


def with_clock(**changes: object) -> RuleSet:
    return replace(CARD_ROOM, clock=replace(CARD_ROOM.clock, **changes))  # type: ignore[arg-type]  # names of the rules


def needs(table: Table, at: datetime = START) -> type:
    return type(next_step(table, at))


def paused(*, clocks_too: bool = False, by_director: bool = False) -> TablePaused:
    return TablePaused(cause="", clocks_too=clocks_too, remaining_millis=0, by_director=by_director)


THIRD: Facts = (*started(), *dealt(Street.THIRD))

HANDS: list[tuple[str, list[Facts], type]] = [
    ("two players can play", [opened()], step.StartHand),
    ("the antes are in", [opened(), started()], step.DealStreet),
    ("somebody is to act", [opened(), THIRD, (turn(1, 2),)], step.Await),
    ("the betting of a street is over", [opened(), THIRD, (closed(Street.THIRD),)], step.DealStreet),
    ("one player is left", [opened(), THIRD, (turn(1, 2), acted(1, 2, ActionKind.FOLD))], step.SettleHand),
    ("the river is bet", [opened(), started(), to_the_river()], step.StartShowdown),
    ("beaten hands are not waited for", [opened(), started(), to_the_river(), (showdown(), shown(1))], step.MuckHands),
    (
        "a beaten player may still choose",
        [opened(), started(), to_the_river(), (showdown(deadline=START + seconds(5)), shown(1))],
        step.Await,
    ),
    (
        "every hand is shown or mucked",
        [opened(), started(), to_the_river(), (showdown(), shown(1), hand.HandMucked(seat=2))],
        step.SettleHand,
    ),
    ("the pots are paid", [opened(), started(), ended(101, 99)], step.BookHand),
    (
        "the hand is booked",
        [opened(), started(), ended(101, 99), (hand.HandBooked(hand_number=1),)],
        step.ProveHand,
    ),
    (
        "the hand is proven",
        [
            opened(),
            started(),
            ended(101, 99),
            (hand.HandBooked(hand_number=1), hand.OpeningsPublished(openings=())),
        ],
        step.StartHand,
    ),
]


@pytest.mark.parametrize(("facts", "expected"), [case[1:] for case in HANDS], ids=[case[0] for case in HANDS])
def test_what_a_hand_needs_follows_from_its_facts(facts: list[Facts], expected: type) -> None:
    assert needs(table_of(*facts)) is expected


def test_the_hand_after_is_one_higher() -> None:
    assert next_step(table_of(*HANDS[-1][1]), START) == step.StartHand(2)


@pytest.mark.parametrize(
    ("seat_2", "expected"),
    [
        (present(2, Presence.SITTING_OUT), step.Await),
        (present(2, Presence.LEAVING), step.CashOutSeat),
    ],
    ids=["sits out", "leaves"],
)
def test_a_cash_hand_needs_two_who_play(seat_2: object, expected: type) -> None:
    assert needs(table_of(opened(), (seat_2,))) is expected  # type: ignore[arg-type]  # facts


def test_a_tournament_table_asks_for_its_sheet_whoever_sits_out() -> None:
    away = present(2, Presence.SITTING_OUT)
    assert needs(table_of(opened(mode=Mode.TOURNAMENT), (away,))) is step.StartHand


@pytest.mark.parametrize(("pays", "expected"), [(SitOutPays.ANTE, 2), (SitOutPays.NOTHING, 1)])
def test_who_sits_out_of_a_tournament_is_dealt_in_where_the_ante_is_due(pays: SitOutPays, expected: int) -> None:
    rules = with_clock(sit_out_pays=pays)
    table = table_of(opened(rules, Mode.TOURNAMENT), (present(2, Presence.SITTING_OUT),))
    assert len(table.ready_seats) == expected


def test_a_seat_is_lost_when_sitting_out_has_lasted_too_long() -> None:
    table = table_of(opened(), (present(2, Presence.SITTING_OUT),))
    lost_at = START + seconds(CARD_ROOM.clock.seat_lost_seconds)
    assert next_step(table, START) == step.Await(lost_at + step.TIE)
    lost = next_step(table, lost_at + step.TIE)
    assert isinstance(lost, step.CashOutSeat)
    assert (lost.seat.seat, lost.cause) == (2, LeaveCause.SAT_OUT_TOO_LONG)


# --- clocks -------------------------------------------------------------------------------------


def test_the_moment_of_the_deadline_is_still_the_players() -> None:
    table = table_of(opened(), THIRD, (turn(1, 2),))
    deadline = START + seconds(10)
    assert needs(table, deadline) is step.Await
    assert needs(table, deadline + step.TIE) is step.ExpireTurn


@pytest.mark.parametrize(
    ("activation", "expected"),
    [(TimeBankActivation.AUTO, step.StartTimeBank), (TimeBankActivation.MANUAL, step.ExpireTurn)],
)
def test_the_bank_begins_by_itself_only_where_the_rules_say_so(activation: TimeBankActivation, expected: type) -> None:
    rules = with_clock(time_bank_seconds=30, time_bank_activation=activation)
    table = table_of(opened(rules), THIRD, (turn(1, 2),))
    assert needs(table, START + seconds(11)) is expected


def test_a_bank_that_runs_begins_no_second_time() -> None:
    rules = with_clock(time_bank_seconds=30)
    running = hand.TimeBankStarted(turn_id=1, seat=2, deadline=START + seconds(40), bank_seconds=30)
    table = table_of(opened(rules), THIRD, (turn(1, 2), running))
    assert needs(table, START + seconds(11)) is step.Await
    assert needs(table, START + seconds(41)) is step.ExpireTurn


def test_nobody_waits_for_who_is_away() -> None:
    table = table_of(opened(), started(absent=(2,)), dealt(Street.THIRD), (turn(1, 2),))
    assert needs(table) is step.ActForAbsent


@pytest.mark.parametrize(("at_once", "expected"), [(True, step.Await), (False, step.ActForAbsent)])
def test_who_is_back_acts_again_when_the_rules_say_so(at_once: bool, expected: type) -> None:
    back = present(2, Presence.PLAYING, at_once=at_once)
    table = table_of(opened(), started(absent=(2,)), dealt(Street.THIRD), (turn(1, 2), back))
    assert needs(table) is expected


# --- pauses -------------------------------------------------------------------------------------


def test_a_pause_lets_the_hand_finish_unless_the_clocks_stop_too() -> None:
    in_hand = (opened(), THIRD, (closed(Street.THIRD),))
    assert needs(table_of(*in_hand, (paused(),))) is step.DealStreet
    assert needs(table_of(*in_hand, (paused(clocks_too=True),))) is step.Await


def test_a_paused_table_starts_no_hand_until_it_is_resumed() -> None:
    assert needs(table_of(opened(), (paused(),))) is step.Await
    resumed = TableResumed(after=Halt.PAUSE, deadline=None)
    assert needs(table_of(opened(), (paused(), resumed))) is step.StartHand


def test_a_pause_of_the_whole_tournament_is_ended_by_the_sheet() -> None:
    assert needs(table_of(opened(mode=Mode.TOURNAMENT), (paused(by_director=True),))) is step.StartHand


def test_the_table_pauses_itself_after_its_hands_and_then_goes_on_for_ever() -> None:
    played = (*started(), *ended(101, 99), hand.HandBooked(hand_number=1), hand.OpeningsPublished(openings=()))
    assert needs(table_of(opened(hands_max=1), played)) is step.PauseSelf
    resumed = TableResumed(after=Halt.PAUSE, deadline=None)
    assert needs(table_of(opened(hands_max=1), played, (paused(), resumed))) is step.StartHand


def test_a_closed_table_needs_nothing() -> None:
    assert next_step(table_of(opened(), (TableClosed(),)), START) == step.Await()


# --- all-in hands -------------------------------------------------------------------------------


def test_all_in_hands_are_turned_up_before_the_next_card_where_the_rules_say_so() -> None:
    all_in = (
        turn(1, 2),
        acted(1, 2, ActionKind.RAISE, paid=99, to=99, left=0),
        turn(2, 1),
        acted(2, 1, ActionKind.CALL, paid=99, to=99, left=0),
        closed(Street.THIRD, 200),
    )
    third = (*started(EXPOSED), *dealt(Street.THIRD), *all_in)
    assert needs(table_of(opened(EXPOSED), third)) is step.ExposeHands
    assert needs(table_of(opened(), (*started(), *dealt(Street.THIRD), *all_in))) is step.DealStreet
    open_hands = (shown(1, "AsAdKc"), shown(2, "9s9d2h"))
    assert needs(table_of(opened(EXPOSED), third, open_hands)) is step.DealStreet


def test_a_player_who_sat_down_in_a_hand_is_not_in_it() -> None:
    table = table_of(opened()[:2], (seated(2),))
    assert len(table.ready_seats) == 2
