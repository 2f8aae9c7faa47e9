"""The clock of this machine."""

import asyncio
from datetime import UTC, datetime

_SLEEP_SECONDS_MAX = 60.0
"""A wall clock may be set while we sleep: look again at least this often."""


class SystemClock:
    """Implements ports.Clock."""

    def now(self) -> datetime:  # part of the port
        """See ports.Clock."""
        return datetime.now(UTC)

    async def sleep_until(self, moment: datetime) -> None:
        """See ports.Clock."""
        while (left := (moment - self.now()).total_seconds()) > 0:  # noqa: ASYNC110  # time itself is waited for
            await asyncio.sleep(min(left, _SLEEP_SECONDS_MAX))
