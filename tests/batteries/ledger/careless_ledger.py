"""The ledger as it must not be: it does not wait for the disk. The control of the power cut has to catch it losing."""

import sqlite3
import sys
from pathlib import Path

from services.tournament_ledger.__main__ import run
from shared.rpc.main import run_service
from shared.storage import sqlite, sqlite_files


def _careless(path: Path) -> sqlite3.Connection:
    connection = sqlite_files.open_writer(path)
    connection.execute("PRAGMA synchronous=NORMAL")
    return connection


setattr(sqlite, "open_writer", _careless)  # noqa: B010  # the name that opening uses

if __name__ == "__main__":
    sys.exit(run_service(run))
