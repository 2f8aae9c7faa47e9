"""A table as it is, in a few lines: what a watcher is told before the first event."""

from services.console.domain.narration import stakes_text
from services.console.domain.printable import printable
from services.console.domain.table import Presence, SeatView, TableState, TableView
from shared.kernel.cards import cards_text

_AWAY = frozenset({Presence.SITTING_OUT, Presence.TIMED_OUT, Presence.LEAVING, Presence.DISCONNECTED})


def outline(table: TableView) -> tuple[str, ...]:
    """Name and amounts, who sits where with what, and what is going on."""
    return (_title(table), *(_seat(seat, table) for seat in table.seats), f"  {moment(table)}")


def level_text(table: TableView) -> str:
    """Amounts, and the level where there are levels."""
    amounts = stakes_text(table.stakes)
    return f"level {table.level}: {amounts}" if table.level else amounts


def moment(table: TableView) -> str:
    """Where the table stands, as in `hand 3, third street, pot 40, ann is to act`."""
    match table.state:
        case TableState.CLOSED:
            return "the table is closed"
        case TableState.STALLED:
            return f"{_hand(table)}; the table waits for {printable(table.waiting_for)}"
        case TableState.PAUSED:
            return f"{_hand(table)}; the table is paused"
        case TableState.WAITING:
            return f"{_hand(table)}; the next has not begun" if table.hand_number else _hand(table)
        case _:
            return _hand(table)


def _title(table: TableView) -> str:
    table_id = printable(table.table_id)
    name = f"{printable(table.name)} ({table_id})" if table.name else table_id
    return f"{name}: {level_text(table)}".removesuffix(": ")


def _seat(seat: SeatView, table: TableView) -> str:
    words = [f"  seat {seat.seat}  {printable(seat.player_id):<10} {seat.stack_chips:>7,}"]
    if table.street is not None and seat.live:
        words.append(cards_text(seat.up_cards))
    elif table.street is not None and seat.folded:
        words.append("folded")
    if seat.presence is not None and seat.presence in _AWAY:
        words.append(seat.presence.value.lower().replace("_", " "))
    return "  ".join(words).rstrip()


def _hand(table: TableView) -> str:
    if not table.hand_number:
        return "no hand yet"
    if table.street is None:
        return f"hand {table.hand_number} is over" if table.turn is None else f"hand {table.hand_number}"
    turn = "" if table.turn is None else f", {printable(table.turn.player_id)} is to act"
    street = table.street.value.lower()
    return f"hand {table.hand_number}, {street} street, pot {table.pot_total_chips:,}{turn}"
