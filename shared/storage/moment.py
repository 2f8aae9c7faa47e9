"""The time of a database that several processes share: one clock for all, however wrong those of their machines.

What one of them says is due at a moment another one ends at that moment; so they must mean the same moment.
"""

import time
from datetime import UTC, datetime, timedelta
from typing import Final

from shared.storage.database import Store

LOOKS: Final = 3
"""The quickest answer counts: the first one may wait for a connection."""
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_NOW: Final = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)"


async def time_of(store: Store) -> datetime | None:
    """What time it is now by the database; None for a file, whose one owner needs nobody else's clock."""
    if not store.shared:
        return None
    looks = [await _look(store) for _ in range(LOOKS)]
    took_seconds, ahead = min(looks)
    return _EPOCH + timedelta(seconds=time.monotonic() + ahead + took_seconds / 2)


async def _look(store: Store) -> tuple[float, float]:
    """How long it took, and how far the database was ahead of this process's monotonic time when it was over."""
    began = time.monotonic()
    ((micros,),) = await store.read(_NOW)
    ended = time.monotonic()
    if not isinstance(micros, int):
        raise TypeError("the database tells the time as something else than a number")
    return ended - began, micros / 1_000_000 - ended
