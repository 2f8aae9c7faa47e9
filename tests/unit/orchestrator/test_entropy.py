"""Who is asked for entropy before a hand, and how long it is waited for."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from services.orchestrator.domain import decisions, entropy
from services.orchestrator.domain.fold import preview
from services.orchestrator.domain.next_step import TIE, Await, CloseEntropy, StartHand, next_step
from services.orchestrator.domain.table import EntropyCall, Pause, Table, TableSeat
from services.orchestrator.domain.table_facts import (
    EntropyAdded,
    EntropyAsked,
    EntropyClosed,
    Halt,
    Presence,
    TableResumed,
)
from shared.kernel.errors import DomainError, Reason
from tests.unit.orchestrator.test_table_rules import seat, table

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
ASKED = EntropyAsked(
    hand_number=1, hand_id="t.1", seats=(1, 2, 3), asked_seats=(1, 3), seed_commitment=b"c", deadline=NOON
)


def asking(*seats: TableSeat, seconds: int = 5) -> Table:
    found = table(*seats)
    return replace(found, rules=replace(found.rules, clock=replace(found.rules.clock, entropy_seconds=seconds)))


def prepared(*added: int) -> Table:
    call = EntropyCall(asked=ASKED, added=tuple(EntropyAdded(seat=number, entropy=b"x") for number in added))
    return replace(asking(seat(1), seat(2), seat(3)), entropy=call)


def test_who_is_there_is_asked_and_nobody_where_the_rules_do_not() -> None:
    seats = (seat(1), replace(seat(2), presence=Presence.SITTING_OUT), replace(seat(3), disconnected=True), seat(4))
    assert entropy.asked_of(asking(*seats), seats) == (1, 4)
    assert entropy.asked_of(asking(*seats, seconds=0), seats) == ()


@pytest.mark.parametrize(
    ("added", "later", "expected"),
    [
        ((), 0, Await(NOON + TIE)),
        ((1,), 0, Await(NOON + TIE)),
        ((1, 3), -3, StartHand(1)),
        ((1,), 1, CloseEntropy()),
        ((), 1, CloseEntropy()),
    ],
)
def test_the_hand_starts_when_all_have_added_and_where_the_time_is_over_that_is_said_first(
    added: tuple[int, ...], later: int, expected: Await | CloseEntropy | StartHand
) -> None:
    assert next_step(prepared(*added), NOON + timedelta(seconds=later)) == expected


def test_a_table_that_was_paused_meanwhile_prepares_no_further() -> None:
    pause = Pause(cause="fire alarm", clocks_too=False, remaining_millis=0, by_director=False)
    assert next_step(replace(prepared(1, 3), pause=pause), NOON) == Await()


def test_the_seats_of_the_deck_are_dealt_in_whoever_leaves_and_nobody_else() -> None:
    leaving = replace(prepared(), seats=(replace(seat(1), presence=Presence.LEAVING), seat(2), seat(3), seat(4)))
    assert next_step(leaving, NOON) == Await(NOON + TIE)
    dealt = [leaving.dealt_in(each.player_id) for each in leaving.seats]
    assert dealt == [True, True, True, False]


def test_after_an_outage_who_was_asked_has_the_time_that_was_left_and_the_least_of_the_rules() -> None:
    """The orchestrator was away while the time ran out: nobody could add anything."""
    for last, back, left in ((-5, 60, 5), (-1, 60, 3), (-5, -3600, 5)):
        now, last_at = NOON + timedelta(seconds=back), NOON + timedelta(seconds=last)
        waiting = prepared(1)
        clock = replace(waiting.rules.clock, resume_minimum_seconds=3)
        waiting = replace(waiting, rules=replace(waiting.rules, clock=clock))
        (resumed,) = decisions.after_outage(waiting, last_at, now)
        assert resumed == TableResumed(after=Halt.OUTAGE, deadline=now + timedelta(seconds=left))
        going_on = preview(waiting, (resumed,), now)
        assert next_step(going_on, now) == Await(now + timedelta(seconds=left) + TIE)
        player_id = going_on.seats[2].player_id
        assert entropy.add(going_on, player_id, "t.1", b"y", now) == (EntropyAdded(seat=3, entropy=b"y"),)


@pytest.mark.parametrize("back", [60, -3600])
def test_what_is_closed_stays_closed_after_an_outage_and_with_a_clock_set_back(back: int) -> None:
    """The dealer may have fixed the deck with what had come (make sim, world 60003)."""
    over, now = NOON + timedelta(seconds=1), NOON + timedelta(seconds=back)
    closed = preview(prepared(1), (EntropyClosed(),), over)
    assert next_step(closed, over) == StartHand(1)
    for known in (closed, preview(closed, decisions.after_outage(closed, over, now), now)):
        assert next_step(known, now) == StartHand(1)
        with pytest.raises(DomainError) as refused:
            entropy.add(known, known.seats[2].player_id, "t.1", b"y", NOON - timedelta(seconds=1))
        assert refused.value.reason is Reason.OUT_OF_STEP


def test_after_an_outage_nobody_is_waited_for_where_all_have_added() -> None:
    assert decisions.after_outage(prepared(1, 3), NOON, NOON + timedelta(seconds=60)) == ()
