"""Late registration and re-entry: rules 200 and 201, the cap of rule 170, places that stay whole (rules 183-184)."""

import random

import pytest

from services.tournament_ledger.domain.facts_entries import LateRegistrationClosed, PlaceNow, PlacesChanged
from services.tournament_ledger.domain.late_entry import re_enter
from services.tournament_ledger.domain.levels import record_move
from services.tournament_ledger.domain.registration import register
from services.tournament_ledger.domain.tournament import EntrantState
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import DoubleChanceRelease, DoubleChanceTerms, PrizeRow, RebuyTerms
from tests.support.ledger_events import RICH, Event, placed, rules_with

OPEN = {"late_registration_last_level": 2, "re_entry_max_count": 2, "starting_stack_chips": 1000}


def enter(event: Event, player_id: str, available: int = RICH) -> None:
    steps = event.steps()
    register(steps, player_id, available)
    event.keep(steps)


def again(event: Event, player_id: str, available: int = RICH) -> None:
    steps = event.steps()
    re_enter(steps, player_id, available)
    event.keep(steps)


def seat(event: Event, player_id: str, number: int) -> None:
    steps = event.steps()
    record_move(steps, player_id, "T1", number, "draw")
    event.keep(steps)


def refusal(attempt: object, *values: object) -> Reason:
    with pytest.raises(DomainError) as refused:
        attempt(*values)  # type: ignore[operator]  # a function of this module
    return refused.value.reason


def test_who_comes_late_has_the_full_stack_and_is_on_the_next_sheet_once_seated() -> None:
    event = Event(rules_with(**OPEN)).begin("a", "b")
    assert not event.state.prizes_fixed
    enter(event, "c")
    late = event.state.entrants["c"]
    assert (late.state, late.chips, late.table_id, late.spent_minor) == (EntrantState.PLAYING, 1000, "", 1000)
    assert event.sheet() == {"a": 1000, "b": 1000}
    seat(event, "c", 5)
    assert event.sheet() == {"a": 1000, "b": 1000, "c": 1000}
    assert (event.state.chips_total, event.state.fund_minor, event.state.entrants_count) == (3000, 2400, 3)


def test_late_registration_ends_with_its_level_and_the_prizes_are_fixed_then() -> None:
    event = Event(rules_with(**OPEN)).begin("a", "b").level(2)
    enter(event, "c")
    event.level(3)
    assert event.state.prizes_fixed
    assert refusal(enter, event, "d") is Reason.REGISTRATION_CLOSED
    assert refusal(again, event, "c") is Reason.RE_ENTRY_NOT_ALLOWED


def test_without_late_registration_play_closes_the_list() -> None:
    event = Event(rules_with()).begin("a", "b")
    assert refusal(enter, event, "c") is Reason.REGISTRATION_CLOSED


def test_nobody_enters_late_where_all_places_are_taken_or_twice_or_without_money() -> None:
    event = Event(rules_with(**OPEN)).begin("a", "b")
    assert refusal(enter, event, "a") is Reason.ALREADY_REGISTERED
    assert refusal(enter, event, "c", 999) is Reason.FUNDS_INSUFFICIENT
    for name in "cdefgh":
        enter(event, name)
    assert refusal(enter, event, "i") is Reason.TOURNAMENT_FULL


def test_the_second_half_is_kept_back_only_while_its_deadline_is_ahead() -> None:
    terms = DoubleChanceTerms(offered=True, release=DoubleChanceRelease.ON_BUST_OR_DEADLINE, last_level=1)
    event = Event(rules_with(**OPEN, double_chance=terms)).begin("a", "b")
    enter(event, "c")
    event.level(2)
    enter(event, "d")
    assert [event.state.entrants[each].stack_chips for each in "abcd"] == [1000] * 4
    assert event.state.entrants["d"].chips == 1000


def test_only_the_excluded_enter_again_and_only_so_often() -> None:
    event = Event(rules_with(**OPEN)).begin("a", "b", "c")
    assert refusal(again, event, "a") is Reason.RE_ENTRY_NOT_ALLOWED
    for number in (1, 2):
        event.hand(a=0, b=event.state.entrants["b"].chips + 1000)
        assert event.places() == {"a": 3}
        again(event, "a")
        entrant = event.state.entrants["a"]
        assert (entrant.state, entrant.place, entrant.re_entries) == (EntrantState.PLAYING, 0, number)
        assert (entrant.chips, entrant.table_id) == (1000, "")
        seat(event, "a", 1)
    event.hand(a=0, b=event.state.entrants["b"].chips + 1000)
    assert refusal(again, event, "a") is Reason.RE_ENTRY_NOT_ALLOWED
    assert event.state.entrants["a"].spent_minor == 3000
    assert event.state.entrants_count == 3


def test_a_re_entry_counts_towards_the_cap_of_all_purchases() -> None:
    rules = rules_with(**(OPEN | {"re_entry_max_count": 9}))
    event = Event(rules, fee_minor=12_500).begin("a", "b", "c")
    event.hand(a=0, b=2000)
    again(event, "a")
    seat(event, "a", 1)
    event.hand(a=0, b=3000)
    assert refusal(again, event, "a") is Reason.SPEND_CAP_REACHED
    assert event.state.entrants["a"].spent_minor == 25_000


