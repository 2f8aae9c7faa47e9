"""Reads of one SQLite file in a thread of their own: those that come in one turn of a loop go there and back together.

To go to another thread and back costs more than most reads themselves.
"""

import asyncio
import queue
import sqlite3
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from shared.storage.database import Row, SqlValue, StoreUnavailable
from shared.storage.sqlite_files import open_reader

WAITING_READS_MAX = 4096
TOGETHER_SECONDS_MAX: Final = 0.002
"""Nobody waits longer than that for the reads of others that came at the same time."""
_DISK: Final = {sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_READONLY}
Loop = asyncio.AbstractEventLoop


@dataclass(frozen=True, slots=True)
class _Asked:
    """One read and who waits for it."""

    sql: str
    params: tuple[SqlValue, ...]
    loop: Loop
    answered: "asyncio.Future[list[Row]]"


_Result = tuple[_Asked, list[Row] | Exception]


class SqliteReader:
    """A connection that cannot write, and its thread."""

    def __init__(self, path: Path) -> None:
        """Read this file, which exists."""
        self._connection = open_reader(path)
        self._asked: queue.SimpleQueue[list[_Asked] | None] = queue.SimpleQueue()
        self._gathered: dict[Loop, list[_Asked]] = {}
        self._waiting = 0
        self._thread = threading.Thread(target=self._run, name="store-reader", daemon=True)
        self._thread.start()

    async def read(self, sql: str, params: Sequence[SqlValue]) -> list[Row]:
        """See Store.read."""
        if self._waiting >= WAITING_READS_MAX:
            raise StoreUnavailable(f"more than {WAITING_READS_MAX} reads are waiting: try again later")
        self._waiting += 1
        try:
            loop = asyncio.get_running_loop()
            asked = _Asked(sql, tuple(params), loop, loop.create_future())
            gathered = self._gathered.get(loop)
            if gathered is None:
                gathered = self._gathered[loop] = []
                loop.call_soon(self._hand_over, loop)
            gathered.append(asked)
            return await asked.answered
        finally:
            self._waiting -= 1

    def hand_over(self) -> None:
        """What was asked in this turn of a loop goes to the thread now."""
        for loop in tuple(self._gathered):
            self._hand_over(loop)

    def close(self) -> None:
        """Answer what was handed over, then end; call it from another thread than that of a loop."""
        self._asked.put(None)
        self._thread.join()
        self._connection.close()

    def _hand_over(self, loop: Loop) -> None:
        gathered = self._gathered.pop(loop, None)
        if gathered:
            self._asked.put(gathered)

    def _run(self) -> None:
        while (group := self._asked.get()) is not None:
            results: list[_Result] = []
            began = time.perf_counter()
            for asked in group:
                results.append((asked, self._fetch(asked)))
                if time.perf_counter() - began > TOGETHER_SECONDS_MAX:
                    _answer(results)
                    results, began = [], time.perf_counter()
            if results:
                _answer(results)

    def _fetch(self, asked: _Asked) -> list[Row] | Exception:
        try:
            return self._connection.execute(asked.sql, asked.params).fetchall()
        except sqlite3.Error as fault:
            if int(getattr(fault, "sqlite_errorcode", sqlite3.SQLITE_ERROR)) & 0xFF in _DISK:
                found = StoreUnavailable(f"the disk failed to read ({fault}): try again later")
                found.__cause__ = fault
                return found
            return fault
        except Exception as fault:  # noqa: BLE001  # a value that SQL cannot hold: told to whoever asked, the thread goes on
            return fault


def _answer(results: list[_Result]) -> None:
    """All of a group came from one loop; where that is closed, nobody waits."""
    try:
        results[0][0].loop.call_soon_threadsafe(_wake, results)
    except RuntimeError:
        return


def _wake(results: list[_Result]) -> None:
    for asked, found in results:
        if asked.answered.done():
            continue  # whoever asked has gone
        if isinstance(found, Exception):
            asked.answered.set_exception(found)
        else:
            asked.answered.set_result(found)
