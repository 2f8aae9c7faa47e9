"""The clock of this machine, and waiting by it."""

import asyncio
from datetime import datetime

from shared.observability.clock import SteadyClock


class SystemClock(SteadyClock):
    """Implements ports.Clock; nobody is timed out because the clock was set."""

    async def sleep_until(self, moment: datetime) -> None:
        """See ports.Clock."""
        while (left := (moment - self.now()).total_seconds()) > 0:  # noqa: ASYNC110  # time itself is waited for
            await asyncio.sleep(left)