def test_places_given_before_a_late_entry_move_down_by_one() -> None:
    event = Event(rules_with(**OPEN)).begin("a", "b", "c", "d")
    event.hand(a=0, b=2000)
    event.hand(c=0, b=3000)
    assert event.places() == {"a": 4, "c": 3}
    enter(event, "e")
    assert event.places() == {"a": 5, "c": 4}
    again(event, "a")
    assert event.places() == {"c": 5}
    seat(event, "e", 6)
    seat(event, "a", 1)
    event.hand(d=0, b=4000)
    assert event.places() == {"c": 5, "d": 4}


def told(event: Event, kind: type) -> list[object]:
    return [fact for draft in event.drafts for fact in draft.facts if isinstance(fact, kind)]


def test_watchers_are_told_the_places_that_a_late_entry_moves() -> None:
    event = Event(rules_with(**OPEN)).begin("a", "b", "c", "d")
    enter(event, "e")
    assert told(event, PlacesChanged) == []
    event.hand(a=0, b=2000)
    event.hand(c=0, b=3000)
    enter(event, "f")
    assert told(event, PlacesChanged) == [PlacesChanged((PlaceNow("a", 6), PlaceNow("c", 5)))]
    again(event, "a")
    assert told(event, PlacesChanged)[1:] == [PlacesChanged((PlaceNow("c", 6),))]
    assert event.places() == {"c": 6}


NEAR = OPEN | {"prize_rows": (PrizeRow(entrants_min=2, weights=(3, 2)),), "late_registration_prize_margin": 1}


def test_late_registration_ends_for_good_when_few_places_remain_before_the_prizes() -> None:
    event = Event(rules_with(**NEAR)).begin("a", "b", "c", "d")
    enter(event, "e")
    event.hand(a=0, b=2000)
    assert not event.state.late_closed
    event.hand(c=0, b=3000)
    assert told(event, LateRegistrationClosed) == [LateRegistrationClosed(players_left=3, paid_places=2)]
    assert event.state.prizes_fixed
    assert refusal(enter, event, "f") is Reason.REGISTRATION_CLOSED
    assert refusal(again, event, "a") is Reason.RE_ENTRY_NOT_ALLOWED
    event.hand(d=0, b=4000)
    assert len(told(event, LateRegistrationClosed)) == 1


def test_what_can_still_be_bought_keeps_the_prizes_open_after_late_registration_has_ended() -> None:
    rebuy = RebuyTerms(max_count=1, last_level=3, window_seconds=0)
    event = Event(rules_with(**NEAR, rebuy=rebuy)).begin("a", "b", "c", "d")
    event.hand(a=0, b=2000)
    assert event.state.late_closed
    assert not event.state.prizes_fixed
    assert refusal(enter, event, "e") is Reason.REGISTRATION_CLOSED


def test_the_seats_of_a_satellite_are_its_prizes_when_late_registration_ends() -> None:
    near = OPEN | {"satellite_seat_minor": 1600, "late_registration_prize_margin": 1}
    event = Event(rules_with(**near)).begin("a", "b", "c", "d", "e")
    event.hand(a=0, b=2000)
    assert not event.state.late_closed
    event.hand(c=0, b=3000)
    assert told(event, LateRegistrationClosed) == [LateRegistrationClosed(players_left=3, paid_places=2)]


def test_a_re_entry_leaves_the_place_of_who_was_excluded_earlier() -> None:
    event = Event(rules_with(**OPEN)).begin("a", "b", "c", "d")
    event.hand(a=0, b=2000)
    event.hand(c=0, b=3000)
    again(event, "c")
    assert event.places() == {"a": 4}


def test_of_two_who_share_a_place_the_one_who_stays_out_is_last_of_both() -> None:
    event = Event(rules_with(**OPEN)).begin("a", "b", "c", "d")
    event.hand(a=0, b=0, c=3000)
    assert event.places() == {"a": 3, "b": 3}
    again(event, "a")
    assert event.places() == {"b": 4}


@pytest.mark.parametrize("seed", range(20))
def test_in_the_end_every_place_is_given_once_and_all_money_is_paid(seed: int) -> None:
    chance = random.Random(seed)
    event = Event(rules_with(**OPEN)).begin("a", "b", "c")
    for _ in range(400):
        if event.is_over():
            break
        if chance.random() < 0.1 and event.state.level < 4:
            event.level(event.state.level + 1)
        for name in "abcdefgh":
            before = event.state.entrants.get(name)
            if chance.random() < 0.1 and event.state.level <= 2:
                if before is None:
                    enter(event, name)
                    seat(event, name, "abcdefgh".index(name) + 1)
                elif before.state is EntrantState.OUT and before.re_entries < 2:
                    again(event, name)
                    seat(event, name, "abcdefgh".index(name) + 1)
        sheet = event.sheet()
        winner, loser = chance.sample(sorted(name for name, chips in sheet.items() if chips), 2)
        lost = min(sheet[winner], sheet[loser], chance.choice([100, 400, 1000]))
        event.record(sheet, {winner: sheet[winner] + lost, loser: sheet[loser] - lost})
    assert event.is_over()
    places = sorted(event.places().values())
    assert places == list(range(1, len(places) + 1))
    assert sum(event.prizes().values()) == event.state.fund_minor
    spent = sum(each.spent_minor for each in event.state.entrants.values())
    assert event.state.fund_minor == spent * 8 // 10
    assert "PRIZES_FIXED" in placed(event.drafts)
