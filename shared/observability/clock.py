"""The time, read once and then counted on, so that nothing ends too early because the clock was set."""

import time
from datetime import UTC, datetime, timedelta


class SteadyClock:
    """A wall clock that nobody can set while the process lives: what it measures is monotonic time."""

    def __init__(self, began: datetime | None = None) -> None:
        """Begin now, by this machine's wall clock or by one that several share; monotonic time counts from here."""
        self._began = datetime.now(UTC) if began is None else began
        self._counted = time.monotonic()

    def now(self) -> datetime:
        """The moment, in UTC."""
        return self._began + timedelta(seconds=time.monotonic() - self._counted)
