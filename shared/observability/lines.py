"""Where log lines go: warnings at once, the frequent rest together, a moment later at most.

A write to the disk for every call costs as much as a tenth of an action. A process that is killed loses lines of its
last moment, and one that cannot write them, as where the disk is full or nobody reads the pipe any more, those of that
time: whoever has something to say goes on.
"""

import asyncio
import atexit
import os
from contextlib import suppress
from threading import Lock
from typing import Final, TextIO

MOMENT_SECONDS: Final = 0.02
WAITING_MAX: Final = 1000


class LineWriter:
    """Writes to one stream, in the order in which lines came."""

    def __init__(self, out: TextIO, *, together: bool) -> None:
        """Write there; each line at once where they are not written together."""
        self._out = out
        self._together = together
        self._lock = Lock()
        self._waiting: list[str] = []
        self._soon: asyncio.TimerHandle | None = None
        atexit.register(self._end)

    def info(self, line: str) -> None:
        """A line that may wait for others, where an event loop will see to it."""
        loop = _running_loop() if self._together else None
        self._add(line)
        if loop is None or len(self._waiting) >= WAITING_MAX:
            self.flush()
        elif self._soon is None or self._soon.when() <= loop.time() - MOMENT_SECONDS:
            self._soon = loop.call_later(MOMENT_SECONDS, self.flush)

    debug = info

    def warning(self, line: str) -> None:
        """A line that somebody has to see, and all before it."""
        self._add(line)
        self.flush()

    error = critical = exception = msg = warning

    def _add(self, line: str) -> None:
        with self._lock:  # or another thread takes the list away in between, and the line with it
            self._waiting.append(line)

    def flush(self) -> None:
        """Write what waits."""
        with self._lock:
            lines, self._waiting, self._soon = self._waiting, [], None
            if lines and not self._out.closed:
                with suppress(OSError):  # what nobody can be told must not end the work that it tells of
                    self._out.write("\n".join(lines) + "\n")
                    self._out.flush()

    def _end(self) -> None:
        """The last lines; where none can be written the process ends with the code of how it went all the same."""
        self.flush()
        if self._out.closed:
            return
        try:
            self._out.flush()
        except OSError:
            with suppress(OSError):  # a stream without a file has nothing that Python would try to write once more
                os.dup2(os.open(os.devnull, os.O_WRONLY), self._out.fileno())


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
