"""A disk that fails."""

import sqlite3
from typing import Any


class FailingDisk:
    """A connection whose COMMIT fails as a disk would make it."""

    def __init__(self, real: sqlite3.Connection, code: int = sqlite3.SQLITE_IOERR) -> None:
        self._real = real
        self._code = code

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def execute(self, sql: str, params: Any = ()) -> sqlite3.Cursor:
        if sql == "COMMIT":
            fault = sqlite3.OperationalError("disk I/O error")
            fault.sqlite_errorcode = self._code
            raise fault
        return self._real.execute(sql, params)
