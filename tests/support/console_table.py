"""A table as the console sees it, and a hand's events, for tests of the people's side."""

from dataclasses import replace

from services.console.domain import events
from services.console.domain.betting import ActionKind, LegalAction, LegalActions, Turn
from services.console.domain.follow import after
from services.console.domain.table import SeatView, TableState, TableView
from shared.kernel.cards import FACE_DOWN, parse_cards
from shared.kernel.game import Street
from shared.kernel.rules.hand import Stakes

STAKES = Stakes(ante_chips=10, bring_in_chips=20, lower_limit_chips=50, upper_limit_chips=100)
HIDDEN = (FACE_DOWN, FACE_DOWN)


def empty_table() -> TableView:
    """An open table where nobody sits yet."""
    return TableView(
        table_id="t1",
        name="one",
        tournament_id="e1",
        version=1,
        state=TableState.WAITING,
        waiting_for="",
        stakes=STAKES,
        seats=(),
        hand_id="",
        hand_number=0,
        street=None,
        pot_total_chips=0,
        common_card=None,
        turn=None,
        level=1,
    )


def seated(*stacks: int) -> TableView:
    """A table with players a, b, c ... in seats 1, 2, 3 ..."""
    seats = tuple(
        SeatView(seat=number, player_id=chr(96 + number), stack_chips=chips)
        for number, chips in enumerate(stacks, start=1)
    )
    return replace(empty_table(), seats=seats)


def play(table: TableView, *facts: events.Fact) -> TableView:
    """The table after these facts, numbered onwards."""
    for fact in facts:
        table = after(table, events.TableEvent(version=table.version + 1, hand_id="h1", fact=fact))
    return table


def started(table: TableView) -> events.HandStarted:
    """The next hand begins with everybody at the table."""
    dealt = tuple(events.HandSeat(seat.seat, seat.player_id, seat.stack_chips) for seat in table.seats)
    return events.HandStarted(hand_number=table.hand_number + 1, seats=dealt, stakes=STAKES, level=1)


def third_street(*doors: str) -> events.StreetDealt:
    """Two cards down and a door card for seats 1, 2, 3 ..."""
    cards = tuple(
        events.SeatCards(number, down_cards=HIDDEN, up_cards=parse_cards(door))
        for number, door in enumerate(doors, start=1)
    )
    return events.StreetDealt(street=Street.THIRD, seats=cards)


def action(seat: int, kind: ActionKind, paid: int, to: int, left: int) -> events.ActionTaken:
    """A seat acted; ``left`` chips are behind afterwards."""
    return events.ActionTaken(
        turn_id=1, seat=seat, kind=kind, paid_chips=paid, to_chips=to, all_in=left == 0, stack_chips=left
    )


def turn(table: TableView, number: int, *actions: LegalAction, turn_id: int = 1) -> events.TurnStarted:
    """A seat is to act."""
    seat = table.seat(number)
    assert seat is not None
    return events.TurnStarted(Turn(turn_id, number, seat.player_id, LegalActions(number, actions)))
