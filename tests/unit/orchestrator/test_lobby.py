"""The lobby: who watches it is shown every table that is closed, or told to begin anew."""

from collections.abc import Iterable, Iterator
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from services.orchestrator.application.feeds import CLOSED_LINES, Lobby
from services.orchestrator.domain.views import TableState, TableSummary
from shared.kernel.game import Mode, Structure
from shared.kernel.rules import Stakes


def line(number: int, state: TableState) -> TableSummary:
    return TableSummary(
        table_id=f"t{number}",
        name="Table",
        mode=Mode.CASH,
        structure=Structure.LIMIT,
        stakes=Stakes(ante_chips=1, bring_in_chips=2, lower_limit_chips=5, upper_limit_chips=10),
        state=state,
        seats_taken=0,
        seats_max=8,
        tournament_id="",
        hand_number=0,
    )


def closing(lobby: Lobby, numbers: range) -> None:
    for number in numbers:
        lobby.put(line(number, TableState.CLOSED))
        lobby.forget(f"t{number}")


def test_who_is_behind_is_shown_every_closed_table_that_is_remembered() -> None:
    lobby = Lobby()
    lobby.put(line(0, TableState.WAITING))
    closing(lobby, range(1, CLOSED_LINES + 1))
    news = lobby.after(1)
    assert news is not None
    assert [each.table_id for _, each in news] == [f"t{number}" for number in range(1, CLOSED_LINES + 1)]


def test_who_is_so_far_behind_that_one_is_not_remembered_any_more_begins_anew() -> None:
    lobby = Lobby()
    lobby.put(line(0, TableState.WAITING))
    closing(lobby, range(1, CLOSED_LINES + 2))
    assert lobby.after(1) is None
    assert lobby.after(2) is not None
    anew = lobby.after(0)
    assert anew is not None
    assert [each.table_id for _, each in anew] == ["t0"]


class Looked(dict[str, tuple[int, TableSummary]]):
    """Counts the lines that are looked at."""

    count = 0

    def values(self) -> Any:
        looked = self

        class Values:
            def __iter__(self) -> Iterator[tuple[int, TableSummary]]:
                return looked.seen(dict.values(looked))

            def __reversed__(self) -> Iterator[tuple[int, TableSummary]]:
                return looked.seen(reversed(dict.values(looked)))

        return Values()

    def seen(self, lines: Iterable[tuple[int, TableSummary]]) -> Iterator[tuple[int, TableSummary]]:
        for each in lines:
            self.count += 1
            yield each


def test_a_watcher_of_the_lobby_costs_what_is_new_to_it_and_not_how_many_tables_there_are() -> None:
    """One player may watch it 64 times, and every change of every table wakes them all."""
    lobby, looked = Lobby(), Looked()
    lobby._lines = looked
    for number in range(1000):
        lobby.put(line(number, TableState.WAITING))
    lobby.put(line(3, TableState.PLAYING))
    lobby.put(line(3, TableState.PLAYING))
    news = lobby.after(1000)
    assert news is not None
    assert [each.table_id for _, each in news] == ["t3"]
    assert looked.count <= 3


@given(st.lists(st.tuples(st.integers(0, 5), st.sampled_from(TableState), st.booleans()), max_size=40))
def test_who_watches_is_told_each_table_as_it_is_last_in_the_order_of_the_changes(
    changes: list[tuple[int, TableState, bool]],
) -> None:
    lobby, told, cursor = Lobby(), dict[str, TableSummary](), 0
    lines = dict[str, TableSummary]()
    for number, state, look in changes:
        lobby.put(line(number, state))
        lines[f"t{number}"] = line(number, state)
        if look:
            news = lobby.after(cursor) or []
            assert [change for change, _ in news] == sorted({change for change, _ in news})
            told |= {each.table_id: each for _, each in news}
            cursor = max((change for change, _ in news), default=cursor)
            assert told == lines
