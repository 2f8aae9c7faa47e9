"""The bare stack's durable append: SQLite with WAL and synchronous=FULL, whoever waits shares the next commit."""

import asyncio
import sqlite3
from pathlib import Path


class GroupCommit:
    """An append-only file of rows."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        for statement in (
            "PRAGMA journal_mode=WAL",
            "PRAGMA synchronous=FULL",
            "CREATE TABLE IF NOT EXISTS log (place INTEGER PRIMARY KEY, content BLOB)",
        ):
            self._connection.execute(statement)
        self._waiting: list[tuple[bytes, asyncio.Future[None]]] = []
        self._task: asyncio.Task[None] | None = None

    async def append(self, row: bytes) -> None:
        """Return when the row is on the disk."""
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((row, done))
        if self._task is None:
            self._task = asyncio.create_task(self._drain())
        await done

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    async def _drain(self) -> None:
        loop = asyncio.get_running_loop()
        while self._waiting:
            group, self._waiting = self._waiting, []
            await loop.run_in_executor(None, self._commit, [(row,) for row, _ in group])
            for _, done in group:
                done.set_result(None)
        self._task = None

    def _commit(self, rows: list[tuple[bytes]]) -> None:
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO log (content) VALUES (?)", rows)
        self._connection.execute("COMMIT")
