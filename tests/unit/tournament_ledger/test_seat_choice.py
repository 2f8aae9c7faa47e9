"""Seats chosen before the first hand (rule 187)."""

import pytest

from services.tournament_ledger.domain.registration import unregister
from services.tournament_ledger.domain.seat_choice import choose_seat
from shared.kernel.errors import DomainError, Reason
from shared.kernel.rules import StartSeats
from tests.support.ledger_events import Event, rules_with
from tests.unit.tournament_ledger.test_late_entry import enter

CHOSEN = rules_with(start_seats=StartSeats.CHOSEN)


def registered(*players: str, rules: object = CHOSEN) -> Event:
    event = Event(rules)  # type: ignore[arg-type]  # rules of a tournament
    for player in players:
        enter(event, player)
    return event


def choose(event: Event, player: str, table: int, seat: int) -> None:
    steps = event.steps()
    choose_seat(steps, player, table, seat)
    event.keep(steps)


def chosen(event: Event) -> dict[str, tuple[int, int]]:
    return {name: (each.chosen_table, each.chosen_seat) for name, each in event.state.entrants.items()}


def refusal(event: Event, player: str, table: int, seat: int) -> Reason:
    before = event.state
    with pytest.raises(DomainError) as refused:
        choose(event, player, table, seat)
    assert event.state == before
    return refused.value.reason


def test_a_player_chooses_a_seat_changes_it_and_leaves_it_to_the_lots_again() -> None:
    event = registered("a", "b")
    choose(event, "a", 1, 8)
    choose(event, "b", 1, 3)
    choose(event, "a", 1, 2)
    assert chosen(event) == {"a": (1, 2), "b": (1, 3)}
    choose(event, "b", 0, 0)
    assert chosen(event) == {"a": (1, 2), "b": (0, 0)}
    entries = len(event.drafts)
    choose(event, "a", 1, 2)
    assert len(event.drafts) == entries


def test_a_seat_is_chosen_by_one_player_and_free_again_once_that_player_withdrew() -> None:
    event = registered("a", "b")
    choose(event, "a", 1, 4)
    assert refusal(event, "b", 1, 4) is Reason.SEAT_TAKEN
    steps = event.steps()
    unregister(steps, "a")
    event.keep(steps)
    choose(event, "b", 1, 4)
    assert chosen(event) == {"a": (0, 0), "b": (1, 4)}


@pytest.mark.parametrize(("table", "seat"), [(2, 1), (0, 1), (1, 0), (1, 9)])
def test_only_seats_that_there_may_be_are_chosen(table: int, seat: int) -> None:
    assert refusal(registered("a"), "a", table, seat) is Reason.REQUEST_INVALID


def test_nobody_chooses_where_lots_decide_or_without_being_registered_or_after_the_start() -> None:
    assert refusal(registered("a", rules=rules_with()), "a", 1, 1) is Reason.RULES_INVALID
    assert refusal(registered("a"), "b", 1, 1) is Reason.NOT_REGISTERED
    event = Event(CHOSEN).begin("a", "b")
    assert refusal(event, "a", 1, 1) is Reason.REGISTRATION_CLOSED
