"""The clock of this machine: read once, then counted on, so that nobody is timed out because the clock was set."""

import asyncio
import time
from datetime import UTC, datetime, timedelta


class SystemClock:
    """Implements ports.Clock."""

    def __init__(self) -> None:
        """Take the wall clock's word for now; from here on monotonic time counts (trust S19)."""
        self._began = datetime.now(UTC)
        self._counted = time.monotonic()

    def now(self) -> datetime:
        """See ports.Clock."""
        return self._began + timedelta(seconds=time.monotonic() - self._counted)

    async def sleep_until(self, moment: datetime) -> None:
        """See ports.Clock."""
        while (left := (moment - self.now()).total_seconds()) > 0:  # noqa: ASYNC110  # time itself is waited for
            await asyncio.sleep(left)
