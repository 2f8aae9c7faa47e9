"""One empty database of each engine, opened as a service opens it; tests may also reach past the service."""

import asyncio
import importlib.util
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import asyncpg

from shared.config.location import Location, PostgresUrl
from shared.storage.database import Store
from shared.storage.opening import open_database

ENGINES = ("sqlite", "postgres")


@dataclass(slots=True)
class Engine:
    """A database and the stores that were opened on it."""

    name: str
    location: Location
    opened: list[Store] = field(default_factory=list[Store])

    async def open(self, service: str = "test", migrations: ModuleType | None = None) -> Store:
        """Open it as a service does; closed at the end of the test."""
        store = await open_database(self.location, service, migrations)
        self.opened.append(store)
        return store

    async def by_hand(self, *statements: str) -> None:
        """Change it past the store, as an operator or another program would."""
        if isinstance(self.location, Path):
            await asyncio.to_thread(_by_hand, self.location, statements)
            return
        connection = await asyncpg.connect(self.location.reveal())
        try:
            for statement in statements:
                await connection.execute(statement)
        finally:
            await connection.close()

    async def close(self) -> None:
        """Close whatever is still open."""
        for store in self.opened:
            await store.close()


def _by_hand(path: Path, statements: Sequence[str]) -> None:
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        for statement in statements:
            connection.execute(statement)
    finally:
        connection.close()


def engine_at(text: str) -> Engine:
    """The engine of an address or path."""
    if text.startswith("postgresql:"):
        return Engine("postgres", PostgresUrl(text))
    return Engine("sqlite", Path(text))


def migrations_of(folder: Path, *files: str) -> ModuleType:
    """A package of migrations with these texts."""
    package = folder / "wanted"
    package.mkdir(exist_ok=True)
    for number, text in enumerate(files, start=1):
        (package / f"{number:04}_step.sql").write_text(text)
    (package / "__init__.py").write_text("")
    spec = importlib.util.spec_from_file_location("wanted", package / "__init__.py")
    assert spec is not None
    return importlib.util.module_from_spec(spec)
