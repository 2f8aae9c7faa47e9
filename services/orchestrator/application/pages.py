"""Pages of the tables' logs read lately: many who resume at once are told the same, which is read and made once."""

import asyncio
from collections import OrderedDict
from typing import Final

from services.orchestrator.application.shown import ShownEvent
from services.orchestrator.application.table_log import TableLog

PAGE_EVENTS: Final = 50
"""For one watcher at a time: many who resume at once hold up nobody for long, nor do those who never read."""
PAGES_KEPT: Final = 64


Page = tuple[ShownEvent, ...]
_Place = tuple[str, int]
"""A table, and the version after which the page begins."""


class Pages:
    """The pages of one service; only full ones are kept, for they never change."""

    def __init__(self, log: TableLog) -> None:
        """Of this log."""
        self._log = log
        self._lately: OrderedDict[_Place, Page] = OrderedDict()
        self._reading: dict[_Place, asyncio.Task[Page]] = {}

    async def after(self, table_id: str, version: int) -> Page:
        """Events after a version, at most PAGE_EVENTS."""
        place = table_id, version
        known = self._lately.get(place)
        if known is not None:
            return known
        reading = self._reading.get(place)
        if reading is None:
            reading = self._reading[place] = asyncio.ensure_future(self._read(place))
        return await asyncio.shield(reading)  # whoever hangs up leaves it to the others

    async def _read(self, place: _Place) -> Page:
        try:
            page = tuple(map(ShownEvent, await self._log.events(*place, PAGE_EVENTS)))
        finally:
            del self._reading[place]
        if len(page) == PAGE_EVENTS:
            self._lately[place] = page
            if len(self._lately) > PAGES_KEPT:
                self._lately.popitem(last=False)
        return page
