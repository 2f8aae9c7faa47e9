"""A watched table in the terminal: a live picture where there is a terminal and rich, lines of text elsewhere."""

import sys
from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Protocol

from services.console.domain.events import TableEvent
from services.console.domain.show import Show, seen
from services.console.domain.table import TableView


class Screen(Protocol):
    """Shows a table while it is watched."""

    show: Show

    def take(self, item: TableView | TableEvent) -> None:
        """Show one more item of the stream."""


class PlainScreen:
    """One line for each event, or the outline of each hand only."""

    def __init__(self, *, every_line: bool) -> None:
        """Nothing was seen yet."""
        self.show = Show()
        self._every_line = every_line

    def take(self, item: TableView | TableEvent) -> None:
        """Print what is new."""
        self.show = seen(self.show, item)
        if self._every_line or self.show.headline:
            for line in self.show.news:
                print(line, flush=True)


@contextmanager
def open_screen(title: str, *, plain: bool, every_line: bool) -> Generator[Screen, None, None]:
    """The best screen that there is here."""
    if plain or not sys.stdout.isatty() or find_spec("rich") is None:
        yield PlainScreen(every_line=every_line)
        return
    from services.console.adapters.rich_screen import live_screen

    with live_screen(title) as screen:
        yield screen
