"""A table as it was, for requests that are asked again: of the hand in play at once, else read from its first event.

That may be a long way, and whoever kept an old request of its own may ask it again as often as it likes. So one looks
back at a time, a few events at once, and others are served in between; what was found on the way is remembered.
"""

import asyncio
from collections import OrderedDict
from typing import Final

from services.orchestrator.application.pages import PAGE_EVENTS
from services.orchestrator.application.table_log import TableLog
from services.orchestrator.domain.fold import fold
from services.orchestrator.domain.table import Table, unbared

REST_SECONDS: Final = 0.002
"""After each page: reading one takes about as long, so that half of the time is the others'."""
STEP_EVENTS: Final = 20 * PAGE_EVENTS
KEPT_MAX: Final = 64
"""Tables as they were, of all that were looked for."""


class LookingBack:
    """The tables of one service as they were."""

    def __init__(self, log: TableLog) -> None:
        """By this log."""
        self._log = log
        self._alone = asyncio.Semaphore()
        self._known: OrderedDict[tuple[str, int], Table] = OrderedDict()

    async def table_at(self, table_id: str, version: int) -> Table:
        """The table at this version, which it had."""
        kept = await self._log.kept(table_id)
        if kept is not None and kept.version < version <= kept.version + STEP_EVENTS:
            table = await self._from(unbared(kept), table_id, version)
            if table.hand is not None:
                return table  # else the hand before it, which is not kept, was the table's still
        async with self._alone:
            return await self._from(self._nearest(table_id, version), table_id, version, remember=True)

    async def _from(self, table: Table | None, table_id: str, version: int, *, remember: bool = False) -> Table:
        while (read := table.version if table is not None else 0) < version:
            events = await self._log.events(table_id, read, min(PAGE_EVENTS, version - read))
            table = fold(table, events)
            if remember and (table.version == version or not table.version % STEP_EVENTS):
                self._keep(table)
            if table.version < version:
                await asyncio.sleep(REST_SECONDS)
        return fold(table, ())

    def _nearest(self, table_id: str, version: int) -> Table | None:
        known = (each for each in self._known if each[0] == table_id and each[1] <= version)
        place = max(known, key=lambda each: each[1], default=None)
        return None if place is None else self._known[place]

    def _keep(self, table: Table) -> None:
        self._known[table.table_id, table.version] = table
        if len(self._known) > KEPT_MAX:
            self._known.popitem(last=False)
