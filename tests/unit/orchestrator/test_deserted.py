"""Tables at which nobody is take one step at a time, all of them together, each in its turn."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

import pytest

from services.orchestrator.application.deserted import Deserted, is_deserted
from services.orchestrator.domain.table import Table
from services.orchestrator.domain.table_facts import Presence
from shared.kernel.game import Mode
from shared.kernel.rules import SitOutPays
from tests.support.table_facts import CARD_ROOM, Facts, ended, opened, present, started, table_of

RULES = replace(CARD_ROOM, clock=replace(CARD_ROOM.clock, sit_out_pays=SitOutPays.ANTE))
AWAY = (present(1, Presence.SITTING_OUT), present(2, Presence.DISCONNECTED))
ONE_IS_BACK = (*AWAY, present(2, Presence.PLAYING))


@dataclass(eq=False)
class Waiter:
    """A table that may have to wait, and how often it was told to look."""

    table: Table
    woken: int = 0

    def wake(self) -> None:
        self.woken += 1


def at(presences: Facts, *more: Facts, mode: Mode = Mode.TOURNAMENT) -> Table:
    return table_of(opened(RULES, mode), presences, *more)


def nobody_is_at(count: int) -> Sequence[Waiter]:
    return [Waiter(at(AWAY)) for _ in range(count)]


def waits(deserted: Deserted, *waiters: Waiter) -> bool:
    """All of them."""
    return all(deserted.step(each) is None for each in waiters)


@pytest.mark.parametrize(
    ("table", "expected"),
    [
        (at(AWAY), True),
        (at(AWAY, started(RULES)), True),
        (at(AWAY, started(RULES), ended(101, 99)), True),
        (at(()), False),
        (at(ONE_IS_BACK), False),
        (at(ONE_IS_BACK, started(RULES)), False),
        (at(AWAY, started(RULES), (present(1, Presence.PLAYING),)), False),
        (at(AWAY, mode=Mode.CASH), False),  # nobody there is dealt in
        (at(AWAY, started(RULES), mode=Mode.CASH), True),
        (at((present(1, Presence.LEAVING), present(2, Presence.LEAVING)), mode=Mode.CASH), False),  # who goes is paid
    ],
)
def test_nobody_is_at_a_table_where_all_who_play_are_away(table: Table, *, expected: bool) -> None:
    assert is_deserted(table) is expected


def test_they_take_one_step_at_a_time_and_each_has_its_turn() -> None:
    deserted, (first, second, third) = Deserted(), nobody_is_at(3)
    turn = deserted.step(first)
    assert turn is not None
    with turn:
        assert waits(deserted, second, third)
    assert (second.woken, third.woken) == (1, 0)
    assert waits(deserted, first), "it comes again after the others"
    turn = deserted.step(second)
    assert turn is not None
    with turn:
        assert waits(deserted, first, second, third)
    assert third.woken == 1


def test_where_somebody_is_a_step_waits_for_nobody() -> None:
    deserted, (alone, waiting) = Deserted(), nobody_is_at(2)
    turn = deserted.step(alone)
    assert turn is not None
    with turn:
        assert deserted.step(Waiter(at(()))) is not None
        assert waits(deserted, waiting)
        waiting.table = at(ONE_IS_BACK)
        assert deserted.step(waiting) is not None


def test_who_waits_no_more_keeps_nobody_waiting() -> None:
    deserted, (alone, back, gone, last) = Deserted(), nobody_is_at(4)
    turn = deserted.step(alone)
    assert turn is not None
    with turn:
        assert waits(deserted, back, gone, last)
    assert back.woken == 1
    back.table = at(ONE_IS_BACK)
    assert deserted.step(back) is not None
    assert gone.woken == 1
    deserted.forget(gone)
    assert last.woken == 1
    assert deserted.step(last) is not None


def test_a_step_that_failed_is_over_as_well() -> None:
    deserted, (failing, next_one) = Deserted(), nobody_is_at(2)
    turn = deserted.step(failing)
    assert turn is not None
    with suppress(OSError), turn:
        assert waits(deserted, next_one)
        raise OSError("disk")
    assert next_one.woken == 1
    assert deserted.step(next_one) is not None
