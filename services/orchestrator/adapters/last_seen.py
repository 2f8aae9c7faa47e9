"""The newest event of each table that this process wrote or read: a database that has it no more went back in time.

As where a standby that lacked some of what was confirmed took the place of the primary, or a backup was restored under
processes that run: whoever knew more would add to a history that is not its own, as soon as that is as long.
"""

from collections import OrderedDict
from typing import Final

from shared.observability.logging import get_log
from shared.storage.database import StoreBroken

TABLES_MAX: Final = 20_000
Seen = tuple[int, int]
"""Version, and when it was recorded, in microseconds since 1970."""


class WentBack(StoreBroken):  # read as a sentence: the database went back
    """It lost what it had confirmed: nothing that this process knows can be relied on, and only a restart helps."""


class LastSeen:
    """Of the tables that several processes share."""

    def __init__(self) -> None:
        """Nothing was seen yet."""
        self.went_back = False
        """It was found out: the process ends."""
        self._newest: OrderedDict[str, Seen] = OrderedDict()

    def note(self, table_id: str, version: int, at_micros: int) -> None:
        """This event is in the database."""
        if version >= self.of(table_id)[0]:
            self._newest[table_id] = (version, at_micros)
            self._newest.move_to_end(table_id)
        if len(self._newest) > TABLES_MAX:
            self._newest.popitem(last=False)

    def of(self, table_id: str) -> Seen:
        """The newest that is known; (0, 0): none. Ask before the database is read."""
        return self._newest.get(table_id, (0, 0))

    def at(self, table_id: str, version: int) -> int | None:
        """When the event of this version was recorded, where it is the newest that is known."""
        newest, at_micros = self.of(table_id)
        return at_micros if version and newest == version else None

    def check(self, table_id: str, seen: Seen, last_version: int, recorded_at_micros: int | None) -> None:
        """WentBack where the log ends before what was seen, or has something else in its place; None: not known."""
        version, at_micros = seen
        if last_version >= version and (not version or recorded_at_micros in {None, at_micros}):
            return
        if not self.went_back:
            meaning = "the process ends; histories are compared at the next start"
            get_log().error("database_went_back", table_id=table_id, version=version, meaning=meaning)
        self.went_back = True
        self.check_kept()

    def check_kept(self) -> None:
        """WentBack once that was found out: nothing is written any more that builds on what is no more."""
        if self.went_back:
            raise WentBack("the database lost what it had confirmed: ask another process, or again after the restart")
