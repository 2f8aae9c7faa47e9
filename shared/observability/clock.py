"""The time of this machine: read once, then counted on, so that nothing ends too early because the clock was set."""

import time
from datetime import UTC, datetime, timedelta


class SteadyClock:
    """A wall clock that nobody can set while the process lives: what it measures is monotonic time."""

    def __init__(self) -> None:
        """Take the wall clock's word for now; from here on monotonic time counts."""
        self._began = datetime.now(UTC)
        self._counted = time.monotonic()

    def now(self) -> datetime:
        """The moment, in UTC."""
        return self._began + timedelta(seconds=time.monotonic() - self._counted)
