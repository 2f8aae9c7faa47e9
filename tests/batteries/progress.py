"""How far a long run is, said every few seconds."""

import sys
import time


class Progress:
    """Counts what is done; on a terminal one line that is written over, else a line every ten seconds."""

    def __init__(self, name: str, total: int) -> None:
        self._name, self._total, self._done = name, total, 0
        self._began = self._said = time.monotonic()
        self._terminal = sys.stderr.isatty()

    @property
    def seconds(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._began

    def add(self, done: int, note: str = "") -> None:
        """So many more are done."""
        self._done += done
        now = time.monotonic()
        if now - self._said >= (0.5 if self._terminal else 10):
            self._said = now
            self._say(note)

    def _say(self, note: str) -> None:
        spent, share = self.seconds, self._done / max(self._total, 1)
        left = spent / share - spent if share else 0
        text = (
            f"{self._name}: {self._done:,} of {self._total:,} ({share:.0%}), {spent:.0f} s, {left:.0f} s to go {note}"
        )
        print(f"\r{text:<110}" if self._terminal else text, end="" if self._terminal else "\n", file=sys.stderr)

    def finish(self) -> None:
        """The line is ended."""
        if self._terminal:
            print(file=sys.stderr)
