"""The next hand does not hurry: a pause between hands, and patience while everybody is away (rules 128, 145)."""

from dataclasses import replace

import pytest

from services.orchestrator.domain import decisions
from services.orchestrator.domain import hand_facts as hand
from services.orchestrator.domain import next_step as step
from services.orchestrator.domain.fold import preview
from services.orchestrator.domain.next_step import next_step
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.table_facts import Presence
from shared.kernel.game import Mode
from shared.kernel.rules import RuleSet, SitOutPays
from tests.support.table_facts import (
    CARD_ROOM,
    PLAYERS,
    START,
    Facts,
    ended,
    opened,
    present,
    seconds,
    started,
    table_of,
)

BOOKED: Facts = (hand.HandBooked(hand_number=1), hand.OpeningsPublished(openings=()))
AWAY = (Presence.SITTING_OUT, Presence.TIMED_OUT)


def paced(between_hands_seconds: int = 0, all_away_seconds: int = 0) -> RuleSet:
    """The card room's cash rules, with the tournament's way to treat absent players."""
    clock = replace(
        CARD_ROOM.clock,
        between_hands_seconds=between_hands_seconds,
        all_away_seconds=all_away_seconds,
        sit_out_pays=SitOutPays.ANTE,
    )
    return replace(CARD_ROOM, clock=clock)


def after_a_hand(rules: RuleSet, *more: Facts, mode: Mode = Mode.CASH, chips: tuple[int, int] = (101, 99)) -> Table:
    return table_of(opened(rules, mode), started(rules), ended(*chips), BOOKED, *more)


def everybody(presence: Presence) -> Facts:
    return (present(1, presence), present(2, presence))


@pytest.mark.parametrize("mode", list(Mode))
def test_the_next_hand_waits_for_the_pause_between_hands(mode: Mode) -> None:
    table = after_a_hand(paced(between_hands_seconds=3), mode=mode)
    assert next_step(table, START) == step.Await(START + seconds(3))
    assert next_step(table, START + seconds(2.999)) == step.Await(START + seconds(3))
    assert next_step(table, START + seconds(3)) == step.StartHand(2)


def test_without_a_pause_the_next_hand_starts_at_once() -> None:
    assert next_step(after_a_hand(paced()), START) == step.StartHand(2)


def test_the_first_hand_of_a_table_waits_for_nothing() -> None:
    table = table_of(opened(paced(3, 30), Mode.TOURNAMENT), everybody(Presence.SITTING_OUT))
    assert next_step(table, START) == step.StartHand(1)


def test_a_voided_hand_is_over_as_well() -> None:
    rules = paced(between_hands_seconds=3)
    back = tuple(
        hand.SeatResult(seat=seat, player_id=player, before_chips=100, after_chips=100)
        for seat, player in PLAYERS.items()
    )
    void = hand.HandVoided(hand_number=1, cause="", results=back)
    table = table_of(opened(rules), started(rules), (void,), BOOKED)
    assert next_step(table, START) == step.Await(START + seconds(3))


@pytest.mark.parametrize("presence", AWAY)
def test_while_everybody_is_away_the_next_hand_is_not_hurried(presence: Presence) -> None:
    table = after_a_hand(paced(all_away_seconds=30), everybody(presence), mode=Mode.TOURNAMENT)
    assert next_step(table, START + seconds(29)) == step.Await(START + seconds(30))
    assert next_step(table, START + seconds(30)) == step.StartHand(2)


def test_zero_means_that_absent_players_are_not_waited_for() -> None:
    table = after_a_hand(paced(), everybody(Presence.SITTING_OUT), mode=Mode.TOURNAMENT)
    assert next_step(table, START) == step.StartHand(2)


def test_who_comes_back_ends_the_wait_for_those_who_are_away() -> None:
    rules, back = paced(all_away_seconds=30), (present(2, Presence.PLAYING),)
    table = after_a_hand(rules, everybody(Presence.SITTING_OUT), back, mode=Mode.TOURNAMENT)
    assert next_step(table, START + seconds(1)) == step.StartHand(2)


def test_the_longer_of_both_waits_counts() -> None:
    table = after_a_hand(paced(40, 30), everybody(Presence.SITTING_OUT), mode=Mode.TOURNAMENT)
    assert next_step(table, START + seconds(30)) == step.Await(START + seconds(40))


def test_nothing_is_waited_for_where_one_player_has_all_the_chips() -> None:
    table = after_a_hand(paced(3, 30), everybody(Presence.SITTING_OUT), mode=Mode.TOURNAMENT, chips=(200, 0))
    assert next_step(table, START) == step.StartHand(2)


def test_who_leaves_a_cash_table_need_not_wait() -> None:
    table = after_a_hand(paced(between_hands_seconds=3), (present(2, Presence.LEAVING),))
    assert isinstance(next_step(table, START), step.CashOutSeat)


@pytest.mark.parametrize("away", [False, True])
def test_after_a_restart_on_a_clock_that_was_set_back_nothing_waits_for_longer_than_its_own_length(
    *, away: bool
) -> None:
    rules = paced(between_hands_seconds=3, all_away_seconds=30)
    absent = [everybody(Presence.SITTING_OUT)] if away else []
    table = after_a_hand(rules, *absent, mode=Mode.TOURNAMENT)
    now = START - seconds(3600)
    facts = decisions.after_outage(table, START, now)
    going_on = preview(table, facts, now)
    assert next_step(going_on, now) == step.Await(now + seconds(30 if away else 3))
    assert next_step(going_on, now + seconds(30)) == step.StartHand(2)
    assert decisions.after_outage(going_on, now, now + seconds(60)) == ()


def test_a_seat_is_kept_no_longer_than_the_rules_say_because_a_clock_was_set_back() -> None:
    clock = replace(CARD_ROOM.clock, seat_lost_seconds=60, sit_out_pays=SitOutPays.ANTE)
    table = table_of(opened(replace(CARD_ROOM, clock=clock)), (present(2, Presence.SITTING_OUT),))
    now = START - seconds(3600)
    going_on = preview(table, decisions.after_outage(table, START, now), now)
    assert not isinstance(next_step(going_on, now + seconds(59)), step.CashOutSeat)
    assert isinstance(next_step(going_on, now + seconds(61)), step.CashOutSeat)
