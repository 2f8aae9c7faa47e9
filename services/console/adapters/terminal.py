"""Standard output and error of the console: whatever a service, file or table says, nothing in it steers a terminal.

Escape sequences could paint over what was printed before, as a hand that is not proved as one that is. A line break is
kept here, for the console's own; in texts of others ``printable`` marks it, so that none begins a line of its own.
"""

import sys
from typing import Any, TextIO, cast

from services.console.domain.printable import printable

_OURS = ("\n", "\t")


class _Harmless:
    """A stream of text; everything but writing is as it was."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def write(self, text: str) -> int:
        """What cannot be printed is marked; the length of what was given."""
        self._out.write(harmless(text))
        return len(text)

    def writelines(self, lines: Any) -> None:
        """One after another."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._out, name)


def harmless(text: str) -> str:
    """The text with a mark for each control, direction or invisible character, line breaks and tabs kept."""
    if text.isprintable():
        return text
    return "".join(character if character in _OURS else printable(character) for character in text)


def guard_terminal() -> None:
    """From now on, for the whole process. Who draws pictures does it on ``sys.__stdout__``, and minds every text."""
    sys.stdout = cast("TextIO", _Harmless(sys.stdout))
    sys.stderr = cast("TextIO", _Harmless(sys.stderr))
