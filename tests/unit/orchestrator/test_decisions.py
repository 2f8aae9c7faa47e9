"""What a table grants and refuses, and how a pause and a time bank are reckoned."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from services.orchestrator.domain import decisions
from services.orchestrator.domain import table_facts as fact
from services.orchestrator.domain.clocks import bank_used_seconds
from services.orchestrator.domain.hand import OpenTurn
from services.orchestrator.domain.hand_facts import HandBooked, OpeningsPublished
from services.orchestrator.domain.sheet import Sheet, SheetSeat, SheetState
from services.orchestrator.domain.sheets import dealing_order, sheet_facts
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.table_facts import (
    Halt,
    LeaveCause,
    Presence,
    TableClosed,
    TablePaused,
    TableResumed,
    TableStalled,
)
from services.orchestrator.domain.wagering import LegalActions
from shared.kernel.errors import DomainError, Reason
from shared.kernel.game import Mode, Street
from shared.kernel.rules import DealerPosition
from tests.support.table_facts import CARD_ROOM, START, dealt, ended, opened, present, seconds, started, table_of, turn

IN_HAND = table_of(opened(), started(), dealt(Street.THIRD), (turn(7, 2),))
BOOKED = table_of(opened(), started(), ended(101, 99), (HandBooked(hand_number=1),))
"""The openings of the hand are not published yet; a table that is closed would never publish them."""
BETWEEN = table_of(opened(), started(), ended(101, 99), (HandBooked(hand_number=1), OpeningsPublished(openings=())))
PAUSED = TablePaused(cause="a word", clocks_too=True, remaining_millis=0, by_director=False)
CLOSED_IN_A_PAUSE = table_of(opened(), (PAUSED, TableClosed()))


def test_a_table_is_closed_when_its_last_hand_is_proved() -> None:
    decisions.close(BETWEEN)


@pytest.mark.parametrize(
    ("ask", "reason"),
    [
        (lambda: decisions.open_turn(IN_HAND, "eve", 7), Reason.NOT_SEATED),
        (lambda: decisions.open_turn(IN_HAND, "bob", 6), Reason.STALE_TURN),
        (lambda: decisions.open_turn(IN_HAND, "ann", 7), Reason.NOT_YOUR_TURN),
        (lambda: decisions.open_turn(BETWEEN, "bob", 7), Reason.NO_HAND),
        (lambda: decisions.close(IN_HAND), Reason.HAND_IN_PROGRESS),
        (lambda: decisions.close(BOOKED), Reason.HAND_IN_PROGRESS),
        (lambda: decisions.resume(IN_HAND, START), Reason.TABLE_NOT_PAUSED),
        (lambda: decisions.resume(CLOSED_IN_A_PAUSE, START), Reason.TABLE_CLOSED),
        (lambda: decisions.choose_seat(IN_HAND, "ann", 0, ()), Reason.ALREADY_SEATED),
        (lambda: decisions.choose_seat(IN_HAND, "eve", 2, ()), Reason.SEAT_TAKEN),
        (lambda: decisions.choose_seat(IN_HAND, "eve", 0, range(3, 9)), Reason.TABLE_FULL),
        (lambda: decisions.choose_seat(table_of(opened(mode=Mode.TOURNAMENT)), "eve", 0, ()), Reason.NOT_PERMITTED),
        (lambda: decisions.leave(table_of(opened(mode=Mode.TOURNAMENT)), "ann"), Reason.NOT_PERMITTED),
        (lambda: decisions.check_version(IN_HAND, 3), Reason.VERSION_CONFLICT),
        (lambda: decisions.use_time_bank(IN_HAND, "bob", 7), Reason.ACTION_NOT_LEGAL),
    ],
)
def test_what_does_not_fit_is_refused_with_its_reason(ask: Callable[[], object], reason: Reason) -> None:
    with pytest.raises(DomainError) as refused:
        ask()
    assert refused.value.reason is reason


def test_a_seat_kept_for_a_buyer_is_not_given_to_another() -> None:
    assert decisions.choose_seat(IN_HAND, "eve", 0, (3,)) == 4


def test_asking_twice_changes_nothing_the_second_time() -> None:
    away = table_of(opened(), (present(2, Presence.SITTING_OUT),))
    assert decisions.sit_out(away, "bob") == ()
    assert decisions.come_back(away, "ann") == ()
    leaving = table_of(opened(), (present(2, Presence.LEAVING),))
    assert decisions.leave(leaving, "bob") == ()


def test_a_pause_keeps_what_is_left_and_the_least_of_the_rules_at_least() -> None:
    for passed, left in ((3, 7), (9, CARD_ROOM.clock.resume_minimum_seconds)):
        at = START + seconds(passed)
        (paused,) = decisions.pause(IN_HAND, "fire alarm", at, clocks_too=True)
        assert isinstance(paused, TablePaused)
        table = table_of(opened(), started(), dealt(Street.THIRD), (turn(7, 2), paused))
        later = START + seconds(1000)
        assert decisions.resume(table, later) == (TableResumed(after=Halt.PAUSE, deadline=later + seconds(left)),)


def test_after_an_outage_the_clock_has_what_was_left_when_the_last_thing_happened() -> None:
    """The turn of ten seconds was the last thing that happened."""
    for at in (START + seconds(2), START + seconds(60)):
        resumed = TableResumed(after=Halt.OUTAGE, deadline=at + seconds(10))
        assert decisions.after_outage(IN_HAND, START, at) == (resumed,)


def test_a_clock_that_was_set_back_during_an_outage_gives_nobody_an_hour() -> None:
    at = START - seconds(3600)
    resumed = TableResumed(after=Halt.OUTAGE, deadline=at + seconds(10))
    assert decisions.after_outage(IN_HAND, START, at) == (resumed,)


def test_after_an_outage_nobody_has_less_than_the_least_of_the_rules() -> None:
    """Eight of the ten seconds were gone when somebody sat out, as the last thing before the outage."""
    late = START + seconds(60)
    resumed = TableResumed(after=Halt.OUTAGE, deadline=late + seconds(CARD_ROOM.clock.resume_minimum_seconds))
    assert decisions.after_outage(IN_HAND, START + seconds(8), late) == (resumed,)


def test_a_restart_that_took_no_time_and_a_table_without_a_clock_change_nothing() -> None:
    assert decisions.after_outage(IN_HAND, START, START) == ()
    assert decisions.after_outage(BETWEEN, START, START + seconds(60)) == ()


def test_a_clock_that_ended_while_a_service_was_away_has_the_least_of_the_rules_again() -> None:
    at = START + seconds(60)
    resumed = decisions.after_stall(IN_HAND, at)
    assert resumed == TableResumed(after=Halt.STALL, deadline=at + seconds(CARD_ROOM.clock.resume_minimum_seconds))
    stalled = TableStalled(waiting_for="betting")
    table = table_of(opened(), started(), dealt(Street.THIRD), (turn(7, 2), stalled, resumed))
    assert table.waiting_for == ""
    assert table.hand is not None
    assert table.hand.turn is not None
    assert table.hand.turn.deadline == resumed.deadline


@pytest.mark.parametrize(("passed", "used"), [(10, 0), (15.2, 5), (27, 17), (39.9, 30), (99, 30)])
def test_a_bank_is_used_from_the_end_of_the_decision_time_on(passed: float, used: int) -> None:
    legal = LegalActions(seat=2, actions=())
    running = OpenTurn(turn_id=1, seat=2, player_id="bob", deadline=START + seconds(40), legal=legal, bank_seconds=30)
    assert bank_used_seconds(running, START + seconds(passed)) == used
    assert bank_used_seconds(replace(running, bank_seconds=0), START + seconds(passed)) == 0


# --- sheets ---------------------------------------------------------------------------------------


def tournament() -> Table:
    return table_of(opened(mode=Mode.TOURNAMENT))


def sheet(*seats: SheetSeat) -> Sheet:
    return Sheet(state=SheetState.GO_ON, seats=seats)


def test_who_is_missing_on_the_sheet_of_a_tournament_has_left_and_who_is_new_sits_down() -> None:
    facts = sheet_facts(
        tournament(),
        sheet(
            SheetSeat(seat=1, player_id="ann", stack_chips=100),
            SheetSeat(seat=5, player_id="eve", stack_chips=70, time_bank_seconds=12, sitting_out=True),
        ),
    )
    left, seated = facts
    assert left == fact.PlayerLeft(seat=2, player_id="bob", stack_chips=100, cause=LeaveCause.MOVED)
    assert isinstance(seated, fact.PlayerSeated)
    assert (seated.seat, seated.stack_chips, seated.time_bank_seconds) == (5, 70, 12)
    assert seated.presence is Presence.SITTING_OUT


def test_chips_that_were_bought_come_with_the_sheet() -> None:
    facts = sheet_facts(
        tournament(),
        sheet(
            *(
                SheetSeat(seat=s, player_id=p, stack_chips=c)
                for s, p, c in (
                    (1, "ann", 100),
                    (2, "bob", 250),
                )
            )
        ),
    )
    assert facts == (fact.ChipsAdded(seat=2, added_chips=150, stack_chips=250),)


def test_a_cash_player_without_chips_keeps_the_seat() -> None:
    assert sheet_facts(table_of(opened()), sheet(SheetSeat(seat=1, player_id="ann", stack_chips=100))) == ()


@pytest.mark.parametrize(
    ("hand_number", "expected"), [(1, [1, 2]), (2, [2, 1]), (3, [1, 2]), (9, [1, 2]), (10, [2, 1])]
)
def test_the_dealer_moves_one_seat_a_hand_where_the_rules_rotate_it(hand_number: int, expected: list[int]) -> None:
    rotating = replace(CARD_ROOM, hand=replace(CARD_ROOM.hand, dealer_position=DealerPosition.ROTATE))
    assert [seat.seat for seat in dealing_order(table_of(opened(rotating)), hand_number)] == expected
    assert [seat.seat for seat in dealing_order(table_of(opened()), hand_number)] == [1, 2]
