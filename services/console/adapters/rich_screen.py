"""The live picture of a table, drawn by rich."""

import sys
from collections.abc import Generator
from contextlib import contextmanager

from rich import box
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from services.console.domain.events import TableEvent
from services.console.domain.outline import level_text
from services.console.domain.printable import printable
from services.console.domain.show import Show, seen
from services.console.domain.table import SeatView, TableState, TableView
from shared.kernel.cards import FACE_DOWN, Card, card_text, suit_of

_REFRESHES_PER_SECOND = 10
_LINES_SHOWN = 7  # with eight seats it fits a terminal of 24 lines
_STYLES = ("green", "bright_blue", "red", "bright_white")
_STATES = {TableState.PAUSED: "paused", TableState.WAITING: "waiting for players", TableState.CLOSED: "closed"}


class RichScreen:
    """Holds what was seen; rich draws it several times a second."""

    def __init__(self, title: str) -> None:
        """Nothing was seen yet."""
        self.show = Show()
        self._title = title

    def take(self, item: TableView | TableEvent) -> None:
        """Remember one more item; the next refresh draws it."""
        self.show = seen(self.show, item)

    def draw(self) -> RenderableType:
        """The picture as it is now."""
        return picture(self.show, self._title)


@contextmanager
def live_screen(title: str) -> Generator[RichScreen, None, None]:
    """A picture that stays up to date until the block ends."""
    screen = RichScreen(title)
    with Live(
        get_renderable=screen.draw, refresh_per_second=_REFRESHES_PER_SECOND, console=_console(), transient=False
    ):
        yield screen


def _console() -> Console:
    """On the terminal itself: the picture is made of escape sequences, its texts are not."""
    return Console(file=sys.__stdout__)


def picture(show: Show, title: str) -> RenderableType:
    """Table, seats and last events as one block."""
    if show.table is None:
        return Panel(Text("waiting for the first hand ..."), title=Text(title), box=box.ROUNDED)
    lines = [*show.lines[-_LINES_SHOWN:], *[""] * (_LINES_SHOWN - len(show.lines))]
    name, title = printable(show.table.name), printable(title)
    title = f"{title}: {name}" if name and name not in title else title
    body = Group(_headline(show), _seats(show.table), Text("\n".join(lines), style="dim"))
    return Panel(body, title=Text(title), box=box.ROUNDED, padding=(0, 1))


def _headline(show: Show) -> Text:
    table = show.table
    if table is None:
        return Text()
    street = f"{table.street.value.lower()} street" if table.street is not None else ""
    text = Text(f"hand {table.hand_number}  " if table.hand_number else "no hand yet  ", style="bold")
    text.append(f"{street:<16}", style="cyan")
    text.append(f"pot {table.pot_total_chips:<8,}", style="bold yellow")
    text.append(level_text(table))
    if table.common_card is not None:
        text.append("  common card ").append_text(_card(table.common_card))
    if table.state is TableState.STALLED:
        text.append(f"  waiting for {printable(table.waiting_for)}", style="bold red")
    elif table.state is not None and table.state in _STATES:
        text.append(f"  {_STATES[table.state]}", style="bold red")
    return text


def _seats(table: TableView) -> Table:
    grid = Table(box=box.SIMPLE_HEAD, expand=True, pad_edge=False)
    for name, justify in (("seat", "right"), ("player", "left"), ("chips", "right"), ("street", "right")):
        grid.add_column(name, justify=justify)  # type: ignore[arg-type]  # rich names the few words
    grid.add_column("down", no_wrap=True, min_width=9)
    grid.add_column("up", no_wrap=True, min_width=12)
    grid.add_column("", min_width=10)
    for seat in table.seats:
        grid.add_row(*_row(table, seat), style="dim" if not seat.live and table.street is not None else "")
    return grid


def _row(table: TableView, seat: SeatView) -> tuple[RenderableType, ...]:
    to_act = table.turn is not None and table.turn.seat == seat.seat
    name = Text(printable(seat.player_id), style="bold reverse" if to_act else "bold")
    down, up = ((), ()) if seat.folded else (seat.down_cards, seat.up_cards)
    street = f"{seat.street_chips:,}" if seat.street_chips else ""
    return (
        str(seat.seat),
        name,
        f"{seat.stack_chips:,}",
        street,
        _cards(down),
        _cards(up),
        _state(seat, to_act=to_act),
    )


def _state(seat: SeatView, *, to_act: bool) -> Text:
    if to_act:
        return Text("to act", style="bold cyan")
    if seat.folded:
        return Text("folded")
    if seat.all_in and seat.in_hand:
        return Text("all-in", style="bold red")
    return Text("frozen" if seat.frozen else "")


def _cards(cards: tuple[Card, ...]) -> Text:
    return Text(" ").join(_card(card) for card in cards)


def _card(card: Card) -> Text:
    if card == FACE_DOWN:
        return Text("▒▒", style="blue")
    return Text(card_text(card), style=_STYLES[suit_of(card)])
