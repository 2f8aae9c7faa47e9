"""Satellites: whole seats first, the rest in money, the end when as many are left as seats (rule 202)."""

import pytest

from services.tournament_ledger.domain.prizes import prize_table, satellite_table
from services.tournament_ledger.domain.tournament import EntrantState
from tests.support.ledger_events import Event, rules_with


@pytest.mark.parametrize(
    ("fund", "entrants", "seat", "prizes"),
    [
        (8000, 10, 2500, (2500, 2500, 2500, 500)),
        (7500, 10, 2500, (2500, 2500, 2500)),
        (2000, 10, 2500, (2000,)),
        (9000, 3, 2500, (2500, 2500, 4000)),
    ],
)
def test_the_fund_buys_whole_seats_and_what_is_over_is_money_for_the_next_place(
    fund: int, entrants: int, seat: int, prizes: tuple[int, ...]
) -> None:
    assert satellite_table(fund, entrants, seat) == prizes
    assert prize_table(fund, entrants, 1000, rules_with(satellite_seat_minor=seat)) == prizes


def satellite(players: str, seat_minor: int) -> Event:
    return Event(rules_with(starting_stack_chips=1000, satellite_seat_minor=seat_minor)).begin(*players)


def test_it_ends_when_as_many_are_left_as_seats_are_won() -> None:
    event = satellite("abcdef", 2000)
    assert event.state.prizes_minor == (2000, 2000, 800)
    event.hand(a=0, b=2000)
    event.hand(c=0, d=2000)
    event.hand(e=0, f=2000)
    assert not event.is_over()
    event.hand(d=0, b=4000)
    assert event.is_over()
    assert event.places() == {"a": 6, "c": 5, "e": 4, "d": 3, "b": 1, "f": 1}
    assert event.prizes() == {"d": 800, "b": 2000, "f": 2000}
    assert event.state.entrants["f"].state is EntrantState.WINNER


def test_of_two_who_fall_in_one_hand_the_larger_stack_takes_the_last_seat() -> None:
    event = satellite("abcdef", 1500)
    event.stacks(a=900, b=400, c=4700, d=0, e=0, f=0)
    event.stacks(a=900, b=400, c=1700, d=1000, e=1000, f=1000)
    assert event.state.prizes_minor == (1500, 1500, 1500, 300)
    event.hand(d=0, c=2700)
    event.hand(e=0, c=3700)
    event.hand(a=0, b=0, c=5000)
    assert event.is_over()
    assert event.prizes() == {"a": 1500, "b": 300, "c": 1500, "f": 1500}


def test_exact_ties_for_the_last_seat_split_its_value() -> None:
    event = satellite("abcdef", 1500)
    event.hand(d=0, c=2000)
    event.hand(e=0, c=3000)
    event.hand(a=0, b=0, c=5000)
    assert event.is_over()
    assert event.prizes() == {"a": 900, "b": 900, "c": 1500, "f": 1500}
    assert sum(event.prizes().values()) == event.state.fund_minor


def test_without_money_for_one_seat_it_is_played_for_the_fund() -> None:
    event = satellite("ab", 5000)
    event.hand(a=0, b=2000)
    assert event.prizes() == {"b": 1600}
