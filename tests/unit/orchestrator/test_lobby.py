"""The lobby: who watches it is shown every table that is closed, or told to begin anew."""

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
