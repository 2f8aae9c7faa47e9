"""The ledger on a disk that fails for good as soon as there is a file <database>.fails beside its database."""

import sqlite3
import sys
from pathlib import Path
from typing import Any

from services.tournament_ledger.__main__ import run
from shared.rpc.main import run_service
from shared.storage import sqlite, sqlite_files
from tests.support.failing_disk import FailingDisk


class _FailingWhenTold(FailingDisk):
    """As an ordinary disk until then."""

    def __init__(self, real: sqlite3.Connection, sign: Path) -> None:
        super().__init__(real)
        self._sign = sign

    def execute(self, sql: str, params: Any = ()) -> sqlite3.Cursor:
        return super().execute(sql, params) if self._sign.exists() else self._real.execute(sql, params)


def _on_the_bad_disk(path: Path) -> _FailingWhenTold:
    return _FailingWhenTold(sqlite_files.open_writer(path), path.with_name(path.name + ".fails"))


setattr(sqlite, "open_writer", _on_the_bad_disk)  # noqa: B010  # the name that opening uses

if __name__ == "__main__":
    sys.exit(run_service(run))
